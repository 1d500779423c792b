"""The catalogue: what can be ordered by name, one list, the same for every case, so that it hints at nothing.

It is the formulary with its groups of tests opened: beside "Aldosterone and renin" stand both of them.
Pictures and examinations stay together, since "MRI of the abdomen" shows what "MRI adrenals" asks for. A few
things that no tariff has, such as old notes, come last.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from osler.knowledge.formulary import Entry, formulary
from osler.knowledge.known_tests import named_test

RECORDS: Final = "Medical records"
_WITHOUT_TARIFF: Final = (
    RECORDS,
    "Medication review",
    "Safeguarding information check",
    "Placental growth factor",
    "Temporal artery ultrasound",
    "X-ray of the orbits",
    "Photograph",
)


class Listed(NamedTuple):
    """A name of the catalogue with its other names, and the formulary's entry that it is charged as."""

    name: str
    also: tuple[str, ...]
    entry: Entry


@lru_cache(maxsize=1)
def listed() -> tuple[Listed, ...]:
    """The catalogue in the order of the formulary, the members of a group after the group."""
    listeds: dict[str, Listed] = {}
    for entry in formulary():
        own: list[str] = []
        others: dict[str, list[str]] = {}
        for name in entry.aliases:
            test = named_test(name)
            if entry.kind != "test" or test is None or test.name == entry.name:
                own.append(name)
            else:
                others.setdefault(test.name, []).append(name)
        listeds.setdefault(entry.name, Listed(entry.name, tuple(own), entry))
        for name, also in others.items():
            listeds.setdefault(name, Listed(name, tuple(one for one in also if one != name), entry))
    return tuple(listeds.values())


@lru_cache(maxsize=1)
def catalogue() -> tuple[str, ...]:
    """The names of the catalogue."""
    return (*(one.name for one in listed()), *_WITHOUT_TARIFF)
