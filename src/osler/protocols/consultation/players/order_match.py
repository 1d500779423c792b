"""Which findings of a case an order in ordinary words asks for: a learned match of what is said to each.

What is said comes in units: a test that is named, which the rules of `held_results` compare with each
finding, or a segment without a name, which is compared with wordings of tests by the sentence encoder and by
words, and with the finding's own names. Each pair has a few features; a logistic regression gives the odds
that the finding is ordered, and those of a finding are the best over all units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from osler.knowledge.body_regions import overlap, regions_in
from osler.knowledge.known_tests import parts_of
from osler.knowledge.order_names import words
from osler.protocols.consultation.players.held_item import AGAIN, IndexedFinding, modalities
from osler.protocols.consultation.players.held_results import (
    contains_it,
    is_it,
    reveals_it,
    same_side,
    shows_it,
)
from osler.reading.encoder import vector
from osler.reading.order_bank import Array, Bank
from osler.reading.order_parts import OrderPart, telling
from osler.text.order_reading import BY_HAND, TECHNICAL, Reading, reading

_BY_HAND: Final = BY_HAND | frozenset(
    "bend breathe check close examine feel follow hear hold lift open push raise see show squeeze stand "
    "stroke turn walk".split()
)
_RELATIONS: Final[tuple[Callable[[Reading, IndexedFinding, Sequence[IndexedFinding]], bool], ...]] = (
    lambda order, item, _: is_it(order, item),
    lambda order, item, _: contains_it(order, item),
    shows_it,
    lambda order, item, _: reveals_it(order, item),
)
NAMED: Final = ("own", "is", "contains", "shows", "reveals", "others", "once", "key", "key_other")
REST: Final = (
    "rest near near_all near_all+ near_held near_held+ high alike alike_all alike_held alike_held+ cover "
    "precise cover_ahead text by_hand technical beside beside_near whole lone short named_too of_blood "
    "company strange as_is as_contains as_shows around_near around_alike"
).split()
FEATURES: Final = (*NAMED, *REST)
_AT: Final = {name: at for at, name in enumerate(FEATURES)}
HANDS_ON: Final = frozenset("auscultate feel listen palpate percuss squeeze stethoscope".split())
_WIDE: Final = 0.3
_BLOOD: Final = frozenset("blood bloods lab laboratory level panel test sample".split())


class Unit(NamedTuple):
    """A named test or a segment: its words, the features of every finding, a row each (only noughts where it
    cannot be meant), whether it is a name, and whether it is what is left beside one."""

    text: str
    rows: Array
    named: bool = False
    beside: bool = False


class OrderBank:
    """The findings of a case before a bank of wordings."""

    def __init__(self, items: Sequence[IndexedFinding], bank: Bank) -> None:
        self.items, self.bank = tuple(items), bank

    @cached_property
    def meant(self) -> npt.NDArray[np.bool_]:
        """For each finding, which names of the bank mean it or a part of it."""
        orders = [reading(name) for name in self.bank.names]
        return np.array([[_means(order, item) for order in orders] for item in self.items])

    @cached_property
    def names(self) -> tuple[tuple[frozenset[str], ...], ...]:
        """The telling words of each finding's names."""
        return tuple(
            tuple(filter(None, [telling(item.name), *(telling(key) for key in sorted(item.keys))]))
            for item in self.items
        )


def _means(order: Reading, item: IndexedFinding) -> bool:
    if order.key == item.key:
        return True
    return order.test is not None and (is_it(order, item) or contains_it(order, item))


def units(part: OrderPart, bank: OrderBank, without: npt.NDArray[np.bool_] | None = None) -> list[Unit]:
    """The units of a sentence; `without` leaves wordings of the bank out."""
    result = [
        Unit(name.text, _of_name(name.text, part.text, bank), True) for name in part.named if not name.negated
    ]
    kinds = {kind for name in part.named if (kind := _kind_of(name.text))}
    segments = [(text, beside, False) for text, beside in part.rest]
    if len(segments) > 1 and not part.named:
        segments.append((part.text, False, True))
    around = _around(part.text, bank, without) if len(segments) > 1 or part.named else None
    for text, beside, whole in segments:
        rows = _of_segment(text if len(segments) > 1 or beside else part.text, bank, without)
        possible = rows[:, _AT["rest"]]
        rows[:, _AT["beside"]] = beside * possible
        rows[:, _AT["beside_near"]] = beside * rows[:, _AT["near_held"]]
        rows[:, _AT["whole"]] = whole * possible
        rows[:, _AT["lone"]] = (len(segments) == 1) * possible
        rows[:, _AT["named_too"]] = bool(part.named) * possible
        among = np.array([item.kind in kinds for item in bank.items])
        rows[:, _AT["company"]] = among * possible
        rows[:, _AT["strange"]] = (bool(kinds) & ~among) * possible
        if around is not None and not whole:
            rows[:, _AT["around_near"]], rows[:, _AT["around_alike"]] = around * possible
        result.append(Unit(text, rows, beside=beside))
    return result


def _around(text: str, bank: OrderBank, without: npt.NDArray[np.bool_] | None) -> Array:
    """Return each finding's lead over the others, judged by the whole sentence around a segment."""
    near = _compared(bank.bank.near(vector(text), without), bank.meant)[2]
    return np.array([near, _compared(bank.bank.alike(text, without), bank.meant)[2]])


