"""How a patient puts things: facts in the speaker's own person, stock answers, and a persona's wrapping.

Wrapping never carries anything medical: what is told, and how much, is the same in every persona.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from osler.seats.contract import luck
from osler.seats.patient import PatientFact
from osler.seats.topics import Topic

NOT_UNDERSTOOD: Final = "I'm not sure what you mean, could you ask it another way?"
TURNED_BACK: Final = "I wouldn't know about that. I can only tell you how things have been."
NO_RESULTS: Final = "I couldn't tell you what any tests showed; you would have to look that up."
UNSURE: Final = "I honestly couldn't say."
DENIED: Final = "No, nothing like that."
WITHHELD: Final = "I'd rather not say anything about that."
NOTHING_MORE: Final = "No, I think that's everything."
_NOTHING_KNOWN: Final = "Nothing that I know of."
_NOT_REMEMBERED: Final = "I'm not sure, I don't remember."
_NORMAL: Final = "Nothing out of the ordinary there."

# What a speaker says on a topic of which the case holds nothing, under the policy `standard`.
_STANDARD: Final[Mapping[Topic, str]] = {
    "complaint": "It's just what I told you.",
    "course": "I couldn't say exactly.",
    "character": "It's hard to describe.",
    "modifiers": "Not that I've noticed.",
    "associated": "Nothing else that I've noticed.",
    "systems": "Nothing else that I've noticed.",
    "occupation": _NOT_REMEMBERED,
    "home": _NOT_REMEMBERED,
    "gynaecological": _NOT_REMEMBERED,
    "birth": _NOT_REMEMBERED,
    "immunization": _NOT_REMEMBERED,
    "diet": "I haven't paid much attention to that.",
    "mood": "I couldn't really say.",
    "ideas": "I really have no idea.",
    "concerns": "Nothing in particular.",
    "expectations": "I hadn't really thought about that.",
    "identity": "It should be on the form.",
    "other": "Nothing else I can think of.",
}

_WRAPS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "plain": (("", ""),),
    "anxious": (
        ("", " Is that something to worry about?"),
        ("Oh dear, well. ", ""),
        ("", " I keep thinking about it."),
        ("I hope this isn't bad news. ", ""),
    ),
    "stoic": (("", ""), ("Well. ", ""), ("", " That's all."), ("If you must know. ", "")),
    "talkative": (
        ("Well, since you ask, doctor. ", " You know how it is."),
        ("Now let me think. ", " I could go on, but there you are."),
        ("Ah, good question. ", " Do say if I ramble."),
    ),
    "skeptical": (
        ("If you think it matters. ", ""),
        ("", " Not that I see how that helps."),
        ("I've been asked that before. ", ""),
        ("Fine. ", ""),
    ),
}
_COURTESY: Final[Mapping[str, tuple[str, ...]]] = {
    "plain": ("Hello.", "All right.", "Goodbye, and thank you."),
    "anxious": ("Hello, I'm glad to see you.", "All right, if you say so.", "Thank you. Goodbye."),
    "stoic": ("Hello.", "Right.", "Goodbye."),
    "talkative": ("Hello, how nice to meet you.", "Of course, whatever you need.", "Thank you ever so much. Goodbye."),
    "skeptical": ("Hello.", "If you say so.", "Goodbye, then."),
}


def courtesy(persona: str, *, greeting: bool, parting: bool) -> str:
    """A short polite reply that tells nothing."""
    lines = _COURTESY.get(persona, _COURTESY["plain"])
    return lines[2] if parting else lines[0] if greeting else lines[1]


def wrapped(answer: str, persona: str, world: str, turn: int) -> str:
    """An answer in the persona's manner; which of its manners depends on the world and the turn alone."""
    wraps = _WRAPS.get(persona, _WRAPS["plain"])
    if len(wraps) == 1:
        return answer
    before, after = wraps[(_start(world) + turn) % len(wraps)]
    return f"{before}{answer}{after}"


def not_known(topic: Topic, policy: str) -> str:
    """What is said on a topic of which the speaker holds nothing, under the run's policy."""
    if policy == "withhold":
        return WITHHELD
    if policy == "normal":
        return _NORMAL
    return _STANDARD.get(topic, _NOTHING_KNOWN)


def told(fact: PatientFact, *, by_patient: bool) -> str:
    """A fact as a sentence of the speaker's. A carer keeps the plain statement."""
    if fact.spoken is not None:
        return sentence(fact.spoken)
    plain = in_first_person(fact.text) if by_patient else fact.text
    return sentence(f"No: {plain}" if fact.absent and not _NEGATIVE.search(fact.text) else plain)


@lru_cache(maxsize=20_000)
def sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


