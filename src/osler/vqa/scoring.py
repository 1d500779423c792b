"""Accuracy from stored answers, read once, in the order of their items.

Unanswered counts as wrong and is counted apart; a fault is unscored. An item that is asked in several orders
is one cluster. Blind and paired figures use the first order alone, so that each item is one pair.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np

from osler.errors import BadInput
from osler.stats.intervals import Estimate, bounds, ratio_interval, wilson
from osler.stats.mcnemar import mcnemar_exact
from osler.stats.paired import Difference, paired
from osler.vqa.answer import Answer
from osler.vqa.item import LETTERS

MOST_SUBJECTS: Final = 300
"""Subjects of one kind that are told apart; the items of further ones are told together."""
FURTHER: Final = "(further ones)"


class Accuracy(NamedTuple):
    """The share of right answers, with the answers it rests on: `found.n` scored and `found.unscored` faults,
    of the scored ones `unanswered`. `chance` is the mean of 1/k; `bounds` stand instead of the share where
    more than 5 % are faults."""

    found: Estimate
    unanswered: int
    chance: float | None
    bounds: tuple[float, float] | None


class Paired(NamedTuple):
    """Two sides on the same items, second minus first: the difference with its interval, the pairs that are
    right on one side alone, and the exact p value of McNemar."""

    difference: Difference
    only_first: int
    only_second: int
    p: float


class Blind(NamedTuple):
    """The items that have pictures: without them, with them, and the second minus the first."""

    blind: Accuracy
    seeing: Accuracy
    paired: Paired


class Consistency(NamedTuple):
    """Over items shown in several orders and scored in each: the share answered with the same option every
    time, and the share right every time."""

    same: Estimate
    right: Estimate


@dataclass
class Figures:
    """All figures of one player. `subjects` are by kind and name, `positions` by the place of the right
    option as shown, `letters` counts the letters given, `unanswered` and `faults` count reasons."""

    accuracy: Accuracy
    items: int
    subjects: dict[str, dict[str, Accuracy]]
    positions: dict[str, Accuracy]
    letters: dict[str, int]
    unanswered: dict[str, int]
    faults: dict[str, int]
    blind: Blind | None = None
    consistency: Consistency | None = None


@dataclass
class _Sums:
    """Right and scored answers by item."""

    right: array[float] = field(default_factory=lambda: array("d"))
    scored: array[float] = field(default_factory=lambda: array("d"))
    unanswered: int = 0
    faults: int = 0
    chance: float = 0.0

    def add(self, answers: Iterable[Answer]) -> None:
        right = scored = 0
        for answer in answers:
            if answer.fault:
                self.faults += 1
                continue
            scored += 1
            right += answer.is_right
            self.unanswered += answer.given is None
            self.chance += 1 / len(answer.shown)
        self.right.append(right)
        self.scored.append(scored)

    def accuracy(self) -> Accuracy:
        right, scored = np.array(self.right, np.float64), np.array(self.scored, np.float64)
        n, total = int(scored.sum()), float(right.sum())
        return Accuracy(
            ratio_interval(right, scored, self.faults, proportion=True),
            self.unanswered,
            round(self.chance / n, 6) if n else None,
            bounds(total, n, self.faults),
        )


@dataclass
class _Pairs:
    """The answers of two sides to the same items: 1 right, 0 wrong, NaN a fault."""

    first: array[float] = field(default_factory=lambda: array("d"))
    second: array[float] = field(default_factory=lambda: array("d"))

    def add(self, first: Answer, second: Answer) -> None:
        self.first.append(_score(first))
        self.second.append(_score(second))

    def paired(self) -> Paired:
        first, second = np.array(self.first, np.float64), np.array(self.second, np.float64)
        one, other = int(((first == 1) & (second == 0)).sum()), int(((first == 0) & (second == 1)).sum())
        names = [f"{at:09d}" for at in range(len(first))]
        p = mcnemar_exact(one, other)
        return Paired(paired(names, first, second, share=True), one, other, round(p, 6))


def _score(answer: Answer) -> float:
    return float("nan") if answer.fault else float(answer.is_right)


def score(answers: Iterable[Answer], *, last: int, rotations: int = 1, blind: bool = False) -> Figures:
    """The figures of the answers to items up to the row `last`, of as many `rotations` and, with `blind`, of
    the arm without pictures."""
    whole, hidden, shown = _Sums(), _Sums(), _Sums()
    subjects: dict[str, dict[str, _Sums]] = {}
    positions: dict[int, _Sums] = {}
    letters, why, faults = Counter[int](), Counter[str](), Counter[str]()
    pairs, turned = _Pairs(), Counter[str]()
    items = 0
    for own in _by_item(answers, last):
        seeing = [answer for answer in own if not answer.blind and answer.rotation < rotations]
        if not seeing:
            continue
        items += 1
        whole.add(seeing)
        for kind, name in seeing[0].subjects:
            named = subjects.setdefault(kind, {})
            named.setdefault(name if name in named or len(named) < MOST_SUBJECTS else FURTHER, _Sums()).add(
                seeing
            )
        for answer in seeing:
            positions.setdefault(answer.right, _Sums()).add([answer])
            if answer.fault:
                faults[answer.fault] += 1
            elif answer.given is None:
                why[answer.why] += 1
            else:
                letters[answer.given] += 1
        if len(seeing) > 1 and not any(answer.fault for answer in seeing):
            turned["items"] += 1
            given = {None if answer.given is None else answer.shown[answer.given] for answer in seeing}
            turned["same"] += len(given) == 1 and None not in given
            turned["right"] += all(answer.is_right for answer in seeing)
        unseen = next((answer for answer in own if answer.blind), None)
        if blind and unseen is not None:
            hidden.add([unseen])
            shown.add(seeing[:1])
            pairs.add(unseen, seeing[0])
    return Figures(
        accuracy=whole.accuracy(),
        items=items,
        subjects={
            kind: {name: named[name].accuracy() for name in sorted(named)} for kind, named in subjects.items()
        },
        positions={LETTERS[at]: positions[at].accuracy() for at in sorted(positions)},
        letters={LETTERS[at]: letters[at] for at in sorted(letters)},
        unanswered=dict(why.most_common()),
        faults=dict(faults.most_common()),
        blind=Blind(hidden.accuracy(), shown.accuracy(), pairs.paired()) if pairs.first else None,
        consistency=_consistency(turned) if rotations > 1 else None,
    )


def compare(first: Iterable[Answer], second: Iterable[Answer], *, last: int, missing: str) -> Paired:
    """Compare two players on the items up to the row `last`, each in its first order; `first` minus `second`
    is reported as second minus first of the pair. `missing` names whoever lacks an item. Raises BadInput
    where the two did not answer the same items."""
    pairs = _Pairs()
    other = _first_orders(second, last)
    for answer in _first_orders(first, last):
        beside = next(other, None)
        if beside is None or beside.row != answer.row:
            raise BadInput(
                f"row {answer.row} is not answered there",
                where=missing,
                hint="answer the same items first",
            )
        if beside.key != answer.key:
            raise BadInput(f"row {answer.row} was another question there", where=missing)
        pairs.add(beside, answer)
    return pairs.paired()


def _by_item(answers: Iterable[Answer], last: int) -> Iterator[list[Answer]]:
    for row, own in groupby(answers, key=lambda answer: answer.row):
        if row <= last:
            yield list(own)


def _first_orders(answers: Iterable[Answer], last: int) -> Iterator[Answer]:
    for own in _by_item(answers, last):
        yield from (answer for answer in own if not answer.blind and answer.rotation == 0)


def _consistency(turned: Counter[str]) -> Consistency:
    n = turned["items"]
    return Consistency(wilson(turned["same"], n), wilson(turned["right"], n))
