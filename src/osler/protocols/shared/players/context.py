"""A question in its conversation: "it", "she" and "since then" are about what was spoken of last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.players.sought import Story
from osler.protocols.shared.players.weighing import BODILY, Heard, hear
from osler.text.topics import QUALIFIERS, clauses

_IN_IT: Final = re.compile(r"\b(?:in|with|of|about|from|for) (?:it|them|that|those)\b")
_SHORT: Final = 10
_BEGINS: Final = r"^\W*(?:(?:and|so|but|or|ok|okay|well|right|oh|also)\W+)*"
_POINTS: Final = re.compile(
    r"\b(?:it|its|that|this|they|them|these|those|he|she|him|her|his|one|ones|there|then|any|else)\b"
)
_ELLIPTIC: Final = re.compile(
    _BEGINS
    + r"(?:how (?:much|many|often|long|old|far|bad)|since when|for how long|when|where|who|why|which|what"
    r"|not even|ever|always|every ?day|really|was|were|is|are|did|do|does|has|have|any)\b"
)
# "And in the family?", "what about your mum?", "not even aspirin?".
_ANOTHER: Final = re.compile(r"^\W*(?:and|or|what about|how about|not even|nor|even)\b")
# Sides that only a symptom has.
_OF_SYMPTOMS: Final = frozenset(
    {"radiate", "worse", "better", "severity", "quality", "sudden", "pattern", "doing", "site", "daytime"}
)
_NOT_EVEN: Final = re.compile(_BEGINS + r"not even\b")
# "How old was he?", "what happened to her?": about the relative spoken of last.
_OF_RELATIVE: Final = re.compile(
    r"\bhow old (?:is|are|was|were) (?:he|she|they)\b|\b(?:to|with|of) (?:him|her|them)\b"
    r"|\b(?:did|does|was|is) (?:he|she)\b"
)
_OF_PEOPLE: Final[frozenset[Topic]] = frozenset({"family", "exposure", "home"})


def in_context(heard: Heard, before: Sequence[str], story: Story) -> Heard:
    """The question with what it takes over from the doctor's earlier words (`before`, oldest first).

    A question that names its subject, or follows one about the presenting complaint, is unchanged.
    """
    found = _in_context(heard, before, story)
    return found if found == heard else found._replace(earlier=before[-1])


def _in_context(heard: Heard, before: Sequence[str], story: Story) -> Heard:
    if heard.plain or len(heard.text.split()) > _SHORT:
        return heard
    another = _ANOTHER.match(heard.text) is not None
    if another and (heard.people or "family" in heard.topics) and not heard.things:
        last = _last(before)
        return (
            heard._replace(things=last.things, findings=last.findings, words=heard.words | last.words)
            if last
            else heard
        )
    if _NOT_EVEN.match(heard.text) or (another and heard.things and not heard.topics):
        last = _last(before)
        return heard._replace(topics=last.topics, sure=last.sure) if last else heard
    last = _last(before)
    if last and last.topics[:1] == ("family",) and not heard.things and _OF_RELATIVE.search(heard.text):
        return heard._replace(
            topics=last.topics, sure=True, things=last.things, people=last.people, rest=frozenset()
        )
    if not leans(heard):
        return heard
    if last is None or _of_the_complaint(last, heard, story):
        return heard
    if _OF_SYMPTOMS & heard.aspects and not (last.things or BODILY.issuperset(last.topics)):
        return heard
    return heard._replace(
        topics=last.topics,
        sure=last.sure,
        words=heard.words | last.words,
        findings=last.findings,
        workings=last.workings,
        things=last.things | heard.things,
        people=heard.people or (last.people if _OF_PEOPLE.intersection(last.topics) else frozenset()),
    )


def leans(heard: Heard) -> bool:
    """Whether a question has no subject of its own and points back, or is a mere fragment."""
    if heard.things or heard.findings or heard.people:
        return False
    if not (QUALIFIERS if _IN_IT.search(heard.text) is None else BODILY).issuperset(heard.topics):
        return False
    if _POINTS.search(heard.text) is None and len(heard.text.split()) > 6:
        return False
    return _ELLIPTIC.match(heard.text) is not None


def _of_the_complaint(last: Heard, heard: Heard, story: Story) -> bool:
    """Whether the question before was about the presenting complaint, so that "it" needs no other subject."""
    if last.things:
        return last.things <= story.things | {"pain"} and BODILY.issuperset(last.topics)
    return BODILY.issuperset(last.topics)


def _last(before: Sequence[str]) -> Heard | None:
    """The latest question that named its subject."""
    for text in reversed(before):
        for clause in reversed(clauses(text)):
            heard = hear(clause)
            if heard.things or heard.findings or not QUALIFIERS.issuperset(heard.topics):
                return heard
    return None
