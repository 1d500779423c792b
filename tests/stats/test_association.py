"""Cramér's V: against values worked out by hand, and against what chance brings."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.stats.association import association


def table(counts: list[list[int]]) -> tuple[list[str], list[str]]:
    """Labels of people who fall into a table like this."""
    pairs = [(f"r{r}", f"c{c}") for r, row in enumerate(counts) for c, n in enumerate(row) for _ in range(n)]
    return [row for row, _ in pairs], [column for _, column in pairs]


@pytest.mark.parametrize(
    ("counts", "raw", "corrected"),
    [
        ([[10, 0], [0, 10]], 1.0, 1.0),
        ([[5, 5], [5, 5]], 0.0, 0.0),
        # phi squared .36; minus 1/19 is .307368; over 18/19 is .324444; its root .569600
        ([[8, 2], [2, 8]], 0.6, 0.5696),
        # chi squared 16 of n 24, phi squared .666667; minus 2/23 is .579710; over 22/23 is .606061
        ([[8, 0], [4, 4], [0, 8]], 0.816497, 0.778499),
    ],
)
def test_values_worked_out_by_hand(counts: list[list[int]], raw: float, corrected: float) -> None:
    found = association(*table(counts))
    assert found.raw == pytest.approx(raw, abs=1e-5)
    assert found.v == pytest.approx(corrected, abs=1e-4)


def test_many_kinds_among_few_look_associated_only_without_the_correction() -> None:
    chance = Random(4)
    for _ in range(5):
        first = [str(chance.randrange(60)) for _ in range(300)]
        second = [str(chance.randrange(8)) for _ in range(300)]
        found = association(first, second)
        assert found.raw is not None
        assert found.v is not None
        assert found.raw > 0.3
        assert found.v < 0.13


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=40))
def test_it_is_a_share_symmetric_and_the_same_every_time(pairs: list[tuple[str, str]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    found, turned = association(first, second), association(second, first)
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert found.v is None
        assert found.raw is None
        return
    assert found.v is not None
    assert found.raw is not None
    assert 0 <= found.v <= 1.000001
    assert 0 <= found.raw <= 1.000001
    assert (turned.v, turned.raw) == pytest.approx((found.v, found.raw), abs=1e-6)
    assert association(first, second) == found


def test_labels_must_be_of_the_same_people() -> None:
    with pytest.raises(ValueError, match="same people"):
        association(["a"], [])
