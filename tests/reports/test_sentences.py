"""A comparison in a sentence says which is better, by how much and how surely, or that nothing was shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from osler.core.measure import count_of, share_of
from osler.reports.sentences import p_value, points, verdict
from osler.stats.paired import Difference

RIGHT = share_of("correct", "right", "share right")
LEAKS = share_of("leak_rate", "leaks", "share of rounds with a leak", "less")
TURNS = count_of("turns", "turns", "turns")
SHOWN = Difference(0.25, 0.148, 0.351, 0.0001, 0.34, 0.59, 214, 107, p_holm=0.0003)
UNSURE = replace(SHOWN, value=-0.02, low=-0.09, high=0.05, p=0.3, p_holm=0.6)


def test_the_better_one_is_named_whatever_the_order() -> None:
    said = verdict(RIGHT, "A", "B", SHOWN, 3)
    assert said == (
        "B is better than A by 25.0 points (95 % interval +14.8 to +35.1, p <0.001 after Holm over 3 pairs)."
    )
    turned = replace(SHOWN, value=-0.25, low=-0.351, high=-0.148)
    one = "A is better than B by 25.0 points (95 % interval +14.8 to +35.1, p <0.001)."
    assert verdict(RIGHT, "A", "B", replace(turned, p_holm=None)) == one
    assert verdict(LEAKS, "A", "B", SHOWN).startswith("A is better than B by 25.0 points")
    assert verdict(TURNS, "A", "B", SHOWN).startswith("B minus A is +0.25 (")


def test_what_is_not_shown_is_not_claimed() -> None:
    assert verdict(RIGHT, "A", "B", UNSURE, 3).startswith(
        "A and B are not told apart: the second minus the first is -2.0 points (95 % interval -9.0 to +5.0"
    )
    nearly = replace(SHOWN, p=0.02, p_holm=0.06)
    assert verdict(RIGHT, "A", "B", nearly, 3).startswith(
        "A and B are not told apart once p is adjusted for all pairs, which their own interval is not: "
    )
    half = replace(SHOWN, unscored=40, bounds=(-0.1, 0.4))
    assert "cannot be told apart fairly: 40 of 254 pairs" in verdict(RIGHT, "A", "B", half)
    same = Difference(0.0, None, None, None, 1.0, 1.0, 4, 4)
    assert verdict(RIGHT, "A", "B", same) == "A and B score the same in every case: 4 pairs of 4 cases."
    assert "share no episode" in verdict(RIGHT, "A", "B", Difference(unscored=3))
    assert "without an interval" in verdict(TURNS, "A", "B", replace(UNSURE, low=None, high=None, p=None))


@pytest.mark.parametrize(
    ("gap", "said"), [(SHOWN, "<0.001"), (UNSURE, "0.600"), (replace(UNSURE, p_holm=None), "0.300")]
)
def test_p_is_the_adjusted_one(gap: Difference, said: str) -> None:
    assert p_value(gap) == said
    assert p_value(replace(gap, bounds=(0.0, 1.0))) == "-"


def test_differences_of_shares_are_points() -> None:
    assert (points(0.25, True), points(-0.25, True), points(None, True)) == ("+25.0", "-25.0", "-")
    assert (points(2.5, False), points(-2.5, False)) == ("+2.5", "-2.5")
