"""The patient's phrasing: facts in the first person, stock answers, and a persona's manner around them.

The manner never carries medical content: every persona reveals the same facts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from osler.core.contract import rng
from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.patient import PatientFact
from osler.protocols.shared.players.wording import in_first_person, sentence

NOT_UNDERSTOOD: Final = "I'm not sure what you mean, could you ask it another way?"
TURNED_BACK: Final = "I wouldn't know about that. I can only tell you how things have been."
NO_RESULTS: Final = "I couldn't tell you what any tests showed; you would have to look that up."
UNSURE: Final = "I honestly couldn't say."
DENIED: Final = "No, nothing like that."
NOT_THE_REST: Final = "Not the rest, no."
UNSURE_OF_THE_REST: Final = "I couldn't say about the rest."
IN_THE_NOTES: Final = "You have that in the notes, doctor."
DOES_NOT_APPLY: Final = "That doesn't apply to me."
WITHHELD: Final = "I'd rather not say anything about that."
NOTHING_MORE: Final = "No, I think that's everything."
GO_AHEAD: Final = "Yes, of course."
NOTICED: Final = "Yes, I have noticed that."
_NOTHING_KNOWN: Final = "Nothing that I know of."
_NOT_REMEMBERED: Final = "I'm not sure, I don't remember."
_NORMAL: Final = "Nothing out of the ordinary there."

# Stock answers on a topic about which the case holds nothing, under the policy `standard`.
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
    "past_medical": "No illnesses that I know of.",
    "past_surgical": "No operations that I know of.",
    "medications": "No medicines that I can think of.",
    "allergies": "No allergies that I know of.",
    "family": "Nothing in the family that I know of.",
    "tobacco": "Nothing to speak of.",
    "alcohol": "Nothing to speak of.",
    "drugs": "Nothing to speak of.",
    "sexual": "Nothing to speak of.",
    "travel": "Not that I can think of.",
    "exposure": "Not that I can think of.",
    "identity": "It should be on the form.",
    "other": "Nothing else I can think of.",
}

_NEGATIVE: Final = re.compile(
    r"\b(?:no|not|never|none|denie[sd]|deny|without|negative|nil|neither|nor)\b|n't\b", re.I
)
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
    "talkative": (
        "Hello, how nice to meet you.",
        "Of course, whatever you need.",
        "Thank you ever so much. Goodbye.",
    ),
    "skeptical": ("Hello.", "If you say so.", "Goodbye, then."),
}


def courtesy(persona: str, *, greeting: bool, parting: bool) -> str:
    """A short polite reply without content."""
    lines = _COURTESY.get(persona, _COURTESY["plain"])
    return lines[2] if parting else lines[0] if greeting else lines[1]


def again(answer: str) -> str:
    """Mark an answer as a repetition of one given to an earlier question."""
    return f"As I said: {answer}"


def wrapped(answer: str, persona: str, world: str, turn: int) -> str:
    """Wrap an answer in the persona's manner; the variant depends only on the world and the turn."""
    wraps = _WRAPS.get(persona, _WRAPS["plain"])
    if len(wraps) == 1:
        return answer
    before, after = wraps[(_start(world) + turn) % len(wraps)]
    return f"{before}{answer}{after}"


def age(years: float) -> str:
    """An age as a speaker would say it: in months below two years."""
    if years < 2:
        return f"{round(years * 12)} months old."
    return f"{int(years)} years old."


def not_known(topic: Topic, policy: str) -> str:
    """The answer on a topic about which the speaker knows nothing, under the run's policy."""
    if policy == "withhold":
        return WITHHELD
    if policy == "normal":
        return _NORMAL
    return _STANDARD.get(topic, _NOTHING_KNOWN)


def told(fact: PatientFact, *, by_patient: bool) -> str:
    """Render a fact as a sentence in the first person. A carer keeps the plain statement."""
    if fact.spoken is not None:
        return sentence(fact.spoken)
    plain = in_first_person(fact.text) if by_patient else fact.text
    return sentence(f"No: {plain}" if fact.absent and not _NEGATIVE.search(fact.text) else plain)


@lru_cache(maxsize=4096)
def _start(world: str) -> int:
    return rng(world, "patient", "voice").randrange(1 << 16)


def noticed(names: Sequence[str]) -> str:
    """A sentence that affirms symptoms which no fact tells, by their names."""
    return f"Yes, I have noticed this: {', '.join(_plain(names))}."


def denied(names: Sequence[str]) -> str:
    """A sentence that denies the symptoms asked about, by their names, and nothing else."""
    return f"No {', no '.join(_plain(names))}."


def _plain(names: Sequence[str]) -> list[str]:
    return [name[:1].lower() + name[1:] for name in dict.fromkeys(names)]
