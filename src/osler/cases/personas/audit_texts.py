"""Text checks of a persona library: empty fields, duplicates, near-duplicates and stereotyping phrases."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from pydantic import BaseModel
from rapidfuzz import fuzz, process

from osler.cases.personas.people import PatientPersona, Persona

ALIKE: Final = 0.85
DIFFERENT: Final = 0.6
_AT_ONCE: Final = 256
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+")
_GROUP: Final = (
    r"(?:wom[ae]n|m[ae]n|girls?|boys?|housewi(?:fe|ves)|old (?:people|wom[ae]n|m[ae]n|lad(?:y|ies))|elderly|"
    r"immigrants?|foreigners?|teenagers?|young people|workers|labou?rers|"
    r"(?:her|his|their|your|this) (?:age|sex|gender|"
    r"generation|background|class|culture|kind))"
)
_STEREOTYPE: Final = re.compile(
    rf"\b(?:like (?:most|all|many|any|other)|as (?:most|all|many)|typical(?:ly)? (?:of|for|among)|"
    rf"(?:a|the) (?:typical|stereotypical)|common (?:among|in|for)|usual for|surprisingly \w+ for|despite|"
    rf"(?:unusual|remarkable|rare) (?:for|in|among)) "
    rf"(?:an? |the |some(?:one|body) of |people of )?{_GROUP}\b",
    re.IGNORECASE,
)


class Alike(NamedTuple):
    """A pair of near-duplicate personas: the similarity of their instructions, `alike`, is from 0 to 1 and
    ignores name, age and work."""

    first: str
    second: str
    alike: float


class Wording(NamedTuple):
    """Sentence statistics of all instructions, ignoring name, age and work: how many there are, how many
    different ones, and the most frequent."""

    sentences: int
    different: int
    share: float | None
    most: int
    example: str


def missing_fields(personas: Sequence[Persona]) -> dict[str, int]:
    """Return how often each field is empty, for the fields that ever are."""
    return dict(Counter(name for each in personas for name in _empty(each)))


def repeated(personas: Sequence[Persona]) -> tuple[tuple[str, ...], ...]:
    """Return duplicated ids, and personas of different ids with exactly the same instruction."""
    by_text: dict[str, list[str]] = defaultdict(list)
    for each in personas:
        if each.instruction:
            by_text[each.instruction].append(each.id)
    ids = Counter(each.id for each in personas)
    doubled = [(name,) * times for name, times in ids.items() if times > 1]
    same = [tuple(some) for some in by_text.values() if len(set(some)) > 1]
    return (*doubled, *same)


def nearly_alike(personas: Sequence[Persona]) -> tuple[Alike, ...]:
    """Return near-duplicates: pairs with an edit similarity (insertions, deletions) of at least `ALIKE`."""
    plain = [bare(each) for each in personas]
    result = []
    for start in range(0, len(plain), _AT_ONCE):
        # A block of rows against all that follow, so that memory stays flat.
        block = process.cdist(
            plain[start : start + _AT_ONCE],
            plain[start:],
            scorer=fuzz.ratio,
            score_cutoff=100 * ALIKE,
            dtype=np.float32,
        )
        for row, column in np.argwhere(block):
            if column > row:
                pair = personas[start + row].id, personas[start + column].id
                result.append(Alike(*pair, round(float(block[row, column]) / 100, 4)))
    return tuple(result)


def wording(personas: Sequence[Persona]) -> Wording:
    """Return how far instructions repeat each other's sentences."""
    counts = Counter(
        sentence for each in personas for sentence in _SENTENCES.split(bare(each)) if sentence.strip()
    )
    total = counts.total()
    if not total:
        return Wording(0, 0, None, 0, "")
    example, most = counts.most_common(1)[0]
    return Wording(total, len(counts), round(len(counts) / total, 6), most, example)


def stereotypes(personas: Sequence[Persona]) -> tuple[tuple[str, str], ...]:
    """Return stereotyping phrases, which explain a person by their group, each with the persona's id."""
    return tuple(
        (each.id, match[0])
        for each in personas
        for text in each.texts
        for match in _STEREOTYPE.finditer(text)
    )


def bare(persona: Persona) -> str:
    """Normalize an instruction for duplicate detection: lower case, without name, age and work."""
    own = [persona.id]
    if isinstance(persona, PatientPersona):
        own = [persona.demographics.name, persona.background.occupation]
        own += [persona.background.occupation.lower().removeprefix("retired ")]
    text = re.sub(r"\b\d+[- ]years?[- ]old\b", "*", persona.instruction.lower())
    for word in own:
        if word.strip():
            text = re.sub(rf"\b{re.escape(word.lower())}\b", "*", text)
    return text


def _empty(part: BaseModel, under: str = "") -> Iterator[str]:
    for name in type(part).model_fields:
        value = getattr(part, name)
        if isinstance(value, BaseModel):
            yield from _empty(value, f"{under}{name}.")
        elif value is None or value == "" or value == ():
            yield f"{under}{name}"
