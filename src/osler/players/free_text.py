"""Recognition of the facts that free text reveals: by the findings it mentions, and by shared words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from osler.knowledge.reading import mentions
from osler.players.baseline.weighing import APART, known, telling
from osler.seats.patient import PatientView

_SENTENCE: Final = re.compile(r"[.!?;\n]+")


def facts_told(answer: str, view: PatientView) -> tuple[str, ...]:
    """The ids of the facts that free text reveals: it mentions their findings, or a sentence is made up of
    their words."""
    said = mentions(answer)
    sentences = [words for part in _SENTENCE.split(answer) if len(words := telling(part)) > 1]
    there = [known(fact) for fact in view.facts]
    most = [max((len(words & fact.words) for fact in there), default=0) for words in sentences]
    return tuple(
        fact.id
        for fact, held in zip(view.facts, there, strict=True)
        if any(
            len(shared := words & held.words) == best and _is_made_of(words, shared)
            for words, best in zip(sentences, most, strict=True)
        )
        or (fact.topic not in APART and (meant := mentions(fact.text)) and _mentions_it(said, meant))
    )


def _mentions_it(said: Mapping[str, bool], meant: Mapping[str, bool]) -> bool:
    """Whether the text states all findings of a fact; for a fact of denials only, one of them is enough."""
    if any(meant.values()):
        return all(said.get(finding) == present for finding, present in meant.items())
    return any(said.get(finding) is False for finding in meant)


def _is_made_of(words: frozenset[str], shared: frozenset[str]) -> bool:
    """Whether enough of a sentence's content words are in a fact: two thirds of few, half of many."""
    return len(shared) >= (2 if len(shared) * 3 >= len(words) * 2 else 3) and len(shared) * 2 >= len(words)
