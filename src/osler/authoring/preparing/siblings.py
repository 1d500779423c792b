"""Sibling questions: another, made-up person with the same disease, so that learning can be told from memory.

Only where the built-in knowledge holds the disease; it is approximate, and so are these people.
"""

from __future__ import annotations

from random import Random
from typing import Final

from osler.cases.generator.making import another
from osler.cases.model import Case, Sibling
from osler.cases.teaching import answer_of, names_the_answer
from osler.knowledge.conditions import knowledge

WANTED: Final = 2
_MOST_TOLD: Final = 3
_OPTIONS: Final = "ABCD"


def siblings(case: Case, steps: int) -> tuple[Sibling, ...]:
    """Two questions on the case's diagnosis, tied to the step that concludes; none where that is unknown."""
    name = case.diagnosis.name if case.diagnosis is not None else answer_of(case)
    found = (_sibling(name, f"{case.id}/sibling/{n}", max(0, steps - 1)) for n in range(WANTED))
    return tuple(sibling for sibling in found if sibling is not None)


def _sibling(name: str, seed: str, step: int) -> Sibling | None:
    made = another(knowledge(), name, seed)
    if made is None or made.diagnosis is None:
        return None
    right = made.diagnosis.name
    others = [other.name for other in made.diagnosis.alternatives][: len(_OPTIONS) - 1]
    if not others:
        return None
    choices = [right, *others]
    Random(seed).shuffle(choices)  # noqa: S311 - simulation, not secrecy
    options = dict(zip(_OPTIONS, choices, strict=False))
    letter = next(key for key, choice in options.items() if choice == right)
    return Sibling(stem=_stem(made), options=options, answer=letter, step=step)


def _stem(made: Case) -> str:
    """What is told of the other person; a test that is called after the disease is left out."""
    facts = [fact.text for fact in made.facts if fact.key][:_MOST_TOLD]
    results = [f"{finding.name}: {finding.result}" for finding in made.findings if finding.key][:_MOST_TOLD]
    told = [text for text in (*facts, *results) if not names_the_answer(made, text)]
    return " ".join((made.opening.door_note, *told, made.task.question))
