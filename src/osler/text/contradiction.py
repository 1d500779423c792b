"""Contradiction between a statement and what is known, by findings and by the yes or no of a whole topic.

Pure and lexical: what these rules do not see is no contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from osler.knowledge.vocabulary import Topic
from osler.text.findings_in_text import mentions
from osler.text.tokens import lowered
from osler.text.topics import topics_of_question

DENIES: Final = re.compile(r"\b(?:no|not|never|none|nothing|without|neither|nor|nobody|nil)\b|n't\b")
# Topics on which a short statement says yes or no to the whole.
_YES_OR_NO: Final[frozenset[Topic]] = frozenset(
    {"allergies", "medications", "tobacco", "drugs", "past_surgical"}
)
_SHORT: Final = 12
_UNSURE: Final = re.compile(r"\b(?:don't know|not sure|unsure|maybe|perhaps|can't remember|might)\b")

_OF_OTHERS: Final = re.compile(
    r"\b(?:mother|mum|mom|father|dad|parents?|brother|sister|son|daughter|husband|wife|partner|uncle"
    r"|aunt|auntie"
    r"|gran\w*|nan|cousin|friend|he|she|they|nobody|no one|family)\b"
)


class Statement(NamedTuple):
    """A known statement on one matter; `absent` marks an explicit negative."""

    id: str
    topic: Topic
    text: str
    absent: bool


def contradicted(said: str, known: Sequence[Statement]) -> str | None:
    """The id of the first known statement that `said` contradicts, or `None`."""
    text = lowered(said)
    if _UNSURE.search(text):
        return None
    for name, present in mentions(text).items():
        holding = [(one.id, mentions(one.text).get(name)) for one in known]
        values = {value for _, value in holding if value is not None}
        if values and present not in values:
            return next(ident for ident, value in holding if value is not None)
    return _other_answer(text, known)


def _other_answer(text: str, known: Sequence[Statement]) -> str | None:
    """The statement that says yes where `text` says no to the whole of its topic, or the other way round."""
    topics = topics_of_question(text)
    if len(text.split()) > _SHORT or not topics or topics[0] not in _YES_OR_NO or _OF_OTHERS.search(text):
        return None
    of_it = [one for one in known if one.topic == topics[0]]
    if len(of_it) != 1 or (not of_it[0].absent and DENIES.search(lowered(of_it[0].text))):
        return None  # several statements, or one that says both yes and no
    return of_it[0].id if bool(DENIES.search(text)) != of_it[0].absent else None
