"""Whether a case bears out what an answer adds to the reference: its cause, its organism or its subtype."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from osler.judging.diagnosis.concepts import graph, lists, normal
from osler.judging.diagnosis.words import plain_text

_STEM: Final = 6


class Record(NamedTuple):
    """The text of a case as a judge searches it."""

    words: frozenset[str]
    stems: frozenset[str]
    text: str


def record_of(text: str) -> Record:
    """Prepare a case's text: history, findings, results, reference and alternatives."""
    plain = plain_text(text)
    words = frozenset(normal(" ".join(re.findall(r"[a-z0-9]+", plain))))
    return Record(words, frozenset(word[:_STEM] for word in words if len(word) >= _STEM), f" {plain} ")


def borne_out(words: Sequence[str], case: Record) -> bool:
    """Whether every word is in the case, by itself, its stem, another name or a sign of it."""
    if _said(words, case):
        return True
    known = graph()
    number = known.ids.get(tuple(words))
    if number is not None:
        return any(_said(name, case) for name, one in known.ids.items() if one == number)
    return False


def _said(words: Sequence[str], case: Record) -> bool:
    return all(
        word in case.words
        or (len(word) >= _STEM and word[:_STEM] in case.stems)
        or any(sign in case.text for sign in lists().hints.get(word, ()))
        for word in words
    )
