"""What a report says of some runs of one protocol, read from the store and not yet drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.judging.statistics import Estimate
from osler.reports.by_case import CaseFigures

NOT_STATED: Final = "not stated"


class Poor(NamedTuple):
    """An episode that went badly: what was wrong in it, and its transcript as (time, who, words)."""

    ordinal: int
    case_id: str
    lacks: dict[str, list[str]]
    transcript: list[tuple[str, str, str]]


class Control(NamedTuple):
    """What one control scores on a run's cases by the headline, and what the run gains over it, by case.

    `looks_at` is the one thing it looks at; `None` for a figure that nobody plays, such as a base rate.
    """

    name: str
    looks_at: str | None
    right: Estimate
    gain: Estimate


class Controls(NamedTuple):
    """The control rows of a run over `cases` of its cases; `left_out` were not played, and `why` says why
    there are no rows."""

    rows: tuple[Control, ...]
    cases: int
    left_out: int
    why: str


class RunReport(NamedTuple):
    """One run. Text in it is still that of others: whoever shows it makes it safe.

    `player` is who was under test; `looks_at` says what a trivial player or probe looks at, `None` for any
    other. `because` counts, by score, the reasons of what is unscored; `graders` counts judgements by grader
    and version. `specialty_of` is by case hash. `controls` is `None` for a control itself. `used` is as
    `osler.studies.usage.usage` gives it. `own` is what the protocol adds. Times are UTC.
    """

    name: str
    player: str
    looks_at: str | None
    privileged: bool
    status: str
    planned: int
    began: str
    last_end: str | None
    configuration: dict[str, str]
    configuration_hash: str
    results_hash: str
    graders: dict[str, int]
    episodes: int
    ended: dict[str, int]
    exchanges: int
    measures: dict[str, Estimate]
    because: dict[str, dict[str, int]]
    cases: list[CaseFigures]
    specialty_of: dict[str, str]
    specialties: dict[str, Estimate]
    controls: Controls | None
    worst: list[Poor]
    used: dict[str, dict[str, dict[str, int | float | None]]]
    label: str
    own: Any = None

    def as_if(self, measure: Measure) -> tuple[float, float] | None:
        """A share as if every unscored episode were 0, and as if 1; `None` without episodes."""
        found = self.measures[measure.name]
        if not (total := found.n + found.unscored):
            return None
        there = (found.value or 0.0) * found.n
        return round(there / total, 6), round((there + found.unscored) / total, 6)


class Versus(NamedTuple):
    """A later run, by its place, minus the first: the difference by measure with p, adjusted but for the
    headline's; `refused` says why there are none. `pairs` is the number of worlds both played."""

    place: int
    differences: dict[str, tuple[Estimate, float | None]]
    refused: tuple[str, ...] = ()


class Section(NamedTuple):
    """A section that a protocol adds: its anchor, its heading, and its body."""

    anchor: str
    heading: str
    body: Markup


class Report(NamedTuple):
    """Runs of one protocol side by side, the later ones compared with the first. `worst_words` says what the
    worst episodes are."""

    protocol: Protocol
    runs: Sequence[RunReport]
    compared: Sequence[Versus] = ()
    sections: Sequence[Section] = ()
    worst_words: str = ""

    @property
    def headline(self) -> Measure:
        """What the runs are scored by first."""
        return self.protocol.measures[0]
