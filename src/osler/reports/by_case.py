"""Per-case results of a run: the headline measure of each case, and its worst episode.

Reads one episode at a time; memory grows with the number of cases, not of episodes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from osler.core.measure import NOTHING, Measure, Ratio, Value, plain_value
from osler.stats.intervals import Estimate, estimate, wilson
from osler.store.records import EpisodeRow

Bad = tuple[Any, ...]
"""A sort key for how badly an episode went; greater is worse."""


class CaseFigures(NamedTuple):
    """One case of a run; `found` is the headline measure over its repeats."""

    hash: str
    id: str
    found: Estimate


class _Case:
    """The running sums of a case: numerator, denominator, episodes scored and unscored, and whether every
    value was 0 or 1."""

    __slots__ = ("ident", "n", "part", "plain", "unscored", "whole")

    def __init__(self, ident: str) -> None:
        self.ident, self.part, self.whole, self.n, self.unscored = ident, 0.0, 0.0, 0, 0
        self.plain = True


class ByCase:
    """An accumulator of a run's episodes by the content hash of their case, in any order."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._cases: dict[str, _Case] = {}
        self._worst: dict[str, tuple[Bad, int]] = {}

    def add(self, episode: EpisodeRow, value: Value, bad: Bad | None) -> None:
        """Add an ended episode; `bad` says how badly it went, `None` if it did not go badly."""
        case = self._cases.setdefault(episode.case_hash, _Case(episode.case_id))
        if bad is not None:
            mine = (bad, -episode.ordinal)
            self._worst[episode.case_hash] = max(mine, self._worst.get(episode.case_hash, mine))
        if value is None:
            case.unscored += 1
        elif value is not NOTHING:
            part, whole = value if isinstance(value, Ratio) else (value, 1.0)
            case.part += part
            case.whole += whole
            case.n += 1
            case.plain = case.plain and value in (0, 1)

    def figures(self) -> list[CaseFigures]:
        """Return every case, sorted by hash. A right-or-wrong measure gets a Wilson interval over the repeats
        of that one case; other measures have no interval."""
        return [CaseFigures(key, self._cases[key].ident, self._figure(key)) for key in sorted(self._cases)]

    def worst(self, most: int) -> list[int]:
        """Return the ordinals of the `most` worst episodes, one per case, worst first."""
        return [-minus for _, minus in sorted(self._worst.values(), reverse=True)[:most]]

    def _figure(self, key: str) -> Estimate:
        case = self._cases[key]
        if case.plain and self._measure.interval == "proportion":
            return wilson(case.part, case.n, case.unscored)
        if case.whole <= 0:
            return Estimate(None, None, None, case.n, case.unscored)
        value = min(max(case.part / case.whole, self._measure.least), self._measure.most)
        return estimate(value, None, case.n, case.unscored)


def poorly(measure: Measure, value: Value) -> Bad | None:
    """Return how badly an episode went by the headline; `None` if it is the best possible or unscored."""
    plain = plain_value(value)
    if plain is None:
        return None
    best, worse = (measure.most, -plain) if measure.better == "more" else (measure.least, plain)
    return None if plain == best else (worse,)
