"""The matcher's vocabulary of diagnoses, read from its YAML files.

An entry is one line, "name ! = other name; other name < kind; kind": the names of a condition, then the
broader conditions of which it is a kind. A "!" after the first name: no part of it is a broader kind.
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
DATA: Final = "\n".join(files("osler.judging.diagnosis").joinpath(name).read_text("utf-8") for name in FILES)


class Entry(NamedTuple):
    """One condition. `whole`: its words mean nothing apart ("lupus pernio" is neither lupus nor pernio)."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    whole: bool


class Vocabulary(NamedTuple):
    """The entries in file order, and the word lists documented in `diagnosis.yaml`."""

    entries: tuple[Entry, ...]
    words: dict[str, str]
    lists: dict[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def vocabulary() -> Vocabulary:
    """The packaged vocabulary, read once when the first name is compared."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[str, Any] = yaml.load(DATA, Loader=loader)  # noqa: S506 - a safe loader, ours in C
    lines = (*found.pop("skin"), *found.pop("skin_forms"), *found.pop("medicine"))
    words = found.pop("words")
    return Vocabulary(tuple(map(entry, lines)), words, {key: tuple(value) for key, value in found.items()})


def entry(line: str) -> Entry:
    """Parse one line into an entry."""
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
