"""Sets of episodes in words."""

from __future__ import annotations

import pytest

from osler.store.records import Ordinals


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((), ""),
        ((5,), "5"),
        ((0, 1, 2), "0 to 2"),
        ((0, 2, 3, 9), "0, 2 to 3, 9"),
        ((0, 2, 4, 6, 8, 10), "0, 2, 4, 6, 8, ..."),
    ],
)
def test_stretches_are_short_and_whole(numbers: tuple[int, ...], words: str) -> None:
    held = Ordinals()
    for number in numbers:
        held.add(number)
    assert held.stretches() == words
