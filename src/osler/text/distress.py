"""Distress of the learner's own: first-person statements of wanting to die, or to hurt oneself.

It decides only whether to ask "is this you, or the case?"; it diagnoses nothing. Questions to the patient,
reported speech and sentences about others do not count.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from osler.text.tokens import any_of, compiled, lowered

_SELF: Final = r"\b(?:i|i'm|im|i've|ive|i'd|i'll)\b"
_HARM: Final = any_of(
    "die",
    "be dead",
    "kill(?:ing)? myself",
    "end(?:ing)? (?:it all|my (?:own )?life)",
    r"(?:hurt|harm|cutt?)(?:ing)? myself\b(?! (?:off|short|some|a))",
    "tak(?:e|ing) my own life",
    "kms",
)
_WANT: Final = any_of(
    "want(?:ing)?", "wanna", "going", "gonna", "plan(?:ning)?", "wish", "think(?:ing)?", "thought", "tempted"
)
# Few words may stand between: "I think he is going to die" is about somebody else.
_BETWEEN: Final = r"(?: (?:to|about|of|just|really|i|i'm|would|should|could|might|want|going|like)){0,5}?"
_STATED: Final = compiled(
    rf"{_SELF}(?: \w+){{0,2}}? {_WANT}{_BETWEEN} {_HARM}\b",
    rf"{_SELF}(?: (?:feel|feeling|been|am|still|really|so|very|a bit)){{0,3}} suicidal\b",
    rf"{_SELF}(?: (?:have|been|keep|started|am|still)){{0,3}}"
    r" (?:self.?harming|(?:cutting|hurting|harming) myself)\b",
    r"\bi (?:really |just )?(?:do not|don't|dont|no longer) (?:want|wanna)(?: to)?"
    r" (?:live|be alive|be here any ?more|exist|wake up)\b",
    r"\bi (?:can't|cant|cannot|can not) (?:go on(?! to| with)|live like this|do this any ?more"
    r"|take (?:it|this) any ?more)\b",
    r"\bi(?:'d| would) be better off dead\b",
    r"\bi wish i (?:was|were) dead\b",
)
# Somebody else's words, or a question to somebody else.
_NOT_OWN: Final = re.compile(
    r"\b(?:you|your|he|she|they|him|her|patients?|people|somebody|someone)\b[^.!?]{0,40}"
    r"\b(?:say|says|said|saying|think|thinks|thought|feel|feels|felt|tell|tells|told|mean|means)\b"
    r"|\b(?:thoughts?|feelings?|words?|times) (?:like|such as|when|that)\b|[\"“]"
)
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]?")


@lru_cache(maxsize=4096)
def own_distress(said: str) -> bool:
    """Whether a sentence states, in the first person, a wish to die or to hurt oneself."""
    for sentence in _SENTENCE.findall(lowered(said[:4000])):
        stated = _STATED.search(sentence)
        if stated and not sentence.rstrip().endswith("?") and not _NOT_OWN.search(sentence[: stated.end()]):
            return True
    return False
