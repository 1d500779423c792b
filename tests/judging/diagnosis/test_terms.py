"""The physicians' vocabulary as a whole: it is written by several hands, and must stay of one piece."""

from __future__ import annotations

from collections import Counter

from osler.judging.diagnosis.concepts import data, entries, graph, normal


def test_no_name_belongs_to_two_conditions() -> None:
    """A name that an earlier condition has already would be dropped without a word."""
    known = graph()
    lost = [
        (name, one.names[0], known.first[known.ids[normal(name)]])
        for one in entries()
        for name in one.names
        if known.ids[normal(name)] != known.ids[normal(one.names[0])]
    ]
    assert lost == []


def test_no_condition_is_broader_than_its_own_broader_one() -> None:
    known = graph()
    rings = [
        (known.first[number], known.first[above])
        for number, every in enumerate(known.above)
        for above in every
        if number < above and number in known.above[above]
    ]
    assert rings == []


def test_every_heading_is_used_once() -> None:
    """YAML would keep only the last of two blocks with the same heading."""
    headings = [line.split(":")[0] for line in data().splitlines() if line and line[0] not in " #"]
    assert [name for name, count in Counter(headings).items() if count > 1] == []
