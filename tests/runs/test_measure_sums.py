"""Sums by case give the digits of the plain computation over all episodes, however they are divided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.core.measure import NOTHING, Estimated, Measure, Ratio, Value
from osler.runs import measure_sums
from osler.runs.measure_sums import MeasureSums
from osler.stats.intervals import Estimate, per_success, ratio_interval


def measure(name: str, estimated: Estimated) -> Measure:
    return Measure(name, name, name, "count", lambda _: None, estimated=estimated)


MEASURES = (
    measure("share", "proportion"),
    measure("mean", "mean"),
    measure("ratio", "mean"),
    measure("price", "per success"),
)
shares = st.sampled_from([0.0, 1.0, None])
marks = st.one_of(st.none(), st.floats(0, 1e6), st.just(NOTHING))
ratios = st.one_of(
    st.none(), st.just(NOTHING), st.builds(Ratio, st.floats(0, 1e3), st.floats(0, 5)), st.floats(0, 9)
)
prices = st.one_of(st.none(), st.builds(Ratio, st.floats(0, 1e3), st.sampled_from([0.0, 1.0])))
Row = tuple[str, tuple[Value, Value, Value, Value]]
episodes = st.lists(st.tuples(st.sampled_from("abcdefghij"), st.tuples(shares, marks, ratios, prices)))


def plain(rows: Sequence[Row], at: int) -> Estimate:
    """One measure, computed from all its values at once."""
    values = [(case, row[at]) for case, row in rows]
    scored = [(case, one) for case, one in values if one is not None and one is not NOTHING]
    cases = sorted({case for case, _ in scored})
    parts, wholes = np.zeros(len(cases)), np.zeros(len(cases))
    for case, one in scored:
        part, whole = one if isinstance(one, Ratio) else (one, 1.0)
        parts[cases.index(case)] += part
        wholes[cases.index(case)] += whole
    unscored, how = sum(one is None for _, one in values), MEASURES[at].interval
    if how == "per success":
        return per_success(parts, wholes, unscored)
    found = ratio_interval(parts, wholes, unscored, proportion=how == "proportion")
    return replace(found, n=len(scored))


def summed(rows: Sequence[Row]) -> MeasureSums:
    sums = MeasureSums(MEASURES)
    for case, values in rows:
        sums.add(case, values)
    return sums


def all_plain(rows: Sequence[Row]) -> dict[str, Estimate]:
    return {one.name: plain(rows, at).within(one.least, one.most) for at, one in enumerate(MEASURES)}


@given(episodes)
def test_the_digits_are_those_of_all_values_at_once(rows: list[Row]) -> None:
    assert summed(rows).results() == all_plain(rows)


@given(episodes)
def test_so_they_are_batch_by_batch(rows: list[Row]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure_sums, "_BATCH", 3)
        assert summed(rows).results() == all_plain(rows)


@given(episodes, episodes)
def test_sums_of_two_halves_are_those_of_the_whole(first: list[Row], second: list[Row]) -> None:
    def whole_numbers(rows: list[Row]) -> list[Row]:  # whose sums do not depend on the order
        return [(case, tuple(map(_whole, values))) for case, values in rows]  # type: ignore[misc]

    first, second = whole_numbers(first), whole_numbers(second)
    sums = summed(first)
    sums.join(summed(second))
    assert sums.results() == all_plain([*first, *second])
    sums.add("a", (1.0, 1.0, Ratio(1.0, 2.0), None))
    assert sums.results() == all_plain([*first, *second, ("a", (1.0, 1.0, Ratio(1.0, 2.0), None))])


def _whole(value: Value) -> Value:
    if value is None or value is NOTHING:
        return value
    return Ratio(round(value.part), round(value.whole)) if isinstance(value, Ratio) else float(round(value))


def test_what_is_held_does_not_grow_with_episodes() -> None:
    rows: list[Row] = [(f"case {n}", (1.0, 2.0, Ratio(1.0, 2.0), None)) for n in range(100)]
    held: Callable[[int], int] = lambda times: _bytes(summed(rows * times))  # noqa: E731
    assert held(100) == held(1)


def _bytes(sums: MeasureSums) -> int:
    sums.results()
    assert sums._sums.cases == 100
    assert not sums._rows
    return sums._sums.nbytes
