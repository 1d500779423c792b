"""Latin squares: each condition once in every row and column, and Williams' balance for even numbers."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from osler.stats.latin_square import latin_square

sizes = st.integers(1, 12)
seeds = st.text(max_size=8)


@given(sizes, seeds)
def test_each_condition_comes_once_in_every_row_and_column(size: int, seed: str) -> None:
    square = latin_square(size, seed)
    for line in (*square, *zip(*square, strict=True)):
        assert sorted(line) == list(range(size))


@given(st.integers(1, 6), seeds)
def test_an_even_number_follows_each_other_condition_once(half: int, seed: str) -> None:
    size = 2 * half
    followed = sorted(pair for row in latin_square(size, seed) for pair in pairwise(row))
    assert followed == [(a, b) for a in range(size) for b in range(size) if a != b]


def test_the_seed_decides_the_square() -> None:
    assert latin_square(4, "Monday") == latin_square(4, "Monday")
    assert len({latin_square(4, str(seed)) for seed in range(20)}) > 10
