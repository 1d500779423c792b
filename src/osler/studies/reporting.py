"""Reading of runs from the store for a report: one pass over the episodes, then the worst in full."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from itertools import combinations, islice
from typing import Any, Final

from pydantic_core import from_json

from osler.core.attempts import REFUSED, cause_of
from osler.core.measure import Measure, Scored
from osler.core.protocol import Protocol
from osler.core.trace import Trace
from osler.errors import BadInput, Status
from osler.models.config import Config
from osler.reports.by_case import ByCase
from osler.reports.plots import MOST_RUNS
from osler.reports.run_report import Pair, Poor, Report, RunReport, Versus
from osler.reports.transcript import transcript_lines
from osler.runs.endpoints import in_words, served
from osler.runs.failures import MOST_READ, NO_FAILURES, failures_of
from osler.runs.judged_episodes import judged_episodes
from osler.runs.measure_sums import MeasureSums
from osler.runs.measured import Measured, measured, measured_and_scored
from osler.runs.run import config_of, player_of, protocol_of
from osler.runs.totals import Tally, Totals, refused_attempts
from osler.runs.usage import usage
from osler.stats.intervals import Estimate, without_declined
from osler.stats.paired import Difference
from osler.stats.ranks import Rank
from osler.store.permitted_store import for_reader
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store
from osler.studies.case_matrix import specialty_of
from osler.studies.comparable import check_one_protocol, privileged
from osler.studies.compare import Comparisons, compare_shown
from osler.studies.people.sittings import sat_beside
from osler.studies.rating.human_anchor import human_anchor
from osler.studies.report_parts import Parts, parts_of
from osler.studies.trivial_baselines import ControlRoom

MOST_WORST: Final = 10
_MOST_LINES: Final = 600
_MOST_REASON: Final = 200


def report_runs(
    runs: Sequence[RunInfo],
    store: Store,
    *,
    controls: bool = True,
    title: str = "",
    labels: Mapping[str, str] | None = None,
    prices: Config | None = None,
) -> Report:
    """Read the runs, in the order given, into a report; with `controls`, controls are played on their cases.

    `labels` are the reader's names for runs, by run name; `prices` says what the models' tokens cost.

    Raises BadInput for too many runs, for runs of several protocols, or one that has nothing to report.
    """
    if len(runs) > MOST_RUNS:
        raise BadInput(f"{len(runs)} runs are too many for one report", hint=f"give at most {MOST_RUNS}")
    protocol, sat = check_one_protocol(*runs), sat_beside(store, runs)
    store = for_reader(store, "report")
    room = ControlRoom(store) if controls else None
    given = labels or {}
    together = compare_shown(runs, store)
    read = [
        report_run(run, store, room, prices)._replace(
            called=given.get(run.name) or player_of(run),
            passes={
                one.k: Estimate(one.value, one.low, one.high, one.n, one.unscored)
                for one in together.passes
                if one.run == run.name
            },
        )
        for run in runs
    ]
    parts, pairs = parts_of(protocol), _pairs(together)
    return Report(
        protocol,
        read,
        _compared(protocol, runs, store, pairs),
        parts.sections(read),
        parts.worst_words,
        pairs,
        [Rank(one.rank, one.low, one.high) for one in together.ranks] if pairs else (),
        title,
        human_anchor(runs, store, sat).line,
    )


class _Gathered:
    """The sums and counts of a run's episodes, added one after the other."""

    def __init__(self, protocol: Protocol, parts: Parts, specialty: Callable[[str], str]) -> None:
        self.tally = Tally(protocol, protocol.measures, parts.reason)
        self.by_case = ByCase(protocol.measures[0])
        self.specialty_of: dict[str, str] = {}
        self.graders = Counter[str]()
        self.last_end: float | None = None
        self.digest = blake2b(digest_size=8)
        self._protocol, self._parts, self._specialty = protocol, parts, specialty
        self._failed = Counter[str]()
        self._groups: dict[str, MeasureSums] = defaultdict(lambda: MeasureSums(protocol.measures[:1]))

    def add(self, one: Measured, scored: Scored, row: EpisodeRow, judgements: Sequence[Judgement]) -> None:
        """Add an episode."""
        self.tally.add(one, scored)
        self._parts.add(row, scored.body)
        if row.status is not Status.COMPLETED:
            self._failed[f"{row.status}: {row.reason}"[:_MOST_REASON]] += 1
        named = zip(self._protocol.measures, one.values, strict=True)
        values = {measure.name: value for measure, value in named}
        self.by_case.add(row, one.values[0], self._parts.bad(row, values))
        if row.case_hash not in self.specialty_of:
            self.specialty_of[row.case_hash] = self._specialty(row.case_hash)
        self._groups[self.specialty_of[row.case_hash]].add(one.cluster, one.values[:1])
        self.last_end = max(row.ended or 0.0, self.last_end or 0.0) or None
        last = {found.grader: found for found in judgements}
        self.graders.update(f"{found.grader} {found.version}" for found in last.values())
        said = [row.key, row.status, *(text for found in last.values() for text in found[1:])]
        self.digest.update(json.dumps(said).encode())

    def commonest_failures(self) -> list[tuple[str, int]]:
        """The reasons of episodes that were not completed, the commonest first."""
        return sorted(self._failed.items(), key=lambda one: (-one[1], one[0]))[:MOST_WORST]

    def specialties(self) -> dict[str, Estimate]:
        """The headline of each specialty."""
        headline = self._protocol.measures[0].name
        return {name: self._groups[name].results()[headline] for name in sorted(self._groups)}


