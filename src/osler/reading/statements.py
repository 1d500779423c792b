"""Which statements an answer makes: what a patient's own words tell of what is known about them.

A logistic regression over a few features: how many of its words the answer holds, weighed by how rare they
are among all that is known; how near both lie by the sentence encoder, the answer read after its question;
and whether anything is put the other way round. "Yes" and "no" take what they affirm or deny from the
question. The weights were fitted on tests/fixtures/reading/learn/told.jsonl, by cases
(`osler reading figures --task told` measures them).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp, log
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from osler.reading.encoder import vector
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


class KnownFact(NamedTuple):
    """Something known of a patient: `text` the plain statement, `spoken` their own wording of it, and whether
    it is an explicit negative."""

    id: str
    text: str
    spoken: str
    absent: bool = False


def told_in(
    answer: str, question: str, facts: Sequence[KnownFact], claimed: Sequence[str] = ()
) -> tuple[str, ...]:
    """The ids of what is known that an answer to a question tells, in the order known.

    `claimed` are the ids that the speaker claims to have told: they are read a little less strictly, and a
    claim alone tells nothing.
    """
    chances = chances_told(answer, question, tuple(facts))
    claimeds = frozenset(claimed)
    return tuple(
        one.id
        for one, chance in zip(facts, chances, strict=True)
        if chance >= (LEAST_CLAIMED if one.id in claimeds else LEAST)
    )


LEAST: Final = 0.65
"""The least probability for a statement that the speaker does not claim to have made."""
LEAST_CLAIMED: Final = 0.4
"""The least probability for one that they claim."""


@lru_cache(maxsize=4096)
def chances_told(answer: str, question: str, known: tuple[KnownFact, ...]) -> tuple[float, ...]:
    """The probability that an answer tells each of what is known."""
    rarity, parts = _rarity(known), _parts(answer, question)
    after = _unit(answer, question)
    near = [max(float(after @ _unit(form)) for form in _forms(one)) for one in known]
    return tuple(
        _chance(
            {"verbatim": 1.0}
            if any(form in answer for form in _forms(one))
            else {
                **_by_words(one, parts, rarity),
                "near": near[at],
                "near_ahead": near[at] - max((other for n, other in enumerate(near) if n != at), default=0.0),
            }
        )
        for at, one in enumerate(known)
    )


def _forms(one: KnownFact) -> tuple[str, ...]:
    return tuple(form for form in (one.text, one.spoken) if form)


@lru_cache(maxsize=8192)
def _unit(text: str, earlier: str = "") -> npt.NDArray[np.float32]:
    result = vector(text, earlier).astype(np.float32)
    unit: npt.NDArray[np.float32] = result / (float(np.sqrt(result @ result)) or 1.0)
    return unit


def _by_words(one: KnownFact, parts: Sequence[_Sentence], rarity: Mapping[str, float]) -> dict[str, float]:
    """The features of a statement by the words of the part of an answer that fits it best."""
    read = [_of_part(one, part, rarity) for part in parts]
    best = max(read, key=lambda part: _score(part)) if read else {}
    return {"none": 1.0, **best}


def _of_part(one: KnownFact, part: _Sentence, rarity: Mapping[str, float]) -> dict[str, float]:
    covered, precise = 0.0, 0.0
    for form in _forms(one):
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
    "none": -6.03,
    "covered": 10.52,
    "precise": -1.11,
    "agrees": 2.03,
    "opposes": -17.25,
    "denied": -0.75,
    "affirmed": -2.71,
    "leans": -0.4,
    "evades": -2.74,
    "near": 8.37,
    "near_ahead": 6.21,
}


def _score(values: dict[str, float]) -> float:
    return sum(_WEIGHTS[name] * value for name, value in values.items())


def _chance(values: dict[str, float]) -> float:
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, _score(values)))))


class _Sentence(NamedTuple):
    """A sentence of an answer, or two neighbours: its content words, findings, and how it is put."""

    content: frozenset[str]
    findings: Mapping[str, bool]
    denies: bool
    leans: bool
    evades: bool


def _parts(answer: str, question: str) -> list[_Sentence]:
    """The sentences that state something, alone and with the next; the first may take its matter from the
    question."""
    stating = [one for one in sentences(answer) if states(expanded(lowered(one)))]
    parts: list[_Sentence] = []
    for at, one in enumerate(stating):
        low = lowered(one)
        yes, no = _YES.match(low) is not None, _NO.match(low) is not None
        parts.append(_part(one))
        if at + 1 < len(stating):
            parts.append(_part(f"{one} {stating[at + 1]}"))
        if at == 0 and question and (yes or no or len(low.split()) <= _SHORT):
            asked = question.rstrip(" ?")
            both = _part(f"{one} {asked}")
            parts.append(
                both._replace(
                    findings={**dict.fromkeys(mentions(asked), not no), **mentions(one)},
                    denies=no or _DENIES.search(low) is not None,
                    leans=True,
                )
            )
    return parts


def _part(text: str) -> _Sentence:
    low = lowered(text)
    denies = _DENIES.search(low) is not None
    return _Sentence(_content(text), mentions(text), denies, False, _EVADES.search(low) is not None)


@lru_cache(maxsize=20_000)
def _content(text: str) -> frozenset[str]:
    return frozenset(words(lowered(text))) - _FILLERS


@lru_cache(maxsize=512)
def _rarity(known: tuple[KnownFact, ...]) -> Mapping[str, float]:
    spread = Counter(word for one in known for word in _content(f"{one.text} {one.spoken}"))
    return {word: log(1 + len(known) / count) for word, count in spread.items()}
