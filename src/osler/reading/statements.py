"""Which statements an answer makes: what a patient's own words tell of what is known about them.

A statement is made if the answer holds most of its words, weighed by how rare they are among the statements,
or its meaning by the vectors of sentences, and nothing in it is put the other way round. "Yes" and "no" take
what they affirm or deny from the question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp, log
from typing import Final, NamedTuple

from osler.text.findings_in_text import mentions
from osler.text.phrases import words
from osler.text.stance import expanded, states
from osler.text.tokens import lowered, sentences

_YES: Final = re.compile(
    r"^\W*(?:oh,? |well,? |um+,? |uh,? )*(?:yes|yeah|yep|yup|aye|i do|i have|i am|that's right)\b"
)
_NO: Final = re.compile(
    r"^\W*(?:oh,? |well,? |um+,? |uh,? )*(?:no|nope|nah|never|not at all|i don't|i haven't)\b"
)
_DENIES: Final = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot|hardly)\b|n't\b"
)
_EVADES: Final = re.compile(
    r"\b(?:don't|do not|can't|cannot|couldn't) (?:really |quite )?(?:know|remember|recall|say|tell)\b"
    r"|\b(?:not sure|unsure|no idea|rather not|prefer not)\b"
)
_FILLERS: Final = frozenset(
    "you be have do get go it that this there with and of to in on for at or but as".split()
)
_SHORT: Final = 6


class Known(NamedTuple):
    """Something known of a patient: `text` the plain statement, `spoken` their own wording of it, and whether
    it is an explicit negative."""

    id: str
    text: str
    spoken: str
    absent: bool = False


def told_in(
    answer: str, question: str, known: Sequence[Known], claimed: Sequence[str] = ()
) -> tuple[str, ...]:
    """The ids of what is known that an answer to a question tells, in the order known.

    `claimed` are the ids that the speaker claims to have told: they are read a little less strictly, and a
    claim alone tells nothing.
    """
    chances = chances_told(answer, question, tuple(known))
    named = frozenset(claimed)
    return tuple(
        one.id
        for one, chance in zip(known, chances, strict=True)
        if chance >= (LEAST_CLAIMED if one.id in named else LEAST)
    )


LEAST: Final = 0.75
"""The least probability for a statement that the speaker does not claim to have made."""
LEAST_CLAIMED: Final = 0.4
"""The least probability for one that they claim."""


@lru_cache(maxsize=4096)
def chances_told(answer: str, question: str, known: tuple[Known, ...]) -> tuple[float, ...]:
    """The probability that an answer tells each of what is known."""
    rarity = _rarity(known)
    parts = _parts(answer, question)
    return tuple(_chance(features(one, answer, parts, rarity)) for one in known)


def features(
    one: Known, answer: str, parts: Sequence[_Part], rarity: Mapping[str, float]
) -> dict[str, float]:
    """The features of a statement in an answer: see `_WEIGHTS`."""
    if (one.spoken and one.spoken in answer) or one.text in answer:
        return {"verbatim": 1.0}
    best = max((_of_part(one, part, rarity) for part in parts), key=_score, default={})
    return {"none": 1.0, **best}


def _of_part(one: Known, part: _Part, rarity: Mapping[str, float]) -> dict[str, float]:
    covered, precise = 0.0, 0.0
    for form in filter(None, (one.spoken, one.text)):
        held = _content(form)
        shared = held & part.content
        total = sum(rarity.get(word, _UNKNOWN) for word in held) or 1.0
        share = sum(rarity.get(word, _UNKNOWN) for word in shared) / total
        if share >= covered:
            covered = share
            precise = len(shared) / max(1, len(part.content))
    said, holds = part.findings, {**mentions(one.text), **mentions(one.spoken)}
    both = said.keys() & holds.keys()
    return {
        "covered": covered,
        "precise": precise,
        "agrees": float(any(said[name] == holds[name] for name in both)),
        "opposes": float(any(said[name] != holds[name] for name in both)),
        "denied": float(part.denies and not one.absent and _DENIES.search(lowered(one.text)) is None),
        "affirmed": float(one.absent and not part.denies),
        "leans": float(part.leans),
        "evades": float(part.evades),
    }


_UNKNOWN: Final = 1.0
_WEIGHTS: Final = {
    "verbatim": 20.0,
    "none": -4.0,
    "covered": 7.0,
    "precise": 2.0,
    "agrees": 1.2,
    "opposes": -3.0,
    "denied": -2.0,
    "affirmed": -1.0,
    "leans": 0.0,
    "evades": -3.0,
}


def _score(values: Mapping[str, float]) -> float:
    return sum(_WEIGHTS[name] * value for name, value in values.items())


def _chance(values: Mapping[str, float]) -> float:
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, _score(values)))))


class _Part(NamedTuple):
    """A sentence of an answer, or two neighbours: its content words, findings, and how it is put."""

    content: frozenset[str]
    findings: Mapping[str, bool]
    denies: bool
    leans: bool
    evades: bool


def _parts(answer: str, question: str) -> list[_Part]:
    """The sentences that state something, alone and with the next; the first may take its matter from the
    question."""
    stating = [one for one in sentences(answer) if states(expanded(lowered(one)))]
    found: list[_Part] = []
    for at, one in enumerate(stating):
        low = lowered(one)
        yes, no = _YES.match(low) is not None, _NO.match(low) is not None
        found.append(_part(one))
        if at + 1 < len(stating):
            found.append(_part(f"{one} {stating[at + 1]}"))
        if at == 0 and question and (yes or no or len(low.split()) <= _SHORT):
            asked = question.rstrip(" ?")
            both = _part(f"{one} {asked}")
            found.append(
                both._replace(
                    findings={**dict.fromkeys(mentions(asked), not no), **mentions(one)},
                    denies=no or _DENIES.search(low) is not None,
                    leans=True,
                )
            )
    return found


def _part(text: str) -> _Part:
    low = lowered(text)
    denies = _DENIES.search(low) is not None
    return _Part(_content(text), mentions(text), denies, False, _EVADES.search(low) is not None)


@lru_cache(maxsize=20_000)
def _content(text: str) -> frozenset[str]:
    return frozenset(words(lowered(text))) - _FILLERS


@lru_cache(maxsize=512)
def _rarity(known: tuple[Known, ...]) -> Mapping[str, float]:
    spread = Counter(word for one in known for word in _content(f"{one.text} {one.spoken}"))
    return {word: log(1 + len(known) / count) for word, count in spread.items()}
