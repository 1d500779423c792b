"""The extension point for protocols' additions to a report, with the defaults for every protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic_core import from_json

from osler.core.config import Config
from osler.core.lazy import subclass
from osler.core.measure import Measure, Value, plain_value
from osler.core.protocol import Protocol
from osler.core.trace import Trace
from osler.reports.by_case import Bad, poorly
from osler.reports.cells import number
from osler.reports.run_report import RunReport, Section
from osler.reports.table_columns import Column
from osler.reports.tables_export import Cell
from osler.runs.measured import Measured
from osler.runs.run import protocol_of
from osler.runs.totals import reason_of
from osler.stats.intervals import Estimate
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store
from osler.studies.audit import audit_of

Base = tuple[str, Mapping[str, float]]
"""A base rate, a figure without a player: its name, and its values by the case's content hash."""


def parts_of(protocol: Protocol) -> type[Parts]:
    """The class of a protocol's parts of a report."""
    return subclass(protocol.report or Parts, Parts)


class Parts:
    """The protocol-specific parts of one run's report. A protocol's subclass overrides what differs."""

    worst_words: ClassVar[str] = "The lowest by the headline figure, one per case. Controls are left out."
    """A description of which episodes count as the worst."""

    of_case: ClassVar[tuple[Column, ...]] = ()
    of_end: ClassVar[tuple[Column, ...]] = ()
    """The protocol's extra columns in the table of episodes: on the case, and on how an episode ended."""

    def __init__(self, run: RunInfo, store: Store) -> None:
        self.run, self.store = run, store
        self.protocol: Protocol = protocol_of(run)

    def add(self, row: EpisodeRow, body: Mapping[str, Any] | None) -> None:
        """Take in an ended episode and the protocol's judgement of it, `None` if there is none."""

    def bad(self, row: EpisodeRow, values: Mapping[str, Value]) -> Bad | None:
        """Return how badly an episode went, greater is worse; `None` if it did not go badly."""
        return poorly(self.protocol.measures[0], next(iter(values.values())))

    def reason(self, measure: Measure, row: EpisodeRow, body: Mapping[str, Any] | None) -> str:
        """Return the reason why an episode is unscored by a measure."""
        return reason_of(measure, row, body)

    def lacks(
        self, row: EpisodeRow, trace: Trace, judgements: Sequence[Judgement], values: Mapping[str, Value]
    ) -> dict[str, list[str]]:
        """Return what was wrong in a bad episode: headings with their entries, the score first."""
        measures = [one for one in self.protocol.measures if one.name in values and not one.traced]
        lines = [f"{one.words}: {said}" for one in measures if (said := _said(one, values[one.name]))]
        return {"Score": lines[:1], "All figures": lines[1:]}

    @classmethod
    def pairs(cls, of: tuple[Config, Config], rows: tuple[EpisodeRow, EpisodeRow]) -> bool:
        """Return whether two episodes of the same ordinal, each `of` one of two configurations, can be
        compared as a pair."""
        return True

    def controls(self, config: Config, cases: Mapping[str, Any]) -> Iterator[str]:
        """Yield the names of the controls that apply to these cases (by content hash)."""
        shows = audit_of(self.protocol).shows
        yield from (name for name, at in self.protocol.probes.items() if shows(at, cases.values()))

    def base_rates(self, config: Config, cases: Mapping[str, Any]) -> Iterator[Base]:
        """Yield the base rates: the scores of not looking at a case at all."""
        yield from ()

    def cells(self, trace: Trace, body: Mapping[str, Any] | None) -> dict[str, Cell]:
        """Return the cells of the protocol's extra columns for an episode, by name."""
        return {}

    def own(self, measures: Mapping[str, Estimate]) -> Any:
        """Return what `sections` draws of this run; called after every episode has been added."""

    @classmethod
    def sections(cls, runs: Sequence[RunReport]) -> list[Section]:
        """Return the protocol's sections, over all runs together."""
        return []


def body_of(protocol: Protocol, one: Measured, judgements: Sequence[Judgement]) -> Mapping[str, Any] | None:
    """Return the judgement that an episode's measures were read from."""
    own = protocol.judges[0].graders
    judgement = next(
        (each for each in judgements if each.grader in own and each.version == one.version), None
    )
    return from_json(judgement.body) if judgement else None


def _said(measure: Measure, value: Value) -> str:
    plain = plain_value(value)
    return "" if plain is None else number(plain, measure.share)
