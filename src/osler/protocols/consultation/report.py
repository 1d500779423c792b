"""Consultations' additions to a report: kinds of task, manager's scores, communication, cost frontier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from osler.cases.model import Case
from osler.core.config import Config
from osler.core.debriefing import Ended, Kind, third
from osler.core.judge import Verdict
from osler.core.measure import Measure, Value
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.scores import GRADER, UNSCORED
from osler.protocols.consultation.audit import ConsultationAudit
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.debriefing import debriefing
from osler.protocols.consultation.judge.other_languages import in_english
from osler.protocols.consultation.judgement import Judgement as Judged
from osler.protocols.consultation.judgement import judgement_of
from osler.protocols.consultation.report_page import Consulted, Talk, sections_of
from osler.protocols.consultation.story import conclusion_of
from osler.reports.by_case import Bad
from osler.reports.debriefing import in_words, sections_in_words
from osler.reports.run_report import RunReport, Section
from osler.reports.table_columns import Column
from osler.reports.tables_export import Cell
from osler.runs.stored_case import stored_cases
from osler.stats.intervals import ClusterSums, Estimate
from osler.store.damage import UNREADABLE, unreadable_row
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store
from osler.studies.report_parts import Base, Parts
from osler.studies.trivial_baselines import blind

MOST_HEARD: Final = 1000
"""The most episodes whose words are counted for the communication figures."""
BASE_RATE: Final = "base rate"
_ALWAYS: Final = ("null", "always-conclude", "opening-only")
_OPTIONS: Final = ("options-first", "options-longest")
_HARM: Final = ("unsafe_acts", "contraindicated_tests")
_WRONG: Final[frozenset[Kind]] = frozenset({"score", "missed", "unsafe", "other"})
"""The kinds of sections of a debriefing that say what went wrong."""


_SEX: Final = "gender/"


class ConsultationParts(Parts):
    """The parts of a report of consultations."""

    worst_words = (
        "Wrong or unsafe, one per case: harmful ones first, then those that missed the most critical steps."
        " Controls are left out."
    )

    of_case = (
        Column("kind", "text", "kind of task: diagnosis, choice or open"),
        Column("chance", "number", "what guessing would score, empty where nobody can guess"),
    )
    of_end = (
        Column("diagnosis", "text", "the doctor's conclusion, empty without one"),
        Column("answer", "text", "key of the option chosen, empty without one"),
    )

    def __init__(self, run: RunInfo, store: Store) -> None:
        super().__init__(run, store)
        self._costs = ClusterSums(1)

    def add(self, row: EpisodeRow, body: Mapping[str, Any] | None) -> None:
        """Take in an ended episode and its judgement."""
        spent = "cost" in row.counts and row.status not in UNSCORED
        self._costs.add(row.case_hash, [float(row.cost) if spent else None])

    def bad(self, row: EpisodeRow, values: Mapping[str, Value]) -> Bad | None:
        """Return (harms, wrong or not, critical steps missed)."""
        harms = sum(_count(values[name]) for name in _HARM)
        wrong = values["correct"] == 0
        return (harms, wrong, _count(values["critical_missed"])) if harms or wrong else None

    def reason(self, measure: Measure, row: EpisodeRow, body: Mapping[str, Any] | None) -> str:
        """Return why an episode is unscored; the cost per right answer is unscored if correctness is."""
        name = "correct" if measure.name == "cost_per_correct" else measure.name
        return super().reason(self.protocol.measure(name), row, body)

    def lacks(
        self, row: EpisodeRow, trace: Trace, judgements: Sequence[Judgement], values: Mapping[str, Value]
    ) -> dict[str, list[str]]:
        """Return what a person who had played the episode would be told, in words about the doctor."""
        next(self._own(judgements))  # one that cannot be read is said to be so
        try:
            case = stored_cases(self.store)(row.case_hash)
        except BadInput:
            return {"Score": ["this version of Osler cannot read the case any more"]}
        verdicts = tuple(Verdict(one.grader, one.version, one.body) for one in judgements)
        result = debriefing(Ended(case, trace, verdicts, frozenset(), reader=""))
        told = sections_in_words(result) if result else {}
        parts = result.sections if result else ()
        return {in_words(one.heading, third("doctor")): told[one.name] for one in parts if one.kind in _WRONG}

    @classmethod
    def pairs(cls, of: tuple[Config, Config], rows: tuple[EpisodeRow, EpisodeRow]) -> bool:
        """See `Parts.pairs`; gender twins differ in the case, so equal cases are not a pair."""
        twins = all(isinstance(one, RunConfig) and one.twin.startswith(_SEX) for one in of)
        return not twins or rows[0].case_hash != rows[1].case_hash

    def controls(self, config: Config, cases: Mapping[str, Case]) -> Iterator[str]:
        """Yield the doctors that do not reason; those that pick an option only where options are shown."""
        yield from _ALWAYS
        if _shown(config) and ConsultationAudit.shows("task.options", cases.values()):
            yield from _OPTIONS

    def base_rates(self, config: Config, cases: Mapping[str, Case]) -> Iterator[Base]:
        """Yield the base rate: naming the most common answer, or guessing."""
        if cases:
            yield BASE_RATE, {key: value for key, (value,) in blind(cases, _shown(config)).items()}

    def cells(self, trace: Trace, body: Mapping[str, Any] | None) -> dict[str, Cell]:
        """Return the kind of task and chance as they were judged, and the conclusion."""
        final = conclusion_of(trace) or {}
        ended = {name: final.get(name) for name in ("diagnosis", "answer")}
        return ended | {"kind": body["kind"], "chance": body.get("chance")} if body else ended

    def own(self, measures: Mapping[str, Estimate]) -> Consulted:
        """Return the data of the added sections."""
        sums, counts = self._costs.arrays()
        costs = {
            key: round(float(paid / times), 6)
            for key, paid, times in zip(self._costs.clusters(), sums[:, 0], counts[:, 0], strict=True)
            if times
        }
        talk = self._talk()
        return Consulted(talk.figures(), talk.heard, costs)

    @classmethod
    def sections(cls, runs: Sequence[RunReport]) -> list[Section]:
        """Return the sections: kinds of task, manager's scores, communication, cost against accuracy."""
        return sections_of(runs)

    def _talk(self) -> Talk:
        """Return the communication figures of up to `MOST_HEARD` valid episodes, evenly spaced."""
        talk = Talk()
        every = max(1, -(-self.run.done // MOST_HEARD))
        rows = islice(self.store.episodes(self.run.id), 0, None, every)
        for row in [row for row in rows if row.status not in UNSCORED]:
            episode, trace, judgements = self.store.record(self.run.id, row.ordinal)
            if all(map(in_english, self._own(judgements))):
                talk.add(episode.case_hash, trace)
        return talk

    def _own(self, judgements: Sequence[Judgement]) -> Iterator[Judged]:
        """Yield those of our own judge. Raises BadStore for one that is not what was written."""
        for one in judgements:
            if one.grader == GRADER:
                try:
                    yield judgement_of(one.body)
                except UNREADABLE as error:
                    raise unreadable_row(self.store.label) from error


def _shown(config: Config) -> bool:
    return bool(getattr(config, "settings").options == "shown")  # noqa: B009 - a consultation's settings


def _count(value: Value) -> int:
    return int(value) if isinstance(value, float) else 0
