"""Extraction of the answer from a model's text: the last complete JSON object, outside reasoning and fences.

The text is untrusted. Nothing is executed, and the work is linear in the length of the text: every pattern
consumes what it scans, and an object is searched for from a bounded number of starting points.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from typing import Any, Final, Never

from pydantic_core import from_json

LONGEST_TEXT: Final = 1_000_000
LONGEST_LITERAL: Final = 20_000
_STARTS: Final = 3
_SPANS: Final = 64
_MISSING: Final = object()
_THOUGHT: Final = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_ENDS: Final = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
# An unterminated string extends to the end, so that no part of it is scanned twice.
_STRING: Final = r'"(?:[^"\\]|\\.)*+"?'
_MARKS: Final = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)
_OPENING: Final = re.compile(r"\{")
_TRAILING_COMMA: Final = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)
_LINE_START: Final = re.compile(r"^\{", re.MULTILINE)
_FENCE: Final = re.compile(r"\A```\w{0,20}\s*+|\s*+```\Z")
_WORDS_OF_JSON: Final = re.compile(rf"""({_STRING}|'(?:[^'\\]|\\.)*+'?)|\b(true|false|null)\b""", re.DOTALL)
_CALL: Final = re.compile(
    r"<\|?(?:tool_?calls?|function_?calls?|python_tag)\|?>|\[TOOL_CALLS\]", re.IGNORECASE
)
_OF_A_CALL: Final = frozenset({"name", "arguments", "parameters", "type", "id"})
# A string between typographic quotes, where JSON has one: between brackets, commas and colons.
_TYPOGRAPHIC: Final = re.compile(r"([{\[,:]\s*+)[“„”]([^“„”]*+)[”“](?=\s*+[:,}\]])")
_HIGHEST_MARK: Final = 10
_NUMBER: Final = re.compile(r"\s*\d{1,3}(?:\.\d{1,6})?\s*")
_PERCENT: Final = re.compile(r"\s*(\d{1,3}(?:[.,]\d{1,6})?)\s*%\s*")
_IN_PYTHON: Final = {"true": "True", "false": "False", "null": "None"}


def without_thought(text: str) -> str:
    """The text after leading reasoning (`<think>...</think>`, with the opening tag optional). Reasoning that
    never ends leaves nothing."""
    at = 0
    while opened := _THOUGHT.match(text, at):
        ended = _THOUGHT_ENDS.search(text, opened.end())
        if ended is None:
            return ""
        at = ended.end()
    if at == 0 and not text.lstrip().startswith("{"):
        # Some chat templates write the opening tag themselves, so the answer begins inside the reasoning.
        ended = _THOUGHT_ENDS.search(text)
        at = ended.end() if ended else 0
    return text[at:].strip()


def whole_object(text: str) -> dict[str, Any] | None:
    """The JSON object that is the whole text apart from leading reasoning, or `None`. A list of one object is
    taken as that object."""
    return _only_object(_whole(text))


def ends_in_object(text: str) -> bool:
    """Whether a text ends with a JSON object, fenced or not."""
    return text.rstrip("` \t\r\n").endswith("}") and last_object(text) is not None


def object_in(value: object) -> object:
    """The object that a text holds and nothing else; any other value as it is, and an empty object too."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    result = _loaded(value)
    return result if isinstance(result, dict) and result else value


def share_of(value: object) -> object:
    """A share from 0 to 1, where a value is one or is plainly meant as a percentage: "90%", 90. Any other
    value as it is; so is 1.5 or 5, which might be on another scale."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, str):
        match = _PERCENT.fullmatch(value)
        share = float(match[1].replace(",", ".")) / 100 if match else math.inf
    elif isinstance(value, bool) or not isinstance(value, int | float):
        return value
    else:
        share = value / 100 if value > _HIGHEST_MARK else float(value)
    return share if 0 <= share <= 1 else value


def _only_object(found: object) -> dict[str, Any] | None:
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    found = object_in(found)
    return found if isinstance(found, dict) else None


def _called(text: str, found: dict[str, Any] | None) -> dict[str, Any] | None:
    """The arguments, if a text is a call of a tool; of several calls none is the answer."""
    calls = _CALL.findall(text)
    if found is None or not calls or not found.keys() <= _OF_A_CALL:
        return found
    given = object_in(found.get("arguments", found.get("parameters")))
    if not isinstance(given, dict) or not isinstance(found.get("name"), str):
        return found
    return given if len(calls) == 1 else None


def last_object(text: str) -> dict[str, Any] | None:
    """The last complete JSON object in a text, or `None`.

    Tolerates reasoning, prose, fences, trailing commas, raw line breaks in strings, a list or a string around
    one object, a dict as Python writes it, a call of a tool with the object as its arguments, and typographic
    quotes in the place of JSON's.
    """
    result = _called(text, _last_object(text))
    if result is None and (straight := _TYPOGRAPHIC.sub(_straightened, text)) != text:
        result = _called(straight, _last_object(straight))
    return result


def _straightened(match: re.Match[str]) -> str:
    inner = match[2].replace('"', '\\"')
    return f'{match[1]}"{inner}"'


def _last_object(text: str) -> dict[str, Any] | None:
    result = _whole(text)
    if result is not _MISSING or len(text) > LONGEST_TEXT:
        return _only_object(result)
    text = without_thought(text)
    for start in _starts(text):
        for begin, end in reversed(_whole_spans(text, start)[-_SPANS:]):
            candidate = text[begin:end]
            value = _loaded(candidate)
            if value is _MISSING:
                value = _loaded(_TRAILING_COMMA.sub(lambda match: match.group(1) or "", candidate))
            if value is _MISSING:
                value = _python_literal(candidate)
            if isinstance(value, dict):
                return value
    return None


def _whole(text: str) -> Any:
    """The JSON value that is the whole text apart from leading reasoning, else `_MISSING`."""
    if len(text) > LONGEST_TEXT:
        return _MISSING
    result = _loaded(text)
    if result is _MISSING:
        text = without_thought(text)
        result = _loaded(text)
    return _python_literal(_FENCE.sub("", text)) if result is _MISSING else result


def _starts(text: str) -> list[int]:
    """The offsets at which to start scanning: the beginning, then the last lines that open an object, because
    a stray brace or quote in the prose before hides what follows it."""
    lines = [match.start() for match in _LINE_START.finditer(text)]
    return [0, *reversed(lines[-_STARTS:])]


def _whole_spans(text: str, start: int) -> list[tuple[int, int]]:
    """The outermost balanced `{...}` spans from `start`, in order. Quotes count only inside braces."""
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
    """The JSON value that is the whole text, else `_MISSING`. NaN and Infinity are not JSON."""
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        pass
    try:
        return _LENIENT.decode(text)
    except (ValueError, RecursionError):
        return _MISSING


def _python_literal(text: str) -> Any:
    """The value of a dict or list written with Python's quotes and constants, or with JSON's constants among
    Python's quotes, else `_MISSING`. Only a literal is parsed; the length bounds the parser's work."""
    if len(text) > LONGEST_LITERAL or "'" not in text or text[:1] not in ("{", "["):
        return _MISSING
    text = _WORDS_OF_JSON.sub(lambda match: match.group(1) or _IN_PYTHON[match.group(2)], text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # an escape that Python does not know
            warnings.simplefilter("ignore", DeprecationWarning)
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return _MISSING
    return value if _is_json(value) else _MISSING


def _is_json(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(inner) for key, inner in value.items())
    if isinstance(value, list):
        return all(map(_is_json, value))
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)
