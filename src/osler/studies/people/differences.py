"""The difference between people and a player on one score, and the power that such a design has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from pydantic import model_serializer

from osler.core.events import Frozen
from osler.core.measure import Kind, Measure
from osler.stats.cluster_t import Floats
from osler.stats.intervals import too_few_scored
from osler.stats.paired import Difference
from osler.stats.two_way_mean import POWER, TwoWay, needed, pivot_of, two_way

MOST_LIKELY: Final = 0.6
BETWEEN_PEOPLE: Final = 0.1
BETWEEN_CASES: Final = 0.4
ASSUMED: Final = (
    f"assumed: people and player are right in {MOST_LIKELY:.0%} of the cases, independently;"
    f" {BETWEEN_PEOPLE:.0%} of the variance of their difference is between people, {BETWEEN_CASES:.0%}"
    " between cases"
)


class Power(Frozen):
    """The `smallest` difference that so many people and cases show with a power of 80 % (5 %, two-sided), and
    how many would show a `difference` of shares: more `people` on the same cases, more `cases` for the same
    people, or `both`; `None` where no number does. `assumed`: by what is assumed before anything is known."""

    smallest: float
    difference: float | None
    people: int | None
    cases: int | None
    both: tuple[int, int] | None
    assumed: bool
    power: float = POWER


class ScoreBeside(Frozen):
    """People and a player on one score: `difference` is people minus player, its `first` the player's value
    and its `second` that of people, over the scored pairs of `people` persons."""

    score: str
    words: str
    kind: Kind
    difference: Difference
    people: int
    power: Power | None

    @model_serializer
    def as_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        gap = self.difference
        return {
            "score": self.score,
            "kind": self.kind,
            "people_mean": gap.second,
            "player_mean": gap.first,
            "difference": {name: getattr(gap, name) for name in ("value", "low", "high")},
            **{name: getattr(gap, name) for name in ("p", "p_holm")},
            "n": gap.n_pairs,
            "people": self.people,
            **{name: getattr(gap, name) for name in ("cases", "unscored", "bounds")},
            "power": None if self.power is None else self.power.model_dump(mode="json"),
        }


def difference(
    measure: Measure, people: Sequence[str], cases: Sequence[str], table: Floats, wanted: float
) -> ScoreBeside:
    """The difference by a measure over pairs, each of a person and a case; `table` is (pairs, player and
    person, part and whole) as `osler.studies.compare.parts_of` gives it.

    Pairs with nothing to score are left out. The interval is clustered by person and by case, and withheld
    below five of either.
    """
    nothing = np.isnan(table[:, :, 1]) & ~np.isnan(table[:, :, 0])
    asked = ~nothing.any(axis=1)
    scored = asked & ~np.isnan(table).any(axis=(1, 2))
    n, unscored = int(scored.sum()), int(asked.sum() - scored.sum())
    places = np.flatnonzero(scored).tolist()
    who, where = ([names[at] for at in places] for names in (people, cases))
    gap = Difference(n_pairs=n, cases=len(set(where)), unscored=unscored)
    if measure.share and not measure.ratio and too_few_scored(n, unscored):
        gap = replace(gap, bounds=_bounds(table[asked][:, :, 0]))
    parts, wholes = table[scored][:, :, 0], table[scored][:, :, 1]
    power = None
    if n and (wholes.sum(axis=0) > 0).all():
        player, person = parts.sum(axis=0) / wholes.sum(axis=0)
        # A ratio of sums is linearized: each pair adds part - ratio * whole on either side (Taylor).
        off = (parts - np.array([player, person]) * wholes) / wholes.mean(axis=0)
        value = float(person - player)
        answers = not measure.ratio and measure.share and bool(np.isin(parts, (0, 1)).all())
        result = two_way(value + off[:, 1] - off[:, 0], who, where, right_or_wrong=answers)
        gap = _with_interval(
            replace(gap, value=value, first=float(player), second=float(person)), measure, result
        )
        power = _power(result, measure, wanted, known=gap.low is not None)
    return ScoreBeside(
        score=measure.name,
        words=measure.words,
        kind=measure.kind,
        difference=_rounded(gap),
        people=len(set(who)),
        power=power,
    )


def planned(people: int, cases: int) -> TwoWay:
    """The parts of the variance to expect of a share of right answers before anybody has sat."""
    whole = 2 * MOST_LIKELY * (1 - MOST_LIKELY)
    left = whole * (1 - BETWEEN_PEOPLE - BETWEEN_CASES) / people / cases
    parts = whole * BETWEEN_PEOPLE / people, whole * BETWEEN_CASES / cases, left
    return TwoWay(*parts, (people, cases), people * cases, right_or_wrong=True)


def power_of(found: TwoWay, wanted: float, *, assumed: bool) -> Power:
    """The power of a design: what it shows, and how many would show the difference that is wanted."""
    more = needed(found, wanted)
    return Power(
        smallest=round(found.smallest(), 4),
        difference=wanted,
        people=more.first,
        cases=more.second,
        both=more.both,
        assumed=assumed,
    )


def _with_interval(gap: Difference, measure: Measure, found: TwoWay) -> Difference:
    value = gap.value or 0.0
    pivot = pivot_of(value, found)
    if pivot is None:
        return gap
    low, high = pivot.interval()
    most = measure.most - measure.least
    return replace(gap, low=low, high=high, p=pivot.p()).within(most)


def _power(found: TwoWay, measure: Measure, wanted: float, *, known: bool) -> Power | None:
    """The power by what was seen; without an interval, that of a share by what is assumed."""
    if known and found.variance > 0:
        power = power_of(found, wanted, assumed=False)
        none = dict.fromkeys(("difference", "people", "cases", "both"))
        return power if measure.share else power.model_copy(update=none)
    if not measure.share:
        return None
    people, cases = found.many
    full = found.n / (people * cases)  # of each person's cases
    plan = planned(max(people, 1), max(cases, 1))
    return power_of(plan._replace(left=plan.left / full), wanted, assumed=True)


def _bounds(parts: Floats) -> tuple[float, float]:
    player, person = parts[:, 0], parts[:, 1]
    lowest = np.nan_to_num(person, nan=0.0) - np.nan_to_num(player, nan=1.0)
    highest = np.nan_to_num(person, nan=1.0) - np.nan_to_num(player, nan=0.0)
    return float(lowest.mean()), float(highest.mean())


def _rounded(gap: Difference) -> Difference:
    def six(value: float | None) -> float | None:
        return None if value is None else round(value, 6)

    bounds = None if gap.bounds is None else (round(gap.bounds[0], 6), round(gap.bounds[1], 6))
    return replace(
        gap,
        value=six(gap.value),
        low=six(gap.low),
        high=six(gap.high),
        first=six(gap.first),
        second=six(gap.second),
        bounds=bounds,
    )
