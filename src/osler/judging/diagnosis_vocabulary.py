"""The names of diagnoses the matcher knows, as its YAML files hold them.

An entry is one line, "name ! = other name; other name < kind; kind": names of one condition, then the broader
conditions it is a kind of. The mark after the first name says that a part of the name is not a kind of it.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import yaml

FILES: Final = (
    "diagnosis.yaml",
    "diagnosis_skin.yaml",
    "diagnosis_skin_forms.yaml",
    "diagnosis_medicine.yaml",
)
DATA: Final = "\n".join(files("osler.judging").joinpath(name).read_text("utf-8") for name in FILES)


class Entry(NamedTuple):
    """One condition. `whole`: its words say nothing apart ("lupus pernio" is neither lupus nor pernio)."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    whole: bool


class Vocabulary(NamedTuple):
    """The entries in the order of the files, and the lists of words that `diagnosis.yaml` explains."""

    entries: tuple[Entry, ...]
    words: dict[str, str]
    lists: dict[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """Read the files once, when the first name is compared."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, Any] = yaml.load(DATA, Loader=loader)  # noqa: S506 - a safe loader, ours in C
    lines = (*found.pop("skin"), *found.pop("skin_forms"), *found.pop("medicine"))
    words = found.pop("words")
    return Vocabulary(tuple(map(entry, lines)), words, {key: tuple(value) for key, value in found.items()})


def entry(line: str) -> Entry:
    """Read one line."""
    named, _, kinds = line.partition("<")
    first, _, others = named.partition("=")
    whole = first.rstrip().endswith("!")
    return Entry(
        (first.strip(" !"), *_split(others)),
        _split(kinds),
        whole,
    )


def _split(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(";") if (name := part.strip()))
