"""The leaves of a source record: the path of each, its text, and its holder in the case.

A path reads `OSCE_Examination.Patient_Actor.Symptoms.Secondary_Symptoms[0]`. A key that is empty or contains
a dot or a bracket is quoted as JSON: `Test_Results["Vit. B12"]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from osler.errors import BadCase
from osler.text.records.missing import is_missing, is_missing_key

MAX_DEPTH: Final = 40
MAX_KEY: Final = 1000
_PLAIN_KEY: Final = re.compile(r"[^.\[\]\"]+")
_BETWEEN_KEYS: Final = re.compile(r"[.\[\]\"]+")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]+")
_SURROGATE: Final = re.compile("[\ud800-\udfff\ufffe\uffff]")
_SPACES: Final = re.compile(r"[ \u00a0\u2007\u202f]+")
_CAMEL: Final = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z]{2})")
_X_RAY: Final = re.compile(r"\bx[- ]ray\b")
_ROOM_KEYS: Final = frozenset(("findings", "finding", "result", "results", "value"))


class Leaf(NamedTuple):
    """A path and its value, which holds no further values; an empty list or object is a leaf too."""

    path: str
    value: object


def below(path: str, key: str | int) -> str:
    """The path of a child."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if not _PLAIN_KEY.fullmatch(key):
        return f"{path}[{json.dumps(key)}]"
    return f"{path}.{key}" if path else key


def children(value: object) -> list[tuple[str | int, object]]:
    """The keyed or numbered children of a value; none for a leaf."""
    if isinstance(value, Mapping):
        return [(str(key), child) for key, child in value.items()]
    return list(enumerate(value)) if isinstance(value, list) else []


def leaves_of(value: object, path: str = "") -> Iterator[Leaf]:
    """Every leaf of a record, in order. Raises BadCase where it is nested too deeply or a key is too long."""
    waiting = [(path, value, 0)]
    while waiting:
        place, item, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise BadCase(f"nested more than {MAX_DEPTH} deep")
        inner = children(item)
        if not inner:
            yield Leaf(place, item)
        if any(isinstance(key, str) and len(key) > MAX_KEY for key, _ in inner):
            raise BadCase(f"a key is longer than {MAX_KEY} characters")
        waiting.extend((below(place, key), child, depth + 1) for key, child in reversed(inner))


def refuse_too_deep(value: object) -> None:
    """Raise BadCase where a value is nested too deeply or a key in it is too long, as `leaves_of` does."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[object] = []
        for item in level:
            if isinstance(item, dict):
                if any(isinstance(key, str) and len(key) > MAX_KEY for key in item):
                    raise BadCase(f"a key is longer than {MAX_KEY} characters")
                inner += item.values()
            elif isinstance(item, list):
                inner += item
        if not inner:
            return
        level = inner
    raise BadCase(f"nested more than {MAX_DEPTH} deep")


def last_key(path: str, above: str) -> str:
    """The last key of a path below the path `above`; empty where there is none."""
    keys = (key for key in _BETWEEN_KEYS.split(path[len(above) :]) if key and not key.isdigit())
    return next(reversed(list(keys)), "")


def clean(text: str) -> str:
    """Text without control characters or lone surrogates, its whitespace normalized."""
    return _SPACES.sub(" ", _CONTROL.sub(" ", _SURROGATE.sub("\ufffd", text))).strip()


def words_of(value: object) -> str:
    """A leaf as text; empty where it says nothing or stands for a missing value (`nan`, `NULL`, `N/A`)."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_missing(value) or isinstance(value, (Mapping, list)):
        return ""
    return clean(value) if isinstance(value, str) else str(value)


def as_written(value: object) -> str:
    """A leaf as its source has it, also where it says nothing: what a case lists of what it does not tell."""
    if isinstance(value, str):
        return clean(value)
    return "" if value is None or isinstance(value, (Mapping, list)) else words_of(value) or str(value)


def label(key: str) -> str:
    """A key as words, abbreviations kept in capitals: `MRI_of_the_Right_Hand` -> `MRI of the right hand`.

    It is empty for a key that stands for a missing one (`NaN`).
    """
    if is_missing_key(key):
        return ""
    spaced = _CAMEL.sub(" ", clean(key)).replace("_", " ").split()
    if len(spaced) == 1 and not spaced[0][1:].islower():
        # A lone letter or formula (K, pH, aPTT) is already a name.
        return spaced[0]
    lowered = [word.lower() if word[1:].islower() or len(word) == 1 else word for word in spaced]
    joined = _X_RAY.sub("X-ray", " ".join(lowered))
    return joined[:1].upper() + joined[1:] if lowered and lowered[0].islower() else joined


def readable(value: object, *, inside: bool = False) -> str:
    """Nested values as one line: `Haemoglobin: 13 g/dL; Differential (Neutrophils: 80%; Monocytes: 5%)`."""
    if isinstance(value, Mapping):
        parts = [_entry(str(key), child) for key, child in value.items()]
    elif isinstance(value, list):
        parts = [readable(child, inside=True) for child in value]
    else:
        return words_of(value)
    text = "; ".join(part for part in parts if part)
    return f"({text})" if inside and isinstance(value, Mapping) and len(parts) > 1 else text


def _entry(key: str, child: object) -> str:
    if key.strip().lower() in _ROOM_KEYS or not label(key):
        return readable(child)
    if isinstance(child, (Mapping, list)) and child:
        text = readable(child)
        return f"{label(key)} ({text})" if text else f"{label(key)}: not recorded"
    return f"{label(key)}: {words_of(child) or 'not recorded'}"
