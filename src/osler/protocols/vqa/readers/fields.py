"""The values of a row: texts, letters, lists written as text, and pictures as files or bytes."""

from __future__ import annotations

import ast
import base64
import binascii
import json
import re
import warnings
from collections.abc import Mapping
from typing import Any, Final

from osler.models.types import encodable
from osler.protocols.vqa.item import LETTERS, BadRow, Pictured, check_options
from osler.protocols.vqa.readers.rows import Row

LONGEST_LIST: Final = 50_000
"""The longest list written as text, in characters; it bounds the work of reading it."""
LONGEST_ID: Final = 100
_NOT_OF_AN_ID: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LETTER: Final = re.compile(r"\(?([A-Za-z])\)?[.:]?")
_DATA: Final = re.compile(r"data:image/[a-z.+-]{1,20};base64,", re.IGNORECASE)


def text(row: Row, *names: str) -> str:
    """The text of the first of these columns that the row has. Raises BadRow for any other value."""
    for name in names:
        value = row.get(name)
        if value is None or value == "":
            continue
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise BadRow(f"{name} is {kind(value)}, not text")
        return encodable(str(value)).strip()
    return ""


def needed(row: Row, *names: str) -> str:
    """As `text`; raises BadRow where there is none."""
    if not (result := text(row, *names)):
        raise BadRow(f"it has no {names[0]}")
    return result


def identity(row: Row, number: int) -> str:
    """The row's own id, with a hyphen for characters that no id of a case may have; or its number."""
    own = _NOT_OF_AN_ID.sub("-", text(row, "id", "question_id")).lstrip("._-")[:LONGEST_ID]
    return own or str(number)


def index_of(said: str, options: int, name: str) -> int:
    """The index of an option by its letter. Raises BadRow for anything but one letter of the options."""
    check_options(options)
    match = _LETTER.fullmatch(said)
    at = LETTERS.find(match[1].upper()) if match else -1
    if not 0 <= at < options:
        raise BadRow(f"{name} is {said[:40]!r}, not a letter from A to {LETTERS[options - 1]}")
    return at


def lettered(value: Any) -> tuple[str, ...]:
    """Options given by letter: {"A": ..., "B": ...}, [{"letter": "A", "content": ...}], or a list of texts.
    Letters at the end without a text, as tables pad them, are left out. Raises BadRow."""
    value = unpacked(value, "options")
    if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        pairs = [(one.get("letter"), one.get("content", one.get("text"))) for one in value]
        if len({letter for letter, _ in pairs if isinstance(letter, str)}) < len(pairs):
            raise BadRow("options need a letter each")
        value = dict(pairs)
    if isinstance(value, Mapping):
        by_letter = {str(letter).strip().upper(): one for letter, one in value.items()}
        letters = sorted(letter for letter, one in by_letter.items() if one is not None)
        if "".join(letters) != LETTERS[: len(letters)] or len(by_letter) < len(value):
            raise BadRow(f"options are lettered {', '.join(letters)[:60] or 'not at all'}, not A, B, C ...")
        value = [by_letter[letter] for letter in letters]
    return texts(value)


def texts(value: Any) -> tuple[str, ...]:
    """The options: a list of texts, or of numbers as texts. Raises BadRow."""
    value = unpacked(value, "options")
    if not isinstance(value, list):
        raise BadRow(f"options is {kind(value)}, not a list")
    for one in value:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            raise BadRow(f"options holds {kind(one)}, not only texts")
    return tuple(encodable(str(one)).strip() for one in value)


def unpacked(value: Any, name: str) -> Any:
    """A value, or the one that its text holds as JSON or as a Python literal, which is never evaluated.
    Raises BadRow for a text that is neither."""
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_LIST:
        raise BadRow(f"{name} is longer than {LONGEST_LIST:,} characters")
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape that Python does not know
            return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise BadRow(f"{name} is no list that can be read: {value[:60]!r}") from None


def picture(value: Any, number: int, name: str) -> Pictured | None:
    """A picture: the name of a file, a data URL, or {"bytes", "path"}, bytes in JSON as base64; `None` for
    none. Raises BadRow."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        if started := _DATA.match(value):
            return Pictured(number, name, _bytes(value[started.end() :], name))
        return Pictured(number, encodable(value).strip())
    if isinstance(value, bytes):
        return Pictured(number, name, value)
    if isinstance(value, Mapping) and ("bytes" in value or "path" in value):
        raw, path = value.get("bytes"), value.get("path")
        if isinstance(raw, bytes) and raw:
            return Pictured(number, name, raw)
        if isinstance(raw, str) and raw:
            return Pictured(number, name, _bytes(raw, name))
        if not raw and isinstance(path, str) and path.strip():
            return Pictured(number, encodable(path).strip())
        if not raw and not path:
            return None
    raise BadRow(f"{name} is {kind(value)}, no picture")


def kind(value: object) -> str:
    """The kind of a value in words."""
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    known = {str: "a text", list: "a list", dict: "an object", int: "a number", float: "a number"}
    return known.get(type(value), "something else")


def _bytes(said: str, name: str) -> bytes:
    try:
        return base64.b64decode(said, validate=True)
    except (binascii.Error, ValueError):
        raise BadRow(f"{name} is not base64") from None
