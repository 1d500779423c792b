"""Examinations asked for by what is to be looked at: "Can I see the rash on your hands?"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from osler.knowledge.body_regions import regions_in
from osler.knowledge.known_tests import meant_test
from osler.knowledge.order_names import SPECIMENS, words
from osler.protocols.consultation.players.held_item import Item
from osler.text.order_reading import BY_HAND, TECHNICAL, names_category

_OF_TESTS: Final = TECHNICAL | SPECIMENS | frozenset("level panel test usual".split())
_HANDS_ON: Final = BY_HAND | frozenset("check show see press open lift bend push pull any".split())
_LUMPS: Final = frozenset("cyst growth lump mass nodule swelling tumor".split())
_RASHES: Final = frozenset("blister lesion papule patch plaque rash".split())


def examined(said: str, items: Sequence[Item]) -> tuple[Item, ...]:
    """The examinations whose results tell most of the body parts and marks to be examined by hand."""
    heard = words(said)
    test = meant_test(said)
    of_tests = not _OF_TESTS.isdisjoint(heard[1:]) or names_category(said)
    if of_tests or _HANDS_ON.isdisjoint(heard) or (test and test.entry and test.entry.kind != "examination"):
        return ()
    bedside = [item for item in items if item.examined and not item.intimate]
    parts = {word for word in heard if word in _RASHES or regions_in([word])}
    parts |= _LUMPS if not _LUMPS.isdisjoint(heard) else set()
    told = {item.id: sum(f" {word} " in item.text for word in parts) for item in bedside}
    most = max(told.values(), default=0)
    return tuple(item for item in bedside if most and told[item.id] == most)
