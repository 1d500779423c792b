"""The fake endpoint's unscripted replies in every seat.

A seat is recognized by the properties of the schema it is asked to fill, else by the schema's name, else by
the speaker named in the system message. The replies depend on nothing but the messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, get_args

from osler.testing.endpoint_schema import Json, Schema, words

_TEACHES: Final = "You are the tutor on"
_TAGGED: Final = re.compile(r'^<((think_\w+)(?: student_id="[^"\n]*")?)>', re.MULTILINE)
_GROUP: Final = re.compile(r"bedside: ([^\n]*?)\. There are")
_ITEM: Final = re.compile(r"^(Q\d\d) <item>.*(\n  \w{1,2}: )?", re.MULTILINE)
_QUERY: Final = "<asked_the_expert>"
_QUERY_TEXT: Final = "What are the typical findings of pneumonia?"
_ASKED: Final = ("When did it start?", "Does anything make it better?", "How are things at home?")


def in_the_round(seat: str, turn: int, texts: Sequence[str]) -> dict[str, Json]:
    """The replies of a seat by property name; `texts` are the messages, the system's first."""
    match seat:
        case "tutor":
            return _tutor(texts)
        case "student":
            return {
                "analysis_for_teacher": "I would look at the chart again before I commit myself.",
                "query_for_patient": _ASKED[turn % len(_ASKED)],
                "query_for_expert": _QUERY_TEXT if turn % 4 == 0 else None,
                "answers": _answers(texts[-1]),
            }
        case "specialist":
            return {"action": "APPROVE"}
        case "supervisor":
            return {"action": "APPROVE"}
    one: dict[str, Json] = {"explanation": "Textbooks differ on that.", "answer_provided": True}
    return {"explanations": [one] * texts[-1].count(_QUERY)}


def _tutor(texts: Sequence[str]) -> dict[str, Json]:
    match = _GROUP.search(texts[0])
    names = match[1].split(", ") if match else []
    return {
        "history": "The group has begun.",
        "question": "Ask towards the next step.",
        "students": [
            {"name": f"N{number:02d}", "thought": "Has not committed yet."}
            for number in range(1, len(names) + 1)
        ],
        "group": "They need a first observation.",
        "image": "It lies with the chart.",
        "guidance": f"{names[0] if names else 'Everybody'}, what on the chart fits the story?",
        "covered_steps": [],
    }


def tutor_in_tags(rules: str, said: Mapping[str, object]) -> str:
    """A tutor's turn in the tags that its rules name; without `thought` it says the guidance alone, which is
    no turn."""
    if not said.get("thought", True):
        return str(said["guidance"])
    opened = list(_TAGGED.findall(rules))
    words = {"think_history": said["history"], "think_question": said["question"]}
    words |= {"think_group": said["group"], "think_image": said["image"]}
    parts = [f"<{tag}>{words.get(name, 'Has not committed yet.')}</{name}>" for tag, name in opened]
    return "\n".join((*parts, "", str(said["guidance"])))


def _answers(text: str) -> list[Json]:
    return [{"id": item[1], "answer": "A" if item[2] else "I do not know."} for item in _ITEM.finditer(text)]


_ACTS: Final = "The examinee's acts:"
_ACT: Final = re.compile(r"^(A\d\d) <act>(.*?)</act>", re.MULTILINE)
_DECLARED: Final = re.compile(r"^(D\d\d) <what>(.*?)</what>", re.MULTILINE)
_PERSON: Final = re.compile(r"^(P\d\d): ", re.MULTILINE)
_WORD: Final = re.compile(r"[a-z]{4,}")
_ENDS: Final = "The examinee ends this state"
_MATERIALS: Final = "<materials>"
_MOVES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("Hello, my name is Dr Lane. What brings you here?", ("Attach the monitor and take the vital signs",)),
    ("When did it start?", ("Measure the capillary blood glucose", "Examine the chest")),
    ("Which medicines do you take?", ("Give glucose intravenously",)),
    ("I will explain what I think has happened.", ()),
)
_MOST_STATES: Final = 3
_CHOOSE: Final = re.compile(r"choose (\d) of these experts")
_LISTED: Final = re.compile(r"^\d+\. the ", re.MULTILINE)


