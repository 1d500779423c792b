"""The list of what can be ordered by name: one list, the same for every case, so that it hints at nothing."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import Final

from osler.knowledge.catalogue import listed
from osler.knowledge.formulary import formulary
from osler.web.practise.schemas import Orderable

COMMON: Final = (
    "Vital signs",
    "General examination",
    "Cardiovascular examination",
    "Respiratory examination",
    "Abdominal examination",
    "Neurological examination",
    "Ear, nose and throat examination",
    "Musculoskeletal examination",
    "Skin examination",
    "Mental state examination",
    "Blood tests",
    "Full blood count",
    "Urea and electrolytes",
    "Liver function tests",
    "C-reactive protein",
    "Glucose",
    "Urinalysis",
    "Electrocardiogram",
    "Chest X-ray",
)
"""What is ordered most in general practice and on a ward, offered before anything is written."""


@lru_cache(maxsize=1)
def orderables() -> tuple[Orderable, ...]:
    """The whole catalogue, the commonest first. A member of a panel is found by the panel's names, too, so
    that "bloods" leads to the single tests; a name that means one test leads to that test alone."""
    panels = defaultdict[str, list[str]](list)
    for entry in formulary():
        for part in entry.parts:
            panels[part] += (entry.name, *entry.aliases)
    result = [
        Orderable(
            name=one.name,
            kind=one.entry.kind,
            also=list(one.also),
            within=panels[one.name] if one.name == one.entry.name else [one.entry.name],
            common=one.name in COMMON,
        )
        for one in listed()
    ]
    places = {name: place for place, name in enumerate(COMMON)}
    return tuple(sorted(result, key=lambda one: places.get(one.name, len(COMMON))))
