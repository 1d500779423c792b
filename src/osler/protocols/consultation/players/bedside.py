"""Examinations asked for in plain sentences: "Tap over the loins", "Can I see the rash on your hands?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from osler.knowledge.body_regions import regions_in
from osler.knowledge.known_tests import examinations_meant, meant_test
from osler.knowledge.order_names import SPECIMENS, words
from osler.protocols.consultation.players.held_item import Item
from osler.protocols.consultation.players.held_results import contains_it, is_it
from osler.text.order_reading import TECHNICAL, names_category, reading

_OF_TESTS: Final = TECHNICAL | SPECIMENS | frozenset("level panel test usual".split())
_REMARK: Final = re.compile(r"[:?!;]|\s[-–—]\s")
_LUMPS: Final = frozenset("cyst growth lump mass nodule swelling tumor".split())
_RASHES: Final = frozenset("blister lesion papule patch plaque rash".split())


def examined(said: str, items: Sequence[Item]) -> tuple[str | None, tuple[Item, ...]]:
    """The examination meant by a plain sentence, and the findings that have it; nothing for other orders."""
    heard = words(said)
    if not _OF_TESTS.isdisjoint(heard[1:] if heard[:1] == ["test"] else heard) or names_category(said):
        return None, ()
    test = meant_test(said)
    if test and test.entry and test.entry.kind != "examination":
        return None, ()
    # "Feel the lump: is it tethered to the skin?" begins with what to examine.
    for text in (_REMARK.split(said)[0], said):
        name, found = _found(words(text), items)
        if found:
            return name, found
    return None, ()


def _found(heard: Sequence[str], items: Sequence[Item]) -> tuple[str | None, tuple[Item, ...]]:
    meant = examinations_meant(heard)
    bedside = [item for item in items if item.examined and not item.intimate]
    for one in meant:
        order = reading(one.name)
        every = items if one.entry and one.entry.intimate else bedside
        for rule in (is_it, contains_it):
            if found := tuple(item for item in every if item.examined and rule(order, item)):
                return one.name, found
    parts = {word for word in heard if regions_in([word])} | (_LUMPS if _LUMPS & set(heard) else set())
    parts |= _RASHES & set(heard)
    told = {item.id: sum(f" {word} " in item.text for word in parts) for item in bedside}
    most = max(told.values(), default=0)
    found = tuple(item for item in bedside if most and told[item.id] == most)
    return (meant[0].name if meant else None), found
