"""Clusters of dependent rubrics: from the same source case, or with at least half of their items in common.

A confidence interval that treats such rubrics as independent is too narrow, so they form one cluster.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from osler.cases.rubrics.model import Rubric

ALIKE: Final = 0.5
_PART: Final = re.compile(r"^(mededportal_\d+)_\d+$|^(mep[-_].+)-s\d+$")
_WORD: Final = re.compile(r"[^\W_]+")


class Pair(NamedTuple):
    """Two rubrics, by index, and the share of items they have in common (Jaccard)."""

    one: int
    other: int
    alike: float


def source_case(case_id: str) -> str:
    """The publication a case comes from: the same for `mededportal_9400_1` and `mededportal_9400_2`."""
    match = _PART.match(case_id)
    return (match[1] or match[2]) if match else case_id


def alike(rubrics: Iterable[Rubric]) -> list[Pair]:
    """Pairs that share at least half of their items, ignoring case, spacing, punctuation and numbering."""
    counts = [Counter(_folded(item.text) for item in rubric.items) for rubric in rubrics]
    owners: dict[str, list[int]] = defaultdict(list)
    for place, held in enumerate(counts):
        for text in held:
            owners[text].append(place)
    shared: Counter[tuple[int, int]] = Counter()
    for text, places in owners.items():
        for at, one in enumerate(places):
            for other in places[at + 1 :]:
                shared[one, other] += min(counts[one][text], counts[other][text])
    pairs = []
    for (one, other), both in sorted(shared.items()):
        share = both / (counts[one].total() + counts[other].total() - both)
        if share >= ALIKE:
            pairs.append(Pair(one, other, round(share, 4)))
    return pairs


def clusters(rubrics: Iterable[Rubric]) -> dict[str, str]:
    """The cluster name of each rubric's key: the first key in the cluster."""
    held = list(rubrics)
    parent = list(range(len(held)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for one, other in _joined(held):
        parent[root(one)] = root(other)
    members: Mapping[int, list[str]] = defaultdict(list)
    for place, rubric in enumerate(held):
        members[root(place)].append(rubric.key)
    return {key: min(keys) for keys in members.values() for key in keys}


def _joined(rubrics: list[Rubric]) -> Iterator[tuple[int, int]]:
    first: dict[str, int] = {}
    for place, rubric in enumerate(rubrics):
        yield place, first.setdefault(source_case(rubric.case_id), place)
    yield from ((pair.one, pair.other) for pair in alike(rubrics))


def _folded(text: str) -> str:
    words = _WORD.findall(text.casefold())
    numbered = len(words) > 1 and words[0].isdecimal()
    return " ".join(words[1:] if numbered else words)