def _gather(run: RunInfo, store: Store, protocol: Protocol, parts: Parts) -> _Gathered:
    gathered = _Gathered(protocol, parts, partial(specialty_of, store))
    both = zip(
        measured_and_scored(run, store, protocol.measures),
        judged_episodes(run, store, earlier=True),
        strict=True,
    )
    for (one, scored), (row, judgements) in both:
        gathered.add(one, scored, row, judgements)
    return gathered


def report_run(
    run: RunInfo, store: Store, room: ControlRoom | None = None, prices: Config | None = None
) -> RunReport:
    """Return the report of a run from the store, with the controls that `room` plays.

    Raises BadInput if no episode has ended.
    """
    if not run.done:
        raise BadInput("no episode of this run has ended", where=run.name, hint=f"osler resume {run.name}")
    store = for_reader(store, "report")
    protocol, written = protocol_of(run), run.manifest["configuration"]
    headline = protocol.measures[0]
    parts = parts_of(protocol)(run, store)
    gathered = _gather(run, store, protocol, parts)
    result = gathered.tally.totals(protocol.label(written), refused_attempts(run, store))
    measures = _measures(result, headline)
    looks_at = protocol.probes.get(player_of(run))
    tagged = failures_of(run, store) if run.done <= MOST_READ else NO_FAILURES
    cases = gathered.by_case.figures()
    values_of = {case.hash: [case.found.value] for case in cases if case.found.value is not None}
    return RunReport(
        name=run.name,
        player=player_of(run),
        called=player_of(run),
        models={str(key): str(name) for key, name in (written.get("models") or {}).items()},
        looks_at=looks_at,
        privileged=protocol.under_test in privileged(run),
        status=run.status,
        planned=run.planned,
        began=_utc(run.created_at.timestamp()),
        last_end=None if gathered.last_end is None else _utc(gathered.last_end),
        setup=_setup(run),
        configuration=_configuration(run, store),
        configuration_hash=blake2b(json.dumps(written, sort_keys=True).encode(), digest_size=8).hexdigest(),
        results_hash=gathered.digest.hexdigest(),
        graders=dict(sorted(gathered.graders.items())),
        episodes=result.episodes,
        ended=result.ended,
        left_out=store.left_out(run.id),
        ended_because=result.because,
        exchanges=result.exchanges,
        measures=measures,
        because=result.unscored_because,
        failed=dict(gathered.commonest_failures()),
        refusals=_refusals(run, store),
        cases=cases,
        specialty_of=gathered.specialty_of,
        specialties=gathered.specialties(),
        controls=room.rows(run, parts, values_of) if room and not looks_at else None,
        worst=[] if looks_at else _worst(run, store, gathered.by_case, parts),
        used=usage(store, run.id, prices or Config()) if written.get("models") else {},
        label=result.label,
        passes={},
        own=parts.own(measures),
        groups=result.groups,
        beside=result.notes.lines,
        failures=tagged.shares,
        first_failures={name: tagged.first(name) for name in tagged.shares},
    )


