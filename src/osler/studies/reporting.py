"""Runs read from the store for a report: one pass over the episodes, then the worst of them to read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from typing import Any, Final

from pydantic_core import from_json

from osler.core.protocol import Protocol
from osler.encounter.trace import Trace
from osler.errors import BadInput
from osler.judging.judge import GRADER, UNSCORED
from osler.judging.scores import judgement_of
from osler.models.config import Config
from osler.reports.by_case import ByCase
from osler.reports.debrief import debrief
from osler.reports.plots import MOST_RUNS
from osler.reports.run_report import NOT_STATED, Poor, RunReport
from osler.reports.summary import Summary
from osler.reports.talk import Talk
from osler.reports.transcript import transcript_lines
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.compare import PRIVILEGED
from osler.studies.control_rows import ControlRoom
from osler.studies.doctors import inside
from osler.studies.flaws import LOOKS_AT
from osler.studies.judged_episodes import add_to, built_in, judged_episodes
from osler.studies.runs import protocol_of
from osler.studies.stored_case import stored_cases
from osler.studies.usage import usage

MOST_WORST: Final = 10
MOST_HEARD: Final = 1000
"""Episodes whose words are counted for the communication figures."""
_MOST_LINES: Final = 600
_SEATS: Final = ("doctor", "patient", "examination", "consultant", "describer")
_HEADINGS: Final = {
    "Your score": "Score",
    "Key facts and findings you missed": "Key facts and findings missed",
    "Other examinations and tests you left out": "Other examinations and tests left out",
    "Critical steps you missed": "Critical steps missed",
    "Other steps you missed": "Other steps missed",
    "Safety steps you missed": "Safety steps missed",
    "Unsafe acts you named": "Unsafe acts named",
    "Tests that would harm": "Tests that would harm",
    "Evidence that nobody gave you": "Evidence that nobody gave",
}
"""What of a debrief says how an episode went badly, no longer spoken to whoever played it."""


def report_runs(runs: Sequence[RunInfo], store: Store, *, controls: bool = True) -> list[RunReport]:
    """Read each run, in the order given; `controls` are played on the cases of each.

    Raises BadInput for too many runs, or one that has nothing to report.
    """
    if len(runs) > MOST_RUNS:
        raise BadInput(f"{len(runs)} runs are too many for one report", mend=f"give at most {MOST_RUNS}")
    room = ControlRoom(store) if controls else None
    return [report_run(run, store, room) for run in runs]


def report_run(run: RunInfo, store: Store, room: ControlRoom | None = None) -> RunReport:
    """All that a report says of a run, as the store has it, with the controls that `room` plays.

    Raises BadInput where no episode has ended, or no doctor played.
    """
    if not run.done:
        raise BadInput("no episode of this run has ended", where=run.name, mend=f"osler resume {run.name}")
    written = run.manifest["configuration"]
    if "doctor" not in written:
        raise BadInput("no doctor played in this run", where=run.name, mend="report runs of consultations")
    modelled = [seat for seat in _SEATS if str(written.get(seat)).startswith("model:")]
    summary, by_case = Summary(run.name, modelled), ByCase()
    graders, digest, last_end = Counter[str](), blake2b(digest_size=8), None
    for episode, judgements in judged_episodes(run, store):
        mine = built_in(judgements)
        add_to(summary, episode, mine)
        by_case.add(episode, mine["scores"] if mine else None)
        last_end = max(episode.ended or 0.0, last_end or 0.0) or None
        graders.update(f"{found.grader} {found.version}" for found in judgements)
        said = [episode.key, episode.status, *(text for found in judgements for text in found[1:])]
        digest.update(json.dumps(said).encode())
    cases = by_case.figures()
    specialty_of = {case.hash: _specialty(store, case.hash) for case in cases}
    looks_at = LOOKS_AT.get(written["doctor"])
    rights = {case.hash: [case.right.value] for case in cases if case.right.value is not None}
    talk = _talk_of(run, store)
    return RunReport(
        name=run.name,
        doctor=str(written["doctor"]),
        looks_at=looks_at,
        privileged=inside(written["doctor"]) in PRIVILEGED,
        status=run.status,
        planned=run.planned,
        began=_utc(run.created_at.timestamp()),
        last_end=None if last_end is None else _utc(last_end),
        configuration=dict(_flat(written)) | dict(_flat(run.manifest.get("versions", {}), "version.")),
        configuration_hash=blake2b(json.dumps(written, sort_keys=True).encode(), digest_size=8).hexdigest(),
        results_hash=digest.hexdigest(),
        graders=dict(sorted(graders.items())),
        summary=summary.result(0.0),
        as_if=by_case.as_if(),
        cases=cases,
        specialty_of=specialty_of,
        specialties=by_case.groups(specialty_of),
        controls=room.rows(run, rights) if room and not looks_at else None,
        talk=talk.figures(),
        heard=talk.heard,
        worst=[] if looks_at else _worst(run, store, by_case),
        used=usage(store, run.id, Config()) if written["models"] else {},
    )


def _talk_of(run: RunInfo, store: Store) -> Talk:
    """The communication figures of at most `MOST_HEARD` episodes, evenly drawn from those not spoilt."""
    found = Talk()
    every = max(1, -(-run.done // MOST_HEARD))
    drawn = [row for row in islice(store.episodes(run.id), 0, None, every) if row.status not in UNSCORED]
    for row in drawn:
        episode, trace, _ = store.record(run.id, row.ordinal)
        found.add(episode.case_hash, trace)
    return found


def _specialty(store: Store, case_hash: str) -> str:
    body = store.case(case_hash)
    return str((from_json(body).get("specialty") if body else None) or NOT_STATED)


def _worst(run: RunInfo, store: Store, by_case: ByCase) -> list[Poor]:
    found = []
    case_of = stored_cases(store)
    for ordinal in by_case.worst(MOST_WORST):
        episode, trace, judgements = store.record(run.id, ordinal)
        judgement = next(judgement_of(found.body) for found in judgements if found.grader == GRADER)
        try:
            said = debrief(case_of(episode.case_hash), trace, judgement)
        except BadInput:
            said = {"Your score": ["this version of Osler cannot read the case any more"]}
        lacks = {_HEADINGS[heading]: said[heading] for heading in said if heading in _HEADINGS}
        found.append(Poor(ordinal, episode.case_id, lacks, _talk(trace, protocol_of(run))))
    return found


def _talk(trace: Trace, protocol: Protocol) -> list[tuple[str, str, str]]:
    lines = list(islice(transcript_lines(trace, protocol), _MOST_LINES + 1))
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [("", "cut", "the rest: osler show")]
    return lines


def _flat(value: dict[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Each leaf as (dotted name, words), in the order of the names."""
    for name, inner in sorted(value.items()):
        if isinstance(inner, dict):
            yield from _flat(inner, f"{before}{name}.")
        else:
            yield f"{before}{name}", "-" if inner is None else str(inner)


def _utc(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