def _of_name(name: str, around: str, bank: OrderBank) -> Array:
    rows = np.zeros((len(bank.items), len(FEATURES)), dtype=np.float32)
    relation, items = asked_for(name, bank.items)
    again = not AGAIN.isdisjoint(words(around))
    twice = any(item.again for item in items)
    key = reading(name).key
    keyed = any(key in item.keys for item in items)
    for at, item in enumerate(bank.items):
        if item in items:
            rows[at, _AT["key"]] = key in item.keys
            rows[at, _AT["key_other"]] = keyed and key not in item.keys
            rows[at, relation] = 1
            rows[at, _AT["others"]] = min(len(items) - 1, 3)
            rows[at, _AT["once"]] = twice and item.again != again
    return rows


def asked_for(name: str, items: Sequence[IndexedFinding]) -> tuple[int, tuple[IndexedFinding, ...]]:
    """The findings that the name of a test asks for, and the number of the relation in which they stand: 0
    their own name, then as in `_RELATIONS`."""
    order = reading(name)
    if own := tuple(item for item in items if item.key == order.key and not order.general):
        return 0, own
    by_hand = order.test and order.test.entry and order.test.entry.kind == "examination"
    # A smear of the skin is not answered by how the skin looks.
    technical = not by_hand and not TECHNICAL.isdisjoint(words(name))
    open_to = [item for item in items if not (technical and item.examined)]
    for at, relation in enumerate(_RELATIONS, 1):
        if result := tuple(item for item in open_to if relation(order, item, items)):
            findings = tuple(item for item in result if item.again or _is_named(order, item))
            return at, findings or result
    return 0, ()


def _is_named(order: Reading, item: IndexedFinding) -> bool:
    """Whether a name of the finding is what is ordered, or its own name a part of it, or nobody's."""
    test, own = order.test, item.named.test
    if own is None or order.key in item.keys:
        return True
    return test is not None and own.name in parts_of(test.name) | {test.name}


def _may_mean(order: Reading, item: IndexedFinding) -> bool:
    """Whether what is said, which names no test, may mean a finding: a category of tests means none; side,
    means of a picture and part of the body must agree; by hand and ear only an examination is done."""
    if order.general or not same_side(order, item):
        return False
    if item.examined:
        return True
    if not HANDS_ON.isdisjoint(order.words):
        return False
    means = modalities(order.words)
    if means and item.pictures and means.isdisjoint(item.pictures | {"any"}) and item.pictures != {"any"}:
        return False
    pictured = bool(item.pictures and order.regions and item.regions)
    return not pictured or overlap(order.regions, item.regions)


def _of_segment(text: str, bank: OrderBank, without: npt.NDArray[np.bool_] | None) -> Array:
    said, content = words(text), telling(text)
    rows = np.zeros((len(bank.items), len(FEATURES)), dtype=np.float32)
    near, near_all, near_held = _compared(bank.bank.near(vector(text), without), bank.meant)
    alike, alike_all, alike_held = _compared(bank.bank.alike(text, without), bank.meant)
    cover = np.array([_cover(names, content) for names in bank.names], dtype=np.float32)
    ahead = cover[:, 0] - np.array([_most_besides(cover[:, 0], at) for at in range(len(cover))])
    by_hand = not _BY_HAND.isdisjoint(said)
    technical = not TECHNICAL.isdisjoint(said)
    places = {word for word in said if regions_in([word])}
    examined = np.array([item.examined for item in bank.items], dtype=np.float32)
    columns: dict[str, npt.ArrayLike] = {
        "rest": 1,
        "near": near,
        "near_all": near_all,
        "near_all+": np.maximum(near_all, 0),
        "near_held": near_held,
        "near_held+": np.maximum(near_held, 0),
        "high": np.maximum(near - 0.6, 0),
        "alike": alike,
        "alike_all": alike_all,
        "alike_held": alike_held,
        "alike_held+": np.maximum(alike_held, 0),
        "cover": cover[:, 0],
        "precise": cover[:, 1],
        "cover_ahead": ahead,
        "text": [
            sum(f" {word} " in item.text for word in places) / len(places) if item.examined and places else 0
            for item in bank.items
        ],
        "by_hand": by_hand * (2 * examined - 1),
        "technical": technical * examined,
        "short": len(content) <= 2,
        "of_blood": (not _BLOOD.isdisjoint(said)) * np.array([item.kind == "test" for item in bank.items]),
    }
    for name, column in columns.items():
        rows[:, _AT[name]] = np.asarray(column, dtype=np.float32)
    order = reading(text)
    relation, findings = asked_for(text, bank.items)
    as_name = _AT[("as_is", "as_is", "as_contains", "as_shows", "as_shows")[relation]]
    rows[[item in findings for item in bank.items], as_name] = 1
    rows[[not _may_mean(order, item) for item in bank.items]] = 0
    return rows


def _kind_of(name: str) -> str:
    test = reading(name).test
    return test.entry.kind if test and test.entry else ""


def _compared(best: Array, meant: npt.NDArray[np.bool_]) -> tuple[Array, Array, Array]:
    """The likeness of each finding, and how far it is ahead of names that do not mean it and of others."""
    own = np.where(meant, best, 0).max(1)
    others = np.where(meant, 0, best).max(1)
    rivals = np.array([_most_besides(own, at) for at in range(len(own))], dtype=np.float32)
    return own, np.clip(own - others, -_WIDE, _WIDE), np.clip(own - rivals, -_WIDE, _WIDE)


def _most_besides(values: Array, at: int) -> float:
    return float(max((value for n, value in enumerate(values) if n != at), default=0.0))


def _cover(names: Sequence[frozenset[str]], said: frozenset[str]) -> tuple[float, float]:
    """Return the share of a name that is said, and of the words said that are in it, for the best name."""
    shares = ((len(name & said) / len(name), len(name & said) / max(1, len(said))) for name in names)
    return max(shares, key=lambda share: share[0] * share[1], default=(0.0, 0.0))