def _measures(found: Totals, headline: Measure) -> dict[str, Estimate]:
    """The measures by name; a share as headline leaves out what was declined."""
    if not headline.share:
        return dict(found.measures)
    shown = without_declined(found.measures[headline.name], found.declined)
    return {**found.measures, headline.name: shown}


def _configuration(run: RunInfo, store: Store) -> dict[str, str]:
    """The settings of a run by name: its configuration, its models, and the versions it was played by."""
    versions = _flat(run.manifest.get("versions", {}), "version.")
    return dict(_flat(run.manifest["configuration"])) | _models(run, store) | dict(versions)


def _models(run: RunInfo, store: Store) -> dict[str, str]:
    """The models in words, with what their endpoints said of themselves."""
    told = {f"models.{name}": words for name, words in in_words(run).items()}
    for name, result in served(run, store).items() if told else ():
        told[f"served.{name}"] = ", ".join((*result.models, *result.served_by))
    return told


def _setup(run: RunInfo) -> dict[str, str]:
    """See `RunReport.setup`; empty for a run whose configuration this version cannot read."""
    try:
        return config_of(run).setup()
    except BadInput:
        return {}


def _pairs(together: Comparisons) -> list[Pair]:
    places = combinations(range(len(together.runs)), 2)
    return [
        Pair(first, second, pair.scores[0].difference if pair.scores else Difference(), pair.refused)
        for (first, second), pair in zip(places, together.pairs, strict=True)
    ]


def _compared(
    protocol: Protocol, runs: Sequence[RunInfo], store: Store, pairs: Sequence[Pair]
) -> list[Versus]:
    """Compare every later run with the first, by all measures that do not need traces; the headline's
    differences are those of `pairs`, adjusted over all of them."""
    if len(runs) < 2:
        return []
    names = [measure.name for measure in protocol.measures if not measure.traced]
    result = []
    for headline, pair in zip(pairs, compare_shown(runs, store, names, with_first=True).pairs, strict=False):
        differences = {one.score: one.difference for one in pair.scores}
        if differences:
            differences[names[0]] = headline.difference
        result.append(Versus(headline.second, differences, pair.refused))
    return result


def _refusals(run: RunInfo, store: Store) -> dict[str, int]:
    """Return how many answers of players were refused, by seat and cause, the most frequent first."""
    counts = Counter(
        f"{seat}: {cause_of(attempt)}"
        for seat, attempts in store.attempts(run.id)
        for attempt in from_json(attempts)
        if attempt["at"] == REFUSED
    )
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _worst(run: RunInfo, store: Store, by_case: ByCase, parts: Parts) -> list[Poor]:
    protocol = protocol_of(run)
    plain: list[Measure] = [measure for measure in protocol.measures if not measure.traced]
    wanted = by_case.worst(MOST_WORST)
    values = {
        one.row.ordinal: {measure.name: value for measure, value in zip(plain, one.values, strict=True)}
        for one in measured(run, store, plain)
        if one.row.ordinal in wanted
    }
    result = []
    for ordinal in wanted:
        row, trace, judgements = store.record(run.id, ordinal)
        lacks = parts.lacks(row, trace, judgements, values[ordinal])
        result.append(Poor(ordinal, row.case_id, lacks, _talk(trace, protocol_of(run))))
    return result


def _talk(trace: Trace, protocol: Protocol) -> list[tuple[str, str, str]]:
    lines = list(islice(transcript_lines(trace, protocol), _MOST_LINES + 1))
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [("", "cut", "the rest: osler show")]
    return lines


def _flat(value: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield each leaf as (dotted name, text), sorted by name."""
    for name, inner in sorted(value.items()):
        if isinstance(inner, dict):
            yield from _flat(inner, f"{before}{name}.")
        else:
            yield f"{before}{name}", "-" if inner is None else str(inner)


def _utc(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
