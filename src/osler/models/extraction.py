"""Finding the answer in a model's text: without its thought, out of its fences, the last whole JSON object.

The text is hostile. Nothing is evaluated, and the work is linear in the length of the text: every pattern
consumes what it scans, and an object is looked for from a bounded number of starting points.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, Never

from pydantic_core import from_json

LONGEST_TEXT: Final = 2_000_000
_STARTS: Final = 8
_FENCES: Final = 4
_MISSING: Final = object()
_THOUGHT: Final = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_ENDS: Final = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
# A string without its closing quote runs to the end, so that no part of it is scanned twice.
_STRING: Final = r'"(?:[^"\\]|\\.)*+"?'
_MARKS: Final = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)
_OPENING: Final = re.compile(r"\{")
_TRAILING_COMMA: Final = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)
_LINE_START: Final = re.compile(r"^[ \t]{0,8}\{", re.MULTILINE)


def without_thought(text: str) -> str:
    """The text after a leading thought (`<think>...</think>`, its opening perhaps left out). A thought that
    never ends leaves nothing."""
    while opened := _THOUGHT.match(text):
        ended = _THOUGHT_ENDS.search(text, opened.end())
        if ended is None:
            return ""
        text = text[ended.end() :]
    ended = _THOUGHT_ENDS.search(text)
    # An opening left out: the template had written it. Inside an object it is only text.
    if ended is not None and "{" not in text[: ended.start()].lstrip()[:1]:
        text = text[ended.end() :]
    return text.strip()


def last_object(text: str) -> dict[str, Any] | None:
    """The last whole JSON object in a text, or `None`.

    Tolerates thought, prose, fences, trailing commas and raw line breaks inside strings; not single quotes.
    """
    if len(text) > LONGEST_TEXT:
        return None
    found = _loaded(text)
    if found is not _MISSING:
        return found if isinstance(found, dict) else None
    text = without_thought(text)
    for candidate in _candidates(text):
        found = _loaded(candidate)
        if found is _MISSING:
            found = _loaded(_TRAILING_COMMA.sub(lambda match: match.group(1) or "", candidate))
        if isinstance(found, dict):
            return found
    return None


def _candidates(text: str) -> Iterator[str]:
    """Pieces of a text that may be its answer, the likeliest first."""
    yield text
    yield from _fenced(text)
    for start in _starts(text):
        for begin, end in reversed(_whole_spans(text, start)):
            yield text[begin:end]


def _fenced(text: str) -> Iterator[str]:
    """What stands in the last few closed fences, from the last backwards."""
    pieces = text.split("```")
    inside = pieces[1:-1:2] if len(pieces) % 2 else pieces[1::2]
    for piece in reversed(inside[-_FENCES:]):
        yield piece[piece.find("{") :] if "{" in piece else ""


def _starts(text: str) -> list[int]:
    """Where to begin scanning: the whole text, then its last lines that open an object, because a stray brace
    or quote in the prose before hides what follows it."""
    lines = [match.start() for match in _LINE_START.finditer(text)]
    return [0, *reversed(lines[-_STARTS:])]


def _whole_spans(text: str, start: int) -> list[tuple[int, int]]:
    """Outermost balanced `{...}` from `start`, in order. Quotes count only inside braces."""
    spans: list[tuple[int, int]] = []
    opened: list[int] = []
    at = start
    while first := _OPENING.search(text, at):
        at = len(text)
        for mark in _MARKS.finditer(text, first.start()):
            sign = mark.group()
            if sign == "{":
                opened.append(mark.start())
            elif sign == "}" and opened:
                begin = opened.pop()
                while spans and spans[-1][0] > begin:
                    spans.pop()
                spans.append((begin, mark.end()))
                if not opened:
                    at = mark.end()
                    break
    return spans


def _refuse_constant(name: str) -> Never:
    raise ValueError(name)


_LENIENT: Final = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)


def _loaded(text: str) -> Any:
    """The JSON value that is the whole text, else `_MISSING`. NaN and Infinity are no JSON."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        pass
    try:
        return _LENIENT.decode(text)
    except (ValueError, RecursionError):
        return _MISSING
