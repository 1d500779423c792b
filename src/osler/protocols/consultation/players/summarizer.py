"""The built-in summarizer: what the patient told and what results showed, in the words in which it came.

It uses no model, so it weighs nothing. It leaves out the doctor's words and what the patient said without
telling anything; a bare yes or no it completes by the findings that were asked for.
"""

from __future__ import annotations

import re
from typing import Final

from osler.core.events import Said
from osler.core.order_events import Resulted
from osler.protocols.consultation.seats import SummarizerTurn, SummarizerView, WrittenText
from osler.text.findings_in_text import finding, mentions

_LONGEST: Final = 8000
_BARE: Final = 6  # words; a longer answer says what it is about
_NO: Final = re.compile(r"\W*(?:no|nope|not|never|none|nothing)\b", re.IGNORECASE)
_YES: Final = re.compile(r"\W*(?:yes|yeah|yep)\b", re.IGNORECASE)


class BaselineSummarizer:
    """The built-in summarizer. Stateless."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: SummarizerTurn) -> WrittenText:
        """Summarize everything heard so far: a pure function of the request."""
        told, result, missing = dict[str, None](), dict[str, str](), dict[str, None]()
        question = ""
        for item in request.feed:
            if isinstance(item, Said) and item.by == "patient":
                told[_completed(question, item.text)] = None
            elif isinstance(item, Said):
                question = item.text
            elif isinstance(item, Resulted) and item.returned:
                result[item.name] = item.text
            elif isinstance(item, Resulted):
                missing[item.name] = None
        parts = [_who(request.view), f"The patient said: {' '.join(filter(None, told))}"]
        if result:
            parts.append(f"Results: {' '.join(f'{name}: {_ended(text)}' for name, text in result.items())}")
        if left := [name for name in missing if name not in result]:
            parts.append(f"Not obtained: {', '.join(left)}.")
        return WrittenText(text="\n".join(filter(None, parts))[:_LONGEST])


def _who(view: SummarizerView) -> str:
    age = "" if view.age_years is None else f"{view.age_years:g} years old"
    who = ", ".join(filter(None, (age, view.sex or "")))
    return " ".join(_ended(part) for part in (view.door_note, who) if part)


def _completed(question: str, answer: str) -> str:
    """An answer that can stand without its question; "" if it tells nothing by itself."""
    if mentions(answer) or len(answer.split()) > _BARE:
        return answer
    names = [finding(name).name.lower() for name in mentions(question)]
    if names and _NO.match(answer):
        return f"No {', no '.join(names)}."
    if names and _YES.match(answer):
        return f"There is {', '.join(names)}."
    return "" if _NO.match(answer) or _YES.match(answer) else answer


def _ended(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."
