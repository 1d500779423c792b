"""The fake endpoint's unscripted replies in the seats of a teaching ward round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from osler.testing.endpoint_schema import Json

_GROUP: Final = re.compile(r"bedside: ([^\n]*?)\. There are")
_ITEM: Final = re.compile(r"^((?:case|step-\d{1,3}|sibling-\d{1,3})): .*(\n  \w{1,2}: )?", re.MULTILINE)
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
            return {"feedback": "", "is_correct": True}
        case "supervisor":
            return {"issue_category": None, "feedback_and_suggestion": "", "is_safe": True}
    one: dict[str, Json] = {"explanation": "Textbooks differ on that.", "answer_provided": True}
    return {"explanations": [one] * texts[-1].count(_QUERY)}


def _tutor(texts: Sequence[str]) -> dict[str, Json]:
    found = _GROUP.search(texts[0])
    names = found[1].split(", ") if found else []
    return {
        "history": "The group has begun.",
        "question": "Ask towards the next step.",
        "students": [{"name": name, "thought": "Has not committed yet."} for name in names],
        "group": "They need a first observation.",
        "image": "It lies with the chart.",
        "guidance": f"{names[0] if names else 'Everybody'}, what on the chart fits the story?",
        "covered_steps": [],
    }


def _answers(text: str) -> list[Json]:
    return [{"id": item[1], "answer": "A" if item[2] else "I do not know."} for item in _ITEM.finditer(text)]