@lru_cache(maxsize=4096)
def _start(world: str) -> int:
    return luck(world, "patient", "voice").randrange(1 << 16)


_NEGATIVE: Final = re.compile(r"\b(?:no|not|never|none|denie[sd]|deny|without|negative|nil|neither|nor)\b|n't\b", re.I)
_SUBJECT: Final = r"(?:the patient|patient|he|she|they)"
_VERBS: Final = {
    "has been": "I have been",
    "has had": "I have had",
    "has not": "I have not",
    "has never": "I have never",
    "has": "I have",
    "is": "I am",
    "was": "I was",
    "had": "I had",
    "does not": "I do not",
    "doesn't": "I don't",
    "did not": "I did not",
    "is not": "I am not",
    "denies any": "no",
    "denies having": "no",
    "denies": "no",
    "denied": "no",
    "reports experiencing": "I have been experiencing",
    "reports feeling": "I have been feeling",
    "reports having": "I have been having",
    "reports being": "I have been",
    "reports no": "no",
    "reports that i": "I",
    "reports": "I have",
    "complains of": "I have",
    "complains about": "I have",
    "presents with": "I have",
    "describes": "I have",
    "notes": "I have noticed",
    "noticed": "I noticed",
    "experienced": "I experienced",
    "experiences": "I experience",
    "developed": "I developed",
    "feels": "I feel",
    "felt": "I felt",
    "works": "I work",
    "worked": "I worked",
    "lives": "I live",
    "smokes": "I smoke",
    "smoked": "I smoked",
    "drinks": "I drink",
    "drank": "I drank",
    "takes": "I take",
    "took": "I took",
    "uses": "I use",
    "used": "I used",
    "exercises": "I exercise",
    "quit": "I quit",
    "stopped": "I stopped",
    "started": "I started",
}
_BEGINS: Final = re.compile(
    rf"^(?:{_SUBJECT}\s+)?(?:(also|currently|occasionally|regularly|additionally,?|usually|rarely|never|often)\s+)?"
    rf"({'|'.join(sorted(_VERBS, key=len, reverse=True))})\b\s*",
    re.I,
)
_OTHERS: Final = re.compile(
    r"\b(?:mother|father|parents?|brother|sister|sibling|wife|husband|partner|son|daughter|child|children|uncle|aunt"
    r"|grand\w+|boyfriend|girlfriend|friend|cousin|nephew|niece|infant|baby|boy|girl|man|woman|caregiver|doctor)s?\b",
    re.I,
)
_WITHIN: Final = (
    (re.compile(r"\b(?:the patient|he|she|they) (?:has|have)\b", re.I), "I have"),
    (re.compile(r"\b(?:the patient|he|she|they) (?:is|are)\b", re.I), "I am"),
    (re.compile(r"\b(?:the patient|he|she|they) (?:was|were)\b", re.I), "I was"),
    (re.compile(r"\b(?:the patient|he|she|they) (had|did|could|would|can|will|felt|noticed|took|went|\w+ed)\b", re.I), r"I \1"),
    (re.compile(r"\b(?:the patient|he|she|they) (?:does not|do not|doesn't|don't)\b", re.I), "I do not"),
    (re.compile(r"\b(?:himself|herself|themselves|themself)\b", re.I), "myself"),
    (re.compile(r"\b(?:the patient's|his|their|her(?= \w))\b", re.I), "my"),
)
_STILL_THIRD: Final = re.compile(r"\b(?:patient|patient's|he|she|they|his|him|her|hers|their|theirs|them)\b", re.I)
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


@lru_cache(maxsize=20_000)
def in_first_person(text: str) -> str:
    """A statement about the patient in the patient's own person, where that is safe.

    It is safe where each sentence begins with a verb we know and speaks of nobody else; otherwise the statement
    is kept word for word, after "From what I know".
    """
    turned = [_turn(part) for part in _SENTENCES.split(text.strip())]
    if any(part is None for part in turned):
        return f"From what I know: {text.strip()}"
    return " ".join(sentence(part) for part in turned if part)


def _turn(statement: str) -> str | None:
    third = _STILL_THIRD.search(statement)
    begins = _BEGINS.match(statement)
    if begins is None:
        # A bare finding ("Fatigue, night sweats") needs no subject.
        return None if third else statement
    if _OTHERS.search(statement) and third:
        return None
    often, verb = begins.group(1), _VERBS[begins.group(2).lower()]
    if often and verb.startswith("I "):
        verb = f"I {often.lower().rstrip(',')} {verb[2:]}"
    rest = statement[begins.end() :]
    for pattern, own in _WITHIN:
        rest = pattern.sub(own, rest)
    return None if _STILL_THIRD.search(rest) else f"{verb} {rest}"
