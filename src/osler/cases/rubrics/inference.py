"""Inference of item traits from the wording, by rule. People correct them in a side file."""

from __future__ import annotations

from typing import Final

from osler.cases.rubrics.levels import levels
from osler.cases.rubrics.marks import critical, finding, points
from osler.cases.rubrics.model import COMPETENCIES, Item, Rubric, Traits
from osler.cases.rubrics.polarity import acts, polarity

VERSION: Final = "1"


def infer(rubric: Rubric) -> Rubric:
    """The same rubric with inferred traits."""
    found = {key: level for name in COMPETENCIES for key, level in levels(rubric.of(name)).items()}
    made = []
    for item in rubric.items:
        traits = _traits(item)
        if level := found.get(item.id):
            # The lowest level of a group earns nothing, whatever its wording.
            traits = traits.model_copy(
                update={
                    "group": level.group,
                    "level": level.value,
                    "negative": level.value == 0,
                    "finding": False,
                }
            )
        made.append(traits)
    return rubric.with_traits(made)


def unsure(item: Item) -> bool:
    """Whether the wording leaves an item's polarity open, so that a person should check it."""
    traits = item.traits
    return not polarity(item.text).sure and not traits.group and not traits.finding


def _traits(item: Item) -> Traits:
    read, worth = polarity(item.text), points(item.text)
    taken_off = worth is not None and worth < 0
    told = not read.negative and not taken_off and finding(item.text, acts(item.text))
    return Traits(
        negative=read.negative or taken_off,
        by_absence=read.by_absence and not told,
        critical=critical(item.text),
        finding=told,
        weight=abs(worth) if worth else 1.0,
    )