def in_the_scenario(seat: str, turn: int, texts: Sequence[str]) -> dict[str, Json]:
    """The replies of a seat by property name; `texts` are the messages, the system's first."""
    match seat:
        case "examinee":
            return {**_examinee(turn), "experts": _panel(texts[-1])}
        case "patient":
            match = _PERSON.search(texts[0])
            who = match[1] if match else "patient"
            one: dict[str, Json] = {"who": who, "words": "I am not sure about that."}
            return {"speak": [one]}
    return _controller(texts)


def _examinee(turn: int) -> dict[str, Json]:
    speak, actions = _MOVES[turn % len(_MOVES)]
    ends = "END_STATE" if turn % 3 == 2 else "GO_ON"
    move: dict[str, Json] = {"action": ends, "speak": speak, "actions": list(actions)}
    judging: dict[str, Json] = {"reason": "It does what is due.", "chosen": 1, "approve": True}
    return {**move, **judging, "comment": "Begin with what is most urgent, and explain it."}


def _panel(asked: str) -> list[Json]:
    """The last experts of the list that is shown, as many as are asked for."""
    number, listed = _CHOOSE.search(asked), len(_LISTED.findall(asked))
    return list(range(listed - int(number[1]) + 1, listed + 1)) if number else []


def _controller(texts: Sequence[str]) -> dict[str, Json]:
    acted = next((text for text in reversed(texts) if _ACTS in text), "")
    acted = acted[acted.rfind(_ACTS) :]
    controller: dict[str, Json] = {
        "assessments": list(_assessed(acted, texts[0])),
        "feedback": [],
        "team": [],
    }
    if _MATERIALS not in texts[0]:
        return controller
    at = _progress(texts)
    ends = _ENDS in acted
    over = ends and at + 1 >= _MOST_STATES
    to = at + (ends and not over)
    course: dict[str, Json] = {
        "progress_index": to,
        "state_label": f"stage {to}" if to else "",
        "should_end": over,
        "completion_reason": "The materials hold no further state." if over else "",
    }
    status = "He looks as before." if to == 0 else "He looks a little better."
    return {**controller, **course, "events": [], "patient_status": status, "actors_present": []}


def _assessed(acted: str, system: str) -> Iterator[dict[str, Json]]:
    declared = [(ident, set(_WORD.findall(what.lower()))) for ident, what in _DECLARED.findall(system)]
    for number, act in _ACT.findall(acted):
        said = set(_WORD.findall(act.lower()))
        best = max(declared, key=lambda one: len(one[1] & said), default=("", set[str]()))
        name = best[0] if len(best[1] & said) > 1 else "NONE" if declared else "what was said"
        status = "unsupported" if name == "NONE" else "executed"
        result: dict[str, Json] = {
            "act": number,
            "part": "",
            "interpreted_action": name,
            "status": status,
        }
        yield result if declared else {**result, "rationale": ""}


def _progress(texts: Sequence[str]) -> int:
    """The progress index in its own last reply."""
    for text in reversed(texts[1:]):
        if text.startswith("{") and '"progress_index"' in text:
            index = json.loads(text)["move"].get("progress_index")
            return index if isinstance(index, int) else 0
    return 0


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
    ("examination", frozenset({"unheld"})),
    ("patient", frozenset({"facts"})),
    ("doctor", frozenset({"action"})),
    ("doctor", frozenset({"test_name"})),
    ("doctor", frozenset({"followup"})),
    ("consultant", frozenset({"advice"})),
    ("judge", frozenset({"verdict"})),
    ("judge", frozenset({"verdicts"})),
    ("judge", frozenset({"justification"})),
    ("controller", frozenset({"assessments"})),
    ("specialist", frozenset({"feedback", "covered_steps"})),
    ("tutor", frozenset({"guidance"})),
    ("student", frozenset({"analysis_for_teacher"})),
    ("student", frozenset({"query_for_patient"})),
    ("student", frozenset({"answers"})),
    ("supervisor", frozenset({"issue_category"})),
    ("expert", frozenset({"explanations"})),
    ("patient", frozenset({"speak", "actors_present"})),
    ("examinee", frozenset({"speak", "actions"})),
    ("examinee", frozenset({"chosen"})),
    ("examinee", frozenset({"comment"})),
    ("examinee", frozenset({"approve"})),
    ("examinee", frozenset({"experts"})),
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


class SeatTurn(NamedTuple):
    """The parts of a conversation that the template needs. `turn` counts the seat's own earlier answers."""

    seat: SeatName
    turn: int
    texts: tuple[str, ...]


