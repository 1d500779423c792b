"""Splits by cluster of cases: what is nearly the same case is in one split, whatever is added later.

Two cases belong together if they share a passage (five different runs of eight words, as twelve copied words
in a row have), if half of all their runs are the same, or if they show the same picture. Stock phrases
(`osler.training.stock`) and runs of numerals do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np

from osler.errors import BadInput
from osler.training.likeness import Near, runs, shared
from osler.training.stock import stock_runs

PASSAGE: Final = 5
"""Runs of eight words from which two texts count as sharing a passage."""
ALIKE: Final = 0.5
"""Share of common runs from which two cases are nearly the same."""
LARGE: Final = 10
"""Cases above which a cluster that would fill a whole split is for training."""
TRAIN, VALIDATION, TEST = "train", "validation", "test"
SPLITS: Final = (TRAIN, VALIDATION, TEST)


class CaseText(NamedTuple):
    """One case as far as clusters need it: its runs of words, and the SHA-256 of its pictures."""

    hash: str
    id: str
    runs: frozenset[int]
    pictures: frozenset[str] = frozenset()


class Tie(NamedTuple):
    """Two cases that belong together, and why."""

    one: str
    other: str
    why: str


def case_text(case_hash: str, case_id: str, texts: Iterable[str], pictures: Iterable[str] = ()) -> CaseText:
    """A case by its own words, without stock phrases."""
    return CaseText(case_hash, case_id, runs(texts, stock_runs()), frozenset(pictures))


def ties(cases: Iterable[CaseText]) -> Iterator[Tie]:
    """Yield the pairs of cases that belong together."""
    each = sorted(cases, key=lambda case: case.hash)
    for one, other, count in shared((case.hash, case.runs) for case in each):
        if count >= PASSAGE:
            yield Tie(one, other, f"they share {count} runs of eight words")
    near = Near(ALIKE)
    for case in each:
        result = np.array(sorted(case.runs), dtype=np.uint64)
        if not len(result):
            continue
        if (like := near.find(case.hash, result)) is not None:
            yield Tie(str(like), case.hash, "most of their runs of eight words are the same")
        near.add(case.hash, case.hash, result)
    first = dict[str, str]()
    for case in each:
        for picture in sorted(case.pictures):
            other = first.setdefault(picture, case.hash)
            if other != case.hash:
                yield Tie(other, case.hash, f"they show the same picture {picture[:12]}")


def clusters(cases: Iterable[CaseText], more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The cluster of each case by content hash: the least hash in it. `more` are clusters that a protocol
    knows of."""
    each = list(cases)
    parent = {case.hash: case.hash for case in each}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    def join(one: str, other: str) -> None:
        first, second = sorted((root(one), root(other)))
        parent[second] = first

    for tie in ties(each):
        join(tie.one, tie.other)
    known = dict[str, str]()
    for name, cluster in sorted((more or {}).items()):
        if name in parent:
            join(known.setdefault(cluster, name), name)
    return {name: root(name) for name in sorted(parent)}


class Shares(NamedTuple):
    """The shares of the clusters for validation and for test; the rest is for training."""

    validation: float = 0.1
    test: float = 0.1

    def checked(self) -> Shares:
        """Raise BadInput for shares that leave nothing for training."""
        if not (min(self) >= 0 and sum(self) < 1):  # so that NaN is refused, too
            raise BadInput(
                f"validation {self.validation:g} and test {self.test:g} leave nothing for training",
                where="--validation, --test",
                hint="give shares from 0 that are less than 1 together",
            )
        return self


def splits(clusters: Mapping[str, str], shares: Shares) -> dict[str, str]:
    """The split of each case, by the cluster of each. A large cluster that alone exceeds the share of its
    split is for training: held out, it would leave little to learn from, and test one case many times."""
    sizes = Counter(clusters.values())
    most = {TEST: shares.test * len(clusters), VALIDATION: shares.validation * len(clusters)}
    result = dict[str, str]()
    for case, cluster in clusters.items():
        split = split_of(cluster, shares)
        large = split != TRAIN and sizes[cluster] > max(LARGE, most[split])
        result[case] = TRAIN if large else split
    return result


def split_of(cluster: str, shares: Shares) -> str:
    """The split of a cluster: by its hash, so that it stays where it is when other cases are added."""
    place = int.from_bytes(blake2b(f"split\x1f{cluster}".encode(), digest_size=8).digest()) / 2**64
    if place < shares.test:
        return TEST
    return VALIDATION if place < shares.test + shares.validation else TRAIN
