"""The contents of a report on runs of one protocol, read from the store but not yet drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.reports.by_case import CaseFigures
from osler.stats.intervals import Estimate
from osler.stats.paired import Difference
from osler.stats.ranks import Rank

NOT_STATED: Final = "not stated"


class Poor(NamedTuple):
    """An episode that went badly: what was wrong with it, and its transcript as (time, who, words)."""

    ordinal: int
    case_id: str
    lacks: dict[str, list[str]]
    transcript: list[tuple[str, str, str]]


class Control(NamedTuple):
    """A control (trivial baseline): its headline score on a run's cases, and the run's gain over it by case.

    `looks_at` is the one thing it looks at; `None` for a figure without a player, such as a base rate.
    """

    name: str
    looks_at: str | None
    right: Estimate
    gain: Estimate


class Controls(NamedTuple):
    """The controls of a run over `cases` of its cases; `left_out` cases were not played, and `why` is the
    reason if there are no rows."""

    rows: tuple[Control, ...]
    cases: int
    left_out: int
    why: str


class RunReport(NamedTuple):
    """The report of one run. Its text is untrusted: the caller must sanitize it before showing it.

    `player` is the player under test, and `called` what the reader calls it: a label, or the player's name;
    `models` maps endpoints to the models behind them. `looks_at` says what a trivial player or probe looks
    at, `None` for any other. `left_out` counts the episodes that are not in the report, because the people in
    them do not permit it, `ended_because` the causes of failed ends by status, `because`, by score,
    the reasons for unscored episodes; `failed` the reasons of episodes that did not complete, and `refusals`
    the answers of players that were refused, by seat and cause; `graders` counts judgements by grader and
    version. `specialty_of` is by case hash. `controls` is `None` for a run that is itself a control. `used`
    is as returned by `osler.runs.usage.usage`; `passes` is pass^k by k. `own` is what the protocol adds,
    `groups` part the headline as in `osler.runs.totals.Totals`, `beside` are the sentences that stand beside
    the headline. `setup` names the player in every seat and, under `unknown`, the policy for what a case does
    not hold. `failures` are the shares of scored episodes by failure tag (`osler.core.failure`), with the
    first (episode, exchange) of each in `first_failures`. Times are UTC.
    """

    name: str
    player: str
    called: str
    models: dict[str, str]
    looks_at: str | None
    privileged: bool
    status: str
    planned: int
    began: str
    last_end: str | None
    setup: dict[str, str]
    configuration: dict[str, str]
    configuration_hash: str
    results_hash: str
    graders: dict[str, int]
    episodes: int
    ended: Mapping[str, int]
    left_out: int
    ended_because: Mapping[str, Mapping[str, int]]
    exchanges: int
    measures: dict[str, Estimate]
    because: Mapping[str, Mapping[str, int]]
    failed: dict[str, int]
    refusals: dict[str, int]
    cases: list[CaseFigures]
    specialty_of: dict[str, str]
    specialties: dict[str, Estimate]
    controls: Controls | None
    worst: list[Poor]
    used: dict[str, dict[str, dict[str, int | float | None]]]
    label: str
    passes: dict[int, Estimate]
    own: Any = None
    groups: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    beside: tuple[str, ...] = ()
    failures: Mapping[str, Estimate] = MappingProxyType({})
    first_failures: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({})

    def as_if(self, measure: Measure) -> tuple[float, float] | None:
        """Return the bounds of a share: every unscored episode counted as 0, and as 1; `None` without
        episodes."""
        result = self.measures[measure.name]
        if not (total := result.n + result.unscored):
            return None
        there = (result.value or 0.0) * result.n
        return round(there / total, 6), round((there + result.unscored) / total, 6)


class Versus(NamedTuple):
    """The comparison of a later run (its index is `place`) with the first: the difference by measure, later
    minus first, with p adjusted except for the headline; `refused` gives the reasons if there are none."""

    place: int
    differences: dict[str, Difference]
    refused: tuple[str, ...] = ()


class Pair(NamedTuple):
    """The comparison of two runs, by their indexes, on the headline: second minus first, p adjusted over all
    pairs; `refused` gives the reasons if there is none."""

    first: int
    second: int
    difference: Difference
    refused: tuple[str, ...] = ()


class Section(NamedTuple):
    """A section that a protocol adds to the page."""

    anchor: str
    heading: str
    body: Markup


class Report(NamedTuple):
    """A report on runs of one protocol side by side: every pair compared on the headline, the later ones with
    the first on every measure. `ranks` is empty if a pair could not be compared. `worst_words` explains which
    episodes count as the worst; `title` is the reader's own, `human_anchor` says which ratings by people the
    judge's scores rest on."""

    protocol: Protocol
    runs: Sequence[RunReport]
    compared: Sequence[Versus] = ()
    sections: Sequence[Section] = ()
    worst_words: str = ""
    pairs: Sequence[Pair] = ()
    ranks: Sequence[Rank] = ()
    title: str = ""
    human_anchor: str = ""

    @property
    def headline(self) -> Measure:
        """The headline measure: the first of the protocol's measures."""
        return self.protocol.measures[0]
