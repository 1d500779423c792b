"""The controls beside a curve: leak, length, and the shuffled reward."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.training.reward.controls import controls, correlation, shuffled
from osler.training.reward.score import Score, without_score

TOTALS = st.lists(st.none() | st.floats(-20, 20), max_size=40)


@given(TOTALS, st.text(max_size=5))
def test_a_shuffled_reward_has_the_same_values_and_the_same_gaps(
    totals: list[float | None], key: str
) -> None:
    found = shuffled(totals, key)
    assert sorted(str(one) for one in found) == sorted(str(one) for one in totals)
    assert [one is None for one in found] == [one is None for one in totals]
    assert found == shuffled(totals, key), "the same key shuffles alike"


def test_no_sample_keeps_its_own_reward() -> None:
    totals: list[float | None] = [float(n) for n in range(50)]
    found = shuffled(totals, "seed 7 step 3")
    assert all(mine != theirs for mine, theirs in zip(totals, found, strict=True))
    assert found != shuffled(totals, "seed 7 step 4")


def test_a_reward_that_pays_for_length_or_for_the_answer_is_seen() -> None:
    texts = ["word " * n for n in range(1, 21)]
    leaks = [n > 10 for n in range(20)]
    found = controls([Score(float(n)) for n in range(20)], texts, leaks)
    assert found.with_words == pytest.approx(1)
    assert found.with_leak is not None
    assert found.with_leak > 0.8
    assert (found.leak, found.words) == (9 / 20, 10.5)
    assert found.shuffled_words is not None
    assert 0.2 < found.shuffled_words < 0.8, "what 20 turns correlate with by chance"


def test_unscored_turns_count_for_leak_and_length_and_not_for_the_reward() -> None:
    found = controls([Score(1.0), without_score("x")], ["a", "a b c"], [False, True])
    assert (found.n, found.mean, found.leak, found.words) == (2, 1.0, 0.5, 2.0)
    assert found.with_words is None
    with pytest.raises(ValueError, match="1 texts"):
        controls([Score(1.0), Score(1.0)], ["a"], [False, False])


def test_what_does_not_vary_correlates_with_nothing() -> None:
    assert correlation([1, 1, 1], [1, 2, 3]) is None
    assert correlation([], []) is None
