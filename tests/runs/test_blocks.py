"""A run cut into blocks, and cases that are read once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.file_source import FileSource
from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.runs import cached_source as kept
from osler.runs.batch import MOST, Blocks
from osler.runs.cached_source import KeptSource
from osler.store.records import Ordinals

SMALL = Path(__file__).parents[1] / "fixtures" / "agentclinic_small.jsonl"


def covered(blocks: list[tuple[int, int]]) -> list[int]:
    return [ordinal for first, last in blocks for ordinal in range(first, last + 1)]


@given(st.lists(st.integers(1, 900), min_size=1, max_size=5), st.integers(0, 50))
def test_blocks_hold_every_episode_once_and_no_other(lengths: list[int], gap: int) -> None:
    stretches, begin = [], 0
    for length in lengths:
        stretches.append(range(begin, begin + length))
        begin += length + gap
    blocks = list(Blocks(stretches).not_done(Ordinals()))
    assert covered(blocks) == [ordinal for stretch in stretches for ordinal in stretch]
    assert max(last - first for first, last in blocks) < MOST


@given(st.sets(st.integers(0, 99)))
def test_only_blocks_that_are_wholly_done_are_left_out(done: set[int]) -> None:
    marks = Ordinals()
    for ordinal in done:
        marks.add(ordinal)
    left = list(Blocks([range(100)]).not_done(marks))
    assert set(range(100)) - done <= set(covered(left))
    assert all(set(range(first, last + 1)) - done for first, last in left)


def test_a_search_goes_on_after_what_it_found_and_comes_round() -> None:
    blocks = Blocks([range(6)])
    found = [next(blocks.not_done(Ordinals())) for _ in range(8)]
    assert [first for first, _ in found] == [0, 1, 2, 3, 4, 5, 0, 1]


class Counted(FileSource[Case]):
    """A source that counts how often it is read from the start."""

    passes = 0

    def __iter__(self) -> Iterator[Case]:
        self.passes += 1
        return super().__iter__()


def counted() -> Counted:
    source = open_source(str(SMALL))
    assert isinstance(source, FileSource)
    return Counted(source.label, source.parts, in_folder=False)


def test_few_cases_are_read_once() -> None:
    inner = counted()
    source = KeptSource(inner)
    first = list(source)
    assert list(source) == first == [source.get(index) for index in range(len(first))]
    assert inner.passes == 1
    assert source.report is not None
    assert source.fingerprint == inner.fingerprint


def test_many_cases_are_streamed_and_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 2)
    inner = counted()
    source = KeptSource(inner)
    first = list(source)
    assert len(first) > 2
    assert [source.get(index) for index in range(len(first))] == first
    assert inner.passes == 2
