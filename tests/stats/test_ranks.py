"""Rank intervals: consistent with what was shown pair by pair, and holding the true ranks, ties included."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from osler.stats.paired import Difference, adjusted, paired
from osler.stats.ranks import Rank, ranks, told_apart

SHOWN, UNSURE = Difference(0.3, 0.1, 0.5, 0.001), Difference(0.1, -0.1, 0.3, 0.3)


def test_a_run_comes_after_those_that_are_surely_better() -> None:
    gaps = {(0, 1): SHOWN, (0, 2): SHOWN, (1, 2): UNSURE}
    assert ranks(3, gaps) == [Rank(3, 3, 3), Rank(2, 1, 2), Rank(1, 1, 2)]
    assert ranks(3, gaps, "less") == [Rank(1, 1, 1), Rank(2, 2, 3), Rank(3, 2, 3)]


def test_ties_share_a_rank_and_what_never_met_has_none() -> None:
    even = Difference(0.0, None, None, None)
    assert ranks(2, {(0, 1): even}) == [Rank(1, 1, 2), Rank(1, 1, 2)]
    assert ranks(3, {(0, 1): SHOWN, (0, 2): Difference(), (1, 2): Difference()}) == [
        Rank(2, 2, 3),
        Rank(1, 1, 2),
        Rank(None, None, None),
    ]


def test_many_unscored_show_nothing() -> None:
    assert told_apart(SHOWN)
    assert not told_apart(Difference(0.3, 0.1, 0.5, 0.001, bounds=(-0.5, 0.7)))
    assert not told_apart(Difference(0.3, 0.1, 0.5, 0.01, p_holm=0.06))


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1)), min_size=6, max_size=6))
def test_a_rank_lies_within_its_interval(found: list[tuple[float, float]]) -> None:
    gaps = {
        pair: Difference(value, -1.0, 1.0, p)
        for pair, (value, p) in zip(combinations(range(4), 2), found, strict=True)
    }
    for one in ranks(4, gaps):
        assert one.rank is not None
        assert one.low is not None
        assert one.high is not None
        assert 1 <= one.low <= one.rank <= 4
        assert one.low <= one.high <= 4


def test_the_intervals_hold_every_true_rank_together() -> None:
    """Simulated: five runs, two of them truly even, one close; 40 cases. At least 95 % less chance."""
    random, shares = np.random.default_rng(2024), (0.9, 0.7, 0.7, 0.65, 0.3)
    truth = [1 + sum(other > mine for other in shares) for mine in shares]
    names, held = [str(n) for n in range(40)], 0
    for _ in range(300):
        hard = random.random(40)
        right = [
            np.where(random.random(40) < 0.5, hard < share, random.random(40) < share).astype(np.float64)
            for share in shares
        ]
        pairs = list(combinations(range(5), 2))
        found = adjusted([paired(names, right[i], right[j], share=True) for i, j in pairs])
        got = ranks(5, dict(zip(pairs, found, strict=True)))
        held += all((one.low or 0) <= rank <= (one.high or 0) for one, rank in zip(got, truth, strict=True))
    assert held >= 0.93 * 300
