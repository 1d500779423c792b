"""Speech acts: what a doctor does with words beside asking for a fact: asks leave, breaks news, sums up.

A learned model (`utterance_kind`) tells most of them apart. Those on which safety rests are known by rule:
commands to the player, privacy, confidentiality and questions about harm; the patterns are in
speech_acts.yaml.
Every function here is pure and cached.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final, Literal, NamedTuple, cast

import yaml

from osler.text.tokens import lowered, mended, sentences

ActByRule = Literal[
    "instruction",  # commands the player, not the patient
    "privacy",
    "confidentiality",
]
Act = (
    ActByRule
    | Literal[
        "identity",  # name, date of birth, hospital number
        "teach_back",
        "any_questions",
        "wants_told",  # offers to explain, or asks how much they want to know
        "repeat",  # asks for something to be said again
        "during_exam",  # what is said while examining
        "chaperone",
        "examine",  # asks leave to examine, test or treat, or announces it
        "treat",  # asks leave to treat
        "notes",  # asks leave to take notes, to read or share the record among doctors, to have a student in
        "ask_leave",  # asks leave to ask
        "relatives",  # asks leave to speak to relatives, or offers their company
        "good_news",
        "bad_news",
        "how_feel",
        "plan_ok",  # whether what was said suits them, or is understood
        "rudeness",
        "apology",
        "empathy",
        "closing",
        "thanks",
        "offer",
        "presence",
        "greeting",
        "off_topic",  # is of the world, a textbook or a machine, and has nothing to do with the visit
    ]
)
Risk = Literal[
    "suicide_protect",
    "overdose",
    "suicide_past",
    "suicide_plan",
    "suicide_means",
    "suicide_safe",
    "suicide_thoughts",
    "harm_others",
    "child_harm",
    "abuse",
    "coping",
]

# What is longer is no sentence of a conversation; the patterns are not linear.
_LONGEST: Final = 400
_OUTER: Final = ' \t\n.?!;:,-–—…"()*'
_PART: Final = re.compile(r"<(\w+)>")


@lru_cache(maxsize=20_000)
def plain(text: str) -> str:
    """A sentence as the patterns want it: lower case, without outer punctuation, text-speak spelt out."""
    return " ".join(mended(text[:_LONGEST]).split()).strip(_OUTER)


@lru_cache(maxsize=20_000)
def does_by_rule(act: ActByRule, said: str) -> bool:
    """Whether any sentence of an utterance does an act that is known by rule, whatever else it does."""
    return any(_acts()[act].search(plain(sentence)) for sentence in sentences(said))


@lru_cache(maxsize=20_000)
def risk_of(sentence: str) -> Risk | None:
    """The harm that a sentence asks about, if any."""
    text = plain(sentence)
    return next((risk for risk, each in _risks().items() if each.asked.search(text)), None)


@lru_cache(maxsize=20_000)
def holds_risk(risk: Risk, text: str) -> bool:
    """Whether a statement of the patient's answers a question about a harm."""
    return _risks()[risk].held.search(lowered(text)) is not None


@cache
def _source() -> dict[str, Any]:
    text = resources.files("osler.knowledge").joinpath("speech_acts.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loaded: dict[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506 - both are safe
    return loaded


class _Harm(NamedTuple):
    """The patterns of questions about a harm, and of the statements that answer them."""

    asked: re.Pattern[str]
    held: re.Pattern[str]


@cache
def _acts() -> dict[ActByRule, re.Pattern[str]]:
    return {cast("ActByRule", act): _any_of(text.splitlines()) for act, text in _source()["acts"].items()}


@cache
def _risks() -> dict[Risk, _Harm]:
    return {
        cast("Risk", risk): _Harm(_any_of(each["asked"].splitlines()), _any_of(each["held"].splitlines()))
        for risk, each in _source()["risk"].items()
    }


def _any_of(lines: Sequence[str]) -> re.Pattern[str]:
    """A pattern that matches what any of the lines does."""
    return re.compile("|".join(f"(?:{_with_parts(line)})" for line in lines), re.DOTALL)


def _with_parts(pattern: str) -> str:
    while _PART.search(pattern):
        pattern = _PART.sub(lambda name: str(_source()["parts"][name.group(1)]), pattern)
    return pattern
