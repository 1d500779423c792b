"""What a person's own words tell of the case, in the patient's seat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from osler.protocols.shared.patient import PatientFact, PatientView, contradicted_by, stated
from osler.protocols.shared.players.weighing import APART, known, telling
from osler.text.contradiction import DENIES, answers
from osler.text.findings_in_text import mentions
from osler.text.tokens import lowered

_SENTENCE: Final = re.compile(r"[.!?;\n]+")


def facts_told(answer: str, view: PatientView) -> tuple[str, ...]:
    """The ids of the facts that free text reveals: it mentions their findings, or a sentence is made up of
    their words. A fact that the text contradicts, or denies where the fact does not, is not told."""
    said = mentions(answer)
    parts = [part for part in _SENTENCE.split(answer) if len(telling(part)) > 1]
    there = [known(fact) for fact in view.facts]
    most = [max((len(telling(part) & fact.words) for fact in there), default=0) for part in parts]
    against = contradicted_by(answer, view.facts)
    return tuple(
        fact.id
        for fact, held in zip(view.facts, there, strict=True)
        if fact.id not in against
        and (
            any(
                len(shared := telling(part) & held.words) == best
                and _is_made_of(telling(part), shared)
                and _says_the_same(part, fact)
                for part, best in zip(parts, most, strict=True)
            )
            or any(answers(part, stated(fact)) for part in _SENTENCE.split(answer) if part.strip())
            or (fact.topic not in APART and (meant := mentions(fact.text)) and _mentions_it(said, meant))
        )
    )


def _says_the_same(part: str, fact: PatientFact) -> bool:
    """Whether a sentence denies or affirms as its fact does; a fact that does both may be told either way."""
    denies, held = bool(DENIES.search(lowered(part))), f"{fact.text} {fact.spoken or ''}".lower()
    return denies if fact.absent else not denies or bool(DENIES.search(held))


def _mentions_it(said: Mapping[str, bool], meant: Mapping[str, bool]) -> bool:
    """Whether the text states all findings of a fact; for a fact of denials only, one of them is enough."""
    if any(meant.values()):
        return all(said.get(finding) == present for finding, present in meant.items())
    return any(said.get(finding) is False for finding in meant)


def _is_made_of(words: frozenset[str], shared: frozenset[str]) -> bool:
    """Whether enough of a sentence's content words are in a fact: two thirds of few, half of many."""
    return len(shared) >= (2 if len(shared) * 3 >= len(words) * 2 else 3) and len(shared) * 2 >= len(words)
