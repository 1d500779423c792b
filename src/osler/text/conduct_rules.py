"""Phrase rules of conduct for texts shown to learners and patients: safety, ethics, bias, tone, privacy.

The five dimensions follow ClinEdu's safety supervisor. They catch blatant wording and do not judge medicine.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Breach(NamedTuple):
    """A rule that a text breaks: the dimension, the offending words, and a better way to put it."""

    category: str
    quote: str
    suggestion: str


class _Rule(NamedTuple):
    category: str
    pattern: re.Pattern[str]
    suggestion: str


def _rule(category: str, suggestion: str, *phrases: str) -> _Rule:
    return _Rule(category, re.compile("|".join(phrases), re.IGNORECASE), suggestion)


_PEOPLE: Final = (
    "(?:men|women|girls|boys|immigrants|foreigners|old people|the elderly|the poor"
    "|blacks|asians|muslims|jews)"
)
_RULES: Final = (
    _rule(
        "safety",
        "Leave out what could harm if somebody did it.",
        r"\b(?:taste|smell|drink) (?:the|her|his|their) (?:urine|blood|sample|stool)\b",
        r"\b(?:skip|forget about|don't bother with|no need for|without) (?:the )?"
        r"(?:consent|gloves|hand ?washing|allerg\w+)\b",
        r"\bignore (?:the|her|his|their) (?:allerg\w+|vital signs|observations|pain|refusal)\b",
        r"\b(?:double|triple) the dose\b",
        r"\bjust (?:try|inject|give) (?:it|something) and see\b",
    ),
    _rule(
        "ethics",
        "Ask for reasoning instead of commanding or deceiving.",
        r"\byou (?:must|have to) (?:choose|pick|say|agree|accept)\b",
        r"\b(?:lie to|deceive|trick|mislead) (?:the|her|his|our) (?:patient|family|mother|father|parents)\b",
        r"\b(?:don't|do not|never) (?:question|doubt) (?:me|what i say)\b",
        r"\bbecause i (?:say|said) so\b",
    ),
    _rule(
        "bias",
        "Speak of this patient and these students, not of groups of people.",
        rf"\b{_PEOPLE} (?:always|never|are (?:all|just|simply|too)"
        r"|tend to (?:exaggerate|lie)|can'?t|cannot)\b",
        rf"\b(?:typical|just like|what do you expect) (?:of|from)? ?{_PEOPLE}\b",
        r"\b(?:as|you are|you're) the only (?:woman|man|girl|foreigner)\b",
    ),
    _rule(
        "tone",
        "Say what is worth keeping in the answer, then ask on.",
        r"\b(?:stupid|idiot\w*|moron\w*|ridiculous|pathetic|useless|hopeless|lazy|embarrassing|incompetent|ignorant)\b",
        r"\b(?:completely|totally|utterly|just) wrong\b",
        r"\b(?:shame on you|shut up|what were you thinking|even a child|any fool|wasting my time)\b",
        r"\byou (?:will|'ll) never (?:be|make) (?:a )?\w*\s?doctors?\b",
    ),
    _rule(
        "privacy",
        "Leave out what identifies a person.",
        r"[\w.+-]{1,64}@[\w-]{1,63}\.\w{2,}",
        r"(?<![\w.])\+?\d{1,3}[ -]?\(?\d{2,4}\)?[ -]\d{3,4}[ -]?\d{3,4}\b",
        r"\b\d{1,5} [A-Z][a-z]{2,} (?:street|road|avenue|lane|drive)\b",
        r"\b(?:social security|national insurance|nhs|hospital) number\b",
    ),
)


def breach(text: str) -> Breach | None:
    """The first rule that a text breaks, or `None`."""
    for category, pattern, suggestion in _RULES:
        if match := pattern.search(text):
            return Breach(category, match[0], suggestion)
    return None
