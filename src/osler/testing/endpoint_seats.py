"""The fake endpoint's unscripted replies in every seat.

A seat is recognized by the properties of the schema it is asked to fill, else by the schema's name, else by
the speaker named in the system message. The replies depend on nothing but the messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, get_args

from osler.testing.endpoint_round import in_the_round
from osler.testing.endpoint_scenario import in_the_scenario
from osler.testing.endpoint_schema import Json, Schema, words

SeatName = Literal[
    "doctor",
    "patient",
    "examination",
    "consultant",
    "judge",
    "tutor",
    "student",
    "specialist",
    "supervisor",
    "expert",
    "examinee",
    "controller",
    "other",
]
SEATS: Final[tuple[SeatName, ...]] = get_args(SeatName)

QUESTIONS: Final = (
    "What brings you here today, and when did it start?",
    "Can you describe it, and does anything make it better or worse?",
    "Have you had a fever, a cough, or lost weight?",
    "Do you take any medicines, and are you allergic to anything?",
    "Do you smoke or drink alcohol, and what is your work?",
    "Has anyone in your family had something similar?",
)
ASKED_FIRST: Final = 4
TESTS: Final = ("Full blood count", "Chest X-ray")
DIAGNOSIS: Final = "Community-acquired pneumonia"
_UNSURE: Final = (
    "I am not sure about that, doctor.",
    "I could not tell you, I am afraid.",
    "I do not know, to be honest.",
    "I really cannot say.",
)

_SIGNS: Final[tuple[tuple[SeatName, frozenset[str]], ...]] = (
    ("examination", frozenset({"match_type"})),
    ("patient", frozenset({"revealed_facts"})),
    ("doctor", frozenset({"action"})),
    ("doctor", frozenset({"test_name"})),
    ("consultant", frozenset({"recommend_finalize"})),
    ("judge", frozenset({"verdict"})),
    ("judge", frozenset({"verdicts"})),
    ("judge", frozenset({"justification"})),
    ("tutor", frozenset({"guidance"})),
    ("student", frozenset({"analysis_for_teacher"})),
    ("student", frozenset({"query_for_patient"})),
    ("student", frozenset({"answers"})),
    ("specialist", frozenset({"is_correct"})),
    ("supervisor", frozenset({"is_safe"})),
    ("expert", frozenset({"explanations"})),
    ("controller", frozenset({"assessments"})),
    ("patient", frozenset({"speak", "actors_present"})),
    ("examinee", frozenset({"eos"})),
    ("examinee", frozenset({"chosen"})),
    ("examinee", frozenset({"comment"})),
    ("examinee", frozenset({"approve"})),
)
_NAMES: Final[tuple[tuple[str, SeatName], ...]] = (
    ("consult", "consultant"),
    ("advice", "consultant"),
    ("judge", "judge"),
    ("verdict", "judge"),
    ("grade", "judge"),
    ("exam", "examination"),
    ("measurement", "examination"),
    ("patient", "patient"),
    ("doctor", "doctor"),
    ("physician", "doctor"),
)
_WHO: Final = re.compile(
    r"\b(doctor|physician|clinician|patient|examination|measurement|laboratory|consultant|specialist|judge|grader)\b"
)
_WHO_SEAT: Final[dict[str, SeatName]] = {
    "doctor": "doctor",
    "physician": "doctor",
    "clinician": "doctor",
    "patient": "patient",
    "examination": "examination",
    "measurement": "examination",
    "laboratory": "examination",
    "consultant": "consultant",
    "specialist": "consultant",
    "judge": "judge",
    "grader": "judge",
}
_FIRST_OPTION: Final = re.compile(r"(?:^|\{)[-*(\"' \t]{0,8}A[\"'*]{0,3}[:.)]", re.MULTILINE)
_SCHEMA_WORDS: Final = ('"properties"', '"$defs"', '"anyOf"', '"oneOf"')
_MOST_TRIES: Final = 50


class Heard(NamedTuple):
    """The parts of a conversation that the template needs. `turn` counts the seat's own earlier answers."""

    seat: SeatName
    turn: int
    texts: tuple[str, ...]


