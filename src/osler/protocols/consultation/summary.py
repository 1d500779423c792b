"""Summaries of runs of consultations, and the debriefing of a person who has played one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from pydantic_core import from_json
from rich.text import Text

from osler.core import summary as core
from osler.core.role import PERSON
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.scores import GRADER, Judgement, judgement_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.debrief import Played, asked_missed_unsafe
from osler.protocols.consultation.memory.retrieval_log import (
    audit_run,
    audit_value,
    audit_words,
    record_retrievals,
)
from osler.reports.summary import RunSummary, Summary
from osler.reports.tables import results_table
from osler.runs.judged_episodes import Grader, add_to, judged_episodes
from osler.runs.run import config_as, config_of
from osler.runs.stored_case import stored_cases
from osler.store.records import RunInfo
from osler.store.store import Store

BUILT_IN: Final = Grader()


def summarize(run: RunInfo, store: Store, wall_s: float, grader: Grader = BUILT_IN) -> RunSummary:
    """Summarize a run from the store: the same figures after any number of sessions."""
    named = config_as(run, RunConfig).players()
    summary = Summary(run.name, [seat for seat, name in named.items() if name.startswith("model:")])
    judged_by = Counter[str]()
    for episode, judgements in judged_episodes(run, store, earlier=bool(grader.version)):
        found = grader.among(judgements)
        add_to(summary, episode, from_json(found.body) if found else None)
        if found:
            judged_by[f"{found.grader} {found.version}"] += 1
    return summary.result(wall_s=wall_s).model_copy(update={"judged_by": dict(sorted(judged_by.items()))})


def summary_of(run: RunInfo, store: Store, wall_s: float, grader: Grader | None = None) -> core.Summary:
    """Return the summary of a run by the built-in judge.

    Raises BadInput for any other grader.
    """
    chosen = grader or BUILT_IN
    if chosen.name != BUILT_IN.name:
        raise BadInput(
            f"a summary is of the built-in judge's scores, not of {chosen.name}'s",
            where="--grader",
            hint="osler show shows a judgement of any grader, osler judge run sums a model judge up",
        )
    found = summarize(run, store, wall_s, chosen)
    return core.Summary(found.model_dump(mode="json"), lambda: results_table(found), found.label)


def after_play(run: RunInfo, store: Store, source: object = None) -> core.Debrief:
    """Record and audit the retrievals of a doctor with a memory, to detect leaks; without one do nothing."""
    if config_as(run, RunConfig).memory is None:
        return core.Debrief({}, ())
    record_retrievals(run, store)
    audited = audit_run(run, store, source)  # type: ignore[arg-type]  # the run's own cases
    return core.Debrief({"audit": audit_value(audited)}, (Text(audit_words(audited)),))


def debrief(run: RunInfo, store: Store) -> core.Debrief:
    """Return the debriefing of a person who has played one case: the score, what was missed, unsafe acts."""
    ordinal, trace, judgement = next(judged(run, store))
    case = stored_cases(store)(next(store.episodes(run.id)).case_hash)
    value = {"episode": f"{run.name}:{ordinal}", "scores": from_json(judgement.stored.body)["scores"]}
    seat: Played = "doctor" if config_of(run).insides()["doctor"] == PERSON else "patient"
    return core.Debrief(value, (asked_missed_unsafe(case, trace, judgement, seat),))


def judged(run: RunInfo, store: Store) -> Iterator[tuple[int, Trace, Judgement]]:
    """Yield each ended episode of a run with its trace and the built-in judge's judgement."""
    for episode, trace, judgements in store.records(run.id):
        for found in judgements:
            if found.grader == GRADER:
                yield episode.ordinal, trace, judgement_of(found.body)