def wanted(turn: SeatTurn) -> dict[str, Json]:
    """The seat's reply by property name; a schema takes the properties it has."""
    match turn.seat:
        case "doctor":
            return {"note": "It is what is due.", **_doctor(turn)}
        case "patient":
            answer = _UNSURE[turn.turn % len(_UNSURE)]
            return {
                "answer": answer,
                "facts": [],
                **in_the_scenario("patient", turn.turn, turn.texts),
            }
        case "examination":
            none: dict[str, Json] = {"action": "NONE", "note": "not held", "unheld": [], "unclear": []}
            return {**none, "match_type": "none", "reason": "not held"}  # the record's own fields as well
        case "consultant":
            note = f"{DIAGNOSIS} fits what has been said so far."
            return {"action": "ASK_NEXT", "advice": note, "diagnosis_suggestion": DIAGNOSIS}
        case "tutor" | "student" | "specialist" | "supervisor" | "expert":
            return in_the_round(turn.seat, turn.turn, turn.texts)
        case "examinee" | "controller":
            return in_the_scenario(turn.seat, turn.turn, turn.texts)
    return {}


def spoken(turn: SeatTurn, seed: str, fields: Mapping[str, Json] = MappingProxyType({})) -> str:
    """The seat's answer where no schema was given: prose, or a text move. `fields` are a tutor's words by
    property."""
    match turn.seat:
        case "tutor":
            return tutor_in_tags(turn.texts[0], {**wanted(turn), **fields})
        case "doctor":
            move = _doctor(turn)
            if "test_name" in move:
                return f"REQUEST TEST: [{move['test_name']}]"
            return str(move["question"]) if "question" in move else f"DIAGNOSIS READY: [{DIAGNOSIS}]"
        case "patient":
            return _UNSURE[turn.turn % len(_UNSURE)]
        case "examination":
            return "RESULTS: this could not be obtained."
        case "consultant":
            return f"{DIAGNOSIS} fits what has been said so far."
        case "judge":
            return "Yes"
    return f"{words(seed, 8).capitalize()}."


def _doctor(seat_turn: SeatTurn) -> dict[str, Json]:
    turn = seat_turn.turn
    if turn < ASKED_FIRST:
        return {"action": "ASK", "question": QUESTIONS[turn % len(QUESTIONS)]}
    if turn < ASKED_FIRST + len(TESTS):
        return {"action": "REQUEST_TEST", "test_name": TESTS[turn - ASKED_FIRST]}
    first_option = "A" if any(_FIRST_OPTION.search(text) for text in seat_turn.texts[:2]) else None
    return {"action": "FINALIZE", "diagnosis": DIAGNOSIS, "answer": first_option, "confidence": 0.5}


def seat_of(schema: str | None, name: str, first_text: str) -> SeatName:
    """The asking seat: by the schema, by its name, or by the first message."""
    if schema is not None and (seat := _by_properties(schema)):
        return seat
    lower = name.lower()
    return next((seat for sign, seat in _NAMES if sign in lower), None) or _by_text(first_text)


@lru_cache(maxsize=256)
def _by_properties(text: str) -> SeatName | None:
    """The seat by the properties of the schema itself, of its definitions, or of the moves in it."""
    schema: Schema = json.loads(text)
    definitions = schema.get("$defs")
    named: set[str] = set()
    for part in (schema, *(definitions.values() if isinstance(definitions, dict) else ())):
        named |= _properties(part)
    move = properties.get("move") if isinstance(properties := schema.get("properties"), dict) else None
    moves = move.get("anyOf") if isinstance(move, dict) else None
    for part in moves if isinstance(moves, list) else ():
        named |= _properties(part) - {"action"}
    return next((seat for seat, signs in _SIGNS if signs <= named), None)


def _properties(schema: Json) -> set[str]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return set(properties) if isinstance(properties, dict) else set()


@lru_cache(maxsize=256)
def _by_text(text: str) -> SeatName:
    if _TEACHES in text:
        return "tutor"
    if "DIAGNOSIS READY" in text:
        return "doctor"
    match = _WHO.search(text.lower())
    return _WHO_SEAT[match[1]] if match else "other"


def schema_in(texts: Sequence[str]) -> str | None:
    """The text of the JSON schema in the first message, which holds the instructions, else in the latest."""
    for text in (texts[0], *reversed(texts[1:])):
        if any(word in text for word in _SCHEMA_WORDS) and (schema := _schema_in(text)):
            return schema
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