def wanted(heard: Heard) -> dict[str, Json]:
    """The seat's reply by property name; a schema takes the properties it has."""
    match heard.seat:
        case "doctor":
            return _doctor(heard)
        case "patient":
            answer = _UNSURE[heard.turn % len(_UNSURE)]
            in_consultation: dict[str, Json] = {"answer": answer, "unanswered_reason": "none"}
            return {
                **in_consultation,
                "revealed_facts": [],
                **in_the_scenario("patient", heard.turn, heard.texts),
            }
        case "examination":
            order = next((test for test in TESTS if test.lower() in heard.texts[-1].lower()), None)
            return {"match_type": "none", "findings": [], "matched_test_name": order, "reason": "not held"}
        case "consultant":
            note = f"{DIAGNOSIS} fits what has been said so far."
            return {"note": note, "recommend_finalize": False, "diagnosis_suggestion": DIAGNOSIS}
        case "tutor" | "student" | "specialist" | "supervisor" | "expert":
            return in_the_round(heard.seat, heard.turn, heard.texts)
        case "examinee" | "controller":
            return in_the_scenario(heard.seat, heard.turn, heard.texts)
    return {}


def spoken(heard: Heard, seed: str) -> str:
    """The seat's answer where no schema was given: prose, or a text move."""
    match heard.seat:
        case "doctor":
            move = _doctor(heard)
            if "test_name" in move:
                return f"REQUEST TEST: [{move['test_name']}]"
            return str(move["question"]) if "question" in move else f"DIAGNOSIS READY: [{DIAGNOSIS}]"
        case "patient":
            return _UNSURE[heard.turn % len(_UNSURE)]
        case "examination":
            return "RESULTS: this could not be obtained."
        case "consultant":
            return f"{DIAGNOSIS} fits what has been said so far."
        case "judge":
            return "Yes"
    return f"{words(seed, 8).capitalize()}."


def _doctor(heard: Heard) -> dict[str, Json]:
    turn = heard.turn
    if turn < ASKED_FIRST:
        return {"action": "ASK", "question": QUESTIONS[turn % len(QUESTIONS)]}
    if turn < ASKED_FIRST + len(TESTS):
        return {"action": "REQUEST_TEST", "test_name": TESTS[turn - ASKED_FIRST]}
    first_option = "A" if any(_FIRST_OPTION.search(text) for text in heard.texts[:2]) else None
    return {"action": "FINALIZE", "diagnosis": DIAGNOSIS, "answer": first_option, "confidence": 0.5}


def seat_of(schema: str | None, name: str, first_text: str) -> SeatName:
    """The asking seat: by the schema, by its name, or by the first message."""
    if schema is not None and (seat := _by_properties(schema)):
        return seat
    lower = name.lower()
    return next((seat for sign, seat in _NAMES if sign in lower), None) or _by_text(first_text)


@lru_cache(maxsize=256)
def _by_properties(text: str) -> SeatName | None:
    """The seat by the properties of the schema itself or of its definitions."""
    schema: Schema = json.loads(text)
    definitions = schema.get("$defs")
    inner = list(definitions.values()) if isinstance(definitions, dict) else []
    named: set[str] = set()
    for part in (schema, *inner):
        if isinstance(part, dict) and isinstance(properties := part.get("properties"), dict):
            named |= properties.keys()
    return next((seat for seat, signs in _SIGNS if signs <= named), None)


@lru_cache(maxsize=256)
def _by_text(text: str) -> SeatName:
    if "DIAGNOSIS READY" in text:
        return "doctor"
    found = _WHO.search(text.lower())
    return _WHO_SEAT[found[1]] if found else "other"


def schema_in(texts: Sequence[str]) -> str | None:
    """The text of the JSON schema in the first message, which holds the instructions, else in the latest."""
    for text in (texts[0], *reversed(texts[1:])):
        if any(word in text for word in _SCHEMA_WORDS) and (found := _schema_in(text)):
            return found
    return None


@lru_cache(maxsize=256)
def _schema_in(text: str) -> str | None:
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_MOST_TRIES):
        if (at := text.find("{", at)) < 0:
            return None
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if _is_schema(value):
            return text[at:end]
        at = end
    return None


def _is_schema(value: Mapping[str, Json]) -> bool:
    return any(isinstance(value.get(key), dict | list) for key in ("properties", "$defs", "anyOf", "oneOf"))
