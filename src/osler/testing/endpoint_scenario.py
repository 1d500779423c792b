"""The fake endpoint's unscripted replies in the seats of a scenario."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from osler.testing.endpoint_schema import Json

_ACTS: Final = "The examinee's acts:"
_ACT: Final = re.compile(r"^(\d+)\. <act>(.*?)</act>", re.MULTILINE)
_DECLARED: Final = re.compile(r"^([a-z][a-z0-9_]*): <what>(.*?)</what>", re.MULTILINE)
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


def in_the_scenario(seat: str, turn: int, texts: Sequence[str]) -> dict[str, Json]:
    """The replies of a seat by property name; `texts` are the messages, the system's first."""
    match seat:
        case "examinee":
            return _examinee(turn)
        case "patient":
            one: dict[str, Json] = {"who": "patient", "words": "I am not sure about that."}
            return {"speak": [one]}
    return _controller(texts)


def _examinee(turn: int) -> dict[str, Json]:
    speak, actions = _MOVES[turn % len(_MOVES)]
    move: dict[str, Json] = {"speak": speak, "actions": list(actions), "eos": turn % 3 == 2}
    judging: dict[str, Json] = {"reason": "It does what is due.", "chosen": 1, "approve": True}
    return {**move, **judging, "comment": "Begin with what is most urgent, and explain it."}


def _controller(texts: Sequence[str]) -> dict[str, Json]:
    acted = next((text for text in reversed(texts) if _ACTS in text), "")
    acted = acted[acted.rfind(_ACTS) :]
    found: dict[str, Json] = {"assessments": list(_assessed(acted, texts[0])), "feedback": [], "team": []}
    if _MATERIALS not in texts[0]:
        return found
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
    return {**found, **course, "events": [], "patient_status": status, "actors_present": []}


def _assessed(acted: str, system: str) -> Iterator[dict[str, Json]]:
    declared = [(ident, set(_WORD.findall(what.lower()))) for ident, what in _DECLARED.findall(system)]
    for number, act in _ACT.findall(acted):
        said = set(_WORD.findall(act.lower()))
        best = max(declared, key=lambda one: len(one[1] & said), default=("", set[str]()))
        name = best[0] if len(best[1] & said) > 1 else "" if declared else "what was said"
        status = "executed" if name else "unsupported"
        found: dict[str, Json] = {
            "act": int(number),
            "part": "",
            "interpreted_action": name,
            "status": status,
        }
        yield found if declared else {**found, "rationale": ""}


def _progress(texts: Sequence[str]) -> int:
    """The progress index in its own last reply."""
    for text in reversed(texts[1:]):
        if text.startswith("{") and '"progress_index"' in text:
            index = json.loads(text).get("progress_index")
            return index if isinstance(index, int) else 0
    return 0
