"""Rewriting an actor's brief, "You have had this for two days", into the actor's own words."""

from __future__ import annotations

import re
from typing import Final

_VERBS: Final = (
    (re.compile(r"\byou'?re\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\byou are\b", re.IGNORECASE), "I am"),
    (re.compile(r"\byou were\b", re.IGNORECASE), "I was"),
    (re.compile(r"\byou aren'?t\b|\byou're not\b", re.IGNORECASE), "I'm not"),
    (re.compile(r"\byou weren'?t\b", re.IGNORECASE), "I wasn't"),
    (re.compile(r"\byou'?ve\b", re.IGNORECASE), "I've"),
    (re.compile(r"\byou'?d\b", re.IGNORECASE), "I'd"),
    (re.compile(r"\byou'?ll\b", re.IGNORECASE), "I'll"),
    (re.compile(r"\bare you\b", re.IGNORECASE), "am I"),
    (re.compile(r"\bwere you\b", re.IGNORECASE), "was I"),
    (re.compile(r"\byourself\b", re.IGNORECASE), "myself"),
    (re.compile(r"\byours\b", re.IGNORECASE), "mine"),
    (re.compile(r"\byour\b", re.IGNORECASE), "my"),
)
# "told you", "to you", "worries you", "helps you": here it is an object.
_OBJECT: Final = re.compile(
    r"\b(to|for|with|from|of|about|by|at|on|around|near|behind|than|like|between|after|before|told|tells?|gave|gives?|made|makes?|"
    r"let|lets|helps?|helped|worr(?:y|ies|ied)|brought|brings?|sent|sends?|asks?|asked|wakes?|woke|scares?|scared|bothers?|"
    r"frightens?|stops?|stopped|called|calls?|saw|sees?|advised|started|put|puts|keeps?|kept|takes|took|drove|drives?|hits?|"
    r"leaves?|left|hurts?|referred|examined|supports?|needs?|loves?|knows)\s+you\b(?!\s+(?:are|were|have|had|do|did|can|could|"
    r"will|would|feel|felt|get|got|take|took|think|want|need|must|should|may|might|ran|went|came|stopped|started)\b)",
    re.IGNORECASE,
)  # fmt: skip
_AT_END: Final = re.compile(r"(?<!^)\byou\b(?=\s*(?:[.,;!?]|$))", re.IGNORECASE)
_SUBJECT: Final = re.compile(r"\byou\b", re.IGNORECASE)
_STARTS: Final = re.compile(r"(?<=[.!?] )([a-z])|^([a-z])")


def second_person(text: str) -> bool:
    """Whether a text speaks to its reader."""
    return re.search(r"\b(?:you|your|yourself|you're|you've)\b", text, re.IGNORECASE) is not None


def in_own_words(text: str) -> str:
    """The text with the person spoken to as the speaker."""
    for pattern, own in _VERBS:
        text = pattern.sub(own, text)
    text = _OBJECT.sub(r"\1 me", text)
    text = _AT_END.sub("me", text)
    text = _SUBJECT.sub("I", text)
    return _STARTS.sub(lambda match: match[0].upper(), text)
