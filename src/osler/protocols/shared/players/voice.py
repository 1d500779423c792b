"""The patient's phrasing: facts in the first person, stock answers, and a persona's manner around them.

The manner never carries medical content: every persona reveals the same facts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from osler.core.contract import rng
from osler.knowledge.vocabulary import Told, Topic
from osler.protocols.shared.patient import AnswerKind, PatientFact, PatientView
from osler.text.carers_words import in_carers_words, in_companions_words
from osler.text.first_person import in_first_person
from osler.text.tokens import sentence

_IN_MY_NOTES: Final = "It's in my notes, they put it like this"
_IN_THE_NOTES: Final = "It's in the notes, they put it like this"
NOT_UNDERSTOOD: Final = "I'm not sure what you mean, could you ask it another way?"
TURNED_BACK: Final = "I wouldn't know about that. I can only tell you how things have been."
NO_RESULTS: Final = "I couldn't tell you what any tests showed; you would have to look that up."
UNSURE: Final = "I honestly couldn't say."
DENIED: Final = "No, nothing like that."
UNSURE_OF_THE_REST: Final = "I couldn't say about the rest."
IN_THE_NOTES: Final = "You have that in the notes, doctor."
DOES_NOT_APPLY: Final = "That doesn't apply to me."
WITHHELD: Final = "I'd rather not say anything about that."
NOTHING_MORE: Final = "No, I think that's everything."
GO_AHEAD: Final = "Yes, of course."
NOTICED: Final = "Yes, I have noticed that."
NOTHING_TO_SAY: Final = "There's nothing I can tell you about that."
HARD_TO_SAY: Final = "It's hard to say, really."
NOT_QUITE: Final = "No, that's not quite right."
THAT_IS_RIGHT: Final = "Yes, that's right."
NOT_SURE_OF_ALL: Final = "I couldn't say whether all of that is right."
NOT_TOLD: Final = "I'd rather you didn't speak to anyone about me for now."
NO_QUESTIONS: Final = "No, I don't think so, thank you."
NOT_TAKEN_IN: Final = "I'm not sure I took it all in. Could you go over it again?"
FOLLOWS: Final = "Yes, I think so."
AGREES: Final = "Yes, if you think that's best."
CONSENTS: Final = (GO_AHEAD, "Yes, that's fine.", "Yes, go ahead.")
CHAPERONED: Final = ("Yes, that's fine with me.", "Yes, I don't mind that.")
ASK_AWAY: Final = ("Yes, go ahead.", "Yes, ask away.", "Of course.")
IN_PRIVATE: Final = ("Yes, I'd be glad of that.", "Yes, that's all right with me.")
TRUSTS: Final = ("All right. Thank you, that's good to know.", "Okay. Thank you for saying that.")
RELIEVED: Final = ("Oh, that's a relief.", "Oh, thank goodness.")
SHOCKED: Final = (
    "Oh. I... I don't know what to say.",
    "Oh no. I wasn't expecting that.",
    "What? I need a moment to take that in.",
)
FEELINGS: Final = (
    "I don't know. It's a lot to take in.",
    "I feel a bit shaken, to be honest.",
    "Scared, if I'm honest.",
)
HURT: Final = (
    "That's not very kind.",
    "I don't think there's any need to talk to me like that.",
    "That makes me feel I shouldn't have come.",
)
COMFORTED: Final = ("Thank you.", "Thank you, it helps to hear that.", "Thanks, that's kind of you.")
FORGIVES: Final = ("That's all right.", "Don't worry about it.", "That's okay.")
ACCEPTS: Final = ("Yes please, thank you.", "Thank you, that's kind.")
PRESENT: Final = ("That's fine, thank you.", "I'm all right, thanks.")
LISTENING: Final = "Yes, I'm listening."
"""A companion says nothing of how the patient is when asked whether somebody hears."""
TELL_ME: Final = ("Yes, please.", "Yes, I'd like to know.")
OBEYS: Final = ("All right, I'm ready.", "Okay.")
FEEL_FOR_YOURSELF: Final = "You'd have to see for yourself when you examine me."
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

# The kinds of stock answers; any other that begins with a negative is a denial.
_KINDS: Final[Mapping[str, AnswerKind]] = {
    NOT_UNDERSTOOD: "not_understood",
    TURNED_BACK: "dont_know",
    NO_RESULTS: "dont_know",
    DOES_NOT_APPLY: "denial",
    WITHHELD: "decline",
    GO_AHEAD: "permission",
    NOTICED: "fact",
    NOTHING_TO_SAY: "decline",
}
_DENIES: Final = re.compile(r"^(?:no|not|nothing)\b", re.I)
_AFFIRMS: Final = re.compile(r"^yes, i have noticed\b", re.I)

_NEGATIVE: Final = re.compile(
    r"\b(?:no|not|never|none|denie[sd]|deny|without|negative|nil|neither|nor)\b|n't\b", re.I
)
_WRAPS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "plain": (("", ""),),
    "anxious": (
        ("", " Is that something to worry about?"),
        ("Oh dear, well. ", ""),
        ("", " I keep thinking about it."),
        ("", ""),
        ("Um... ", ""),
        ("", " That's what frightens me."),
        ("", ""),
        ("", " Should I have come sooner?"),
        ("", " I can't stop worrying."),
        ("", ""),
        ("Sorry, I'm a bit on edge. ", ""),
        ("", " Do you think it's serious?"),
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
_HEAVY: Final[frozenset[Topic]] = frozenset(
    {"complaint", "course", "character", "associated", "systems", "concerns", "mood", "past_medical"}
)
_CHEERFUL: Final = re.compile(
    r"\b(?:cheerful|happy|enjoy|lovely|fine|well|good|brilliant|over the moon)\b", re.I
)
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


def kind_of(line: str) -> AnswerKind:
    """The kind of a stock answer: what it says about the matter asked for."""
    if line in _KINDS:
        return _KINDS[line]
    return "fact" if _AFFIRMS.match(line) else "denial" if _DENIES.match(line) else "dont_know"


def courtesy(persona: str, *, greeting: bool, parting: bool) -> str:
    """A short polite reply without content."""
    lines = _COURTESY.get(persona, _COURTESY["plain"])
    return lines[2] if parting else lines[0] if greeting else lines[1]


_BESIDE: Final = re.compile(
    r"\b(?:his|her|my|our|the)\s+(?:\w+\s+)?(mother|mum|father|dad|brother|sister|husband|wife|partner"
    r"|son|daughter|friend"
    r"|boyfriend|girlfriend|neighbour)\b[^.]{0,70}?\b(?:sitting with (?:her|him|me)|in the corner"
    r"|here with (?:her|him|me)"
    r"|at the bedside|in the room|beside (?:her|him|me))\b",
    re.I,
)


def declined(gate: Told, view: PatientView) -> str:
    """A refusal that shows why a fact asked for is kept back, by what would have to be assured first."""
    if gate == "confidential":
        return "I'd rather not say. I don't know who would get to hear of it."
    if gate == "normalized":
        return "I'd rather not go into that, it's a bit embarrassing."
    for fact in view.facts:
        with_them = _BESIDE.search(fact.text) if fact.told in ("asked", "volunteered") else None
        if with_them:
            return f"I'd rather not say, not with my {with_them.group(1).lower()} here."
    return "I'd rather not talk about that with other people around."


def again(answer: str) -> str:
    """Mark an answer as a repetition of one given to an earlier question."""
    return f"As I said: {answer}"


def weighs(fact: PatientFact) -> bool:
    """Whether a fact is something to be anxious about: a trouble that is there, or a fear."""
    return not fact.absent and fact.topic in _HEAVY and not _CHEERFUL.search(fact.spoken or fact.text)


def wrapped(answer: str, persona: str, world: str, turn: int, *, heavy: bool = True) -> str:
    """Wrap an answer in the persona's manner; the variant depends only on the world and the turn.

    What is anxious is said only where the answer is `heavy`, and not each time.
    """
    wraps = _WRAPS.get(persona, _WRAPS["plain"])
    if len(wraps) == 1 or (persona == "anxious" and not heavy):
        return answer
    before, after = wraps[(_order(world, turn // len(wraps), len(wraps)))[turn % len(wraps)]]
    return f"{before}{answer}{after}"


@lru_cache(maxsize=4096)
def _order(world: str, lap: int, n: int) -> tuple[int, ...]:
    """The variants in an order of their own for each world and each time round."""
    order = list(range(n))
    rng(world, "patient", f"voice {lap}").shuffle(order)
    return tuple(order)


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


def told(fact: PatientFact, *, speaker: str) -> str:
    """Render a fact as the speaker says it; where its source's prose cannot be turned into their words,
    it is read out as the note that it is, so that no fact of a case is out of reach.

    One who speaks for the patient and is no parent keeps the plain statement, without "his wife says that".
    """
    if fact.spoken is not None:
        return sentence(fact.spoken)
    turned = {"patient": in_first_person, "parent": in_carers_words}.get(speaker)
    plain = turned(fact.text) if turned else in_companions_words(fact.text, speaker) or fact.text
    if plain is None:
        return f"{_IN_MY_NOTES if speaker == 'patient' else _IN_THE_NOTES}: {sentence(fact.text)}"
    return sentence(f"No: {plain}" if fact.absent and not _NEGATIVE.search(fact.text) else plain)


def noticed(names: Sequence[str]) -> str:
    """A sentence that affirms symptoms which no fact tells, by their names."""
    return f"Yes, I have noticed this: {', '.join(_plain(names))}."


def denied(names: Sequence[str]) -> str:
    """A sentence that denies the symptoms asked about, by their names, and nothing else."""
    return f"No {', no '.join(_plain(names))}."


def _plain(names: Sequence[str]) -> list[str]:
    return [name[:1].lower() + name[1:] for name in dict.fromkeys(names)]
