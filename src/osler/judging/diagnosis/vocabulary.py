"""The vocabulary of diagnoses, read from the files of `terms`.

An entry is one line, "name ! = other name; other name < kind; kind": the names of a condition, then the
broader conditions of which it is a kind. A "!" after the first name: what it ends in is no broader name
of it. The word lists stand in `terms/words.yaml`.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import yaml

FOLDER: Final = files("osler.judging.diagnosis").joinpath("terms")


class Entry(NamedTuple):
    """One condition. `whole`: its words mean nothing apart ("lupus pernio" is neither lupus nor pernio)."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    whole: bool


@lru_cache(maxsize=1)
def data() -> str:
    """All text of the vocabulary, for a version."""
    names = sorted(one.name for one in FOLDER.iterdir() if one.name.endswith(".yaml"))
    return "\n".join(FOLDER.joinpath(name).read_text("utf-8") for name in names)


@lru_cache(maxsize=1)
def _raw() -> dict[str, Any]:
    return dict(yaml.load(data(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))  # noqa: S506


def word_lists() -> dict[str, Any]:
    """The word lists, as they are written."""
    return dict(_raw()["words"])


def entries() -> list[Entry]:
    """The conditions, as they are written."""
    lines = (line.strip() for key, text in _raw().items() if key != "words" for line in text.splitlines())
    return [entry(line) for line in lines if line and not line.startswith("#")]


def entry(line: str) -> Entry:
    """Parse one line into an entry."""
    named, _, kinds = line.partition("<")
    first, _, others = named.partition("=")
    whole = first.rstrip().endswith("!")
    return Entry((first.strip(" !"), *_split(others)), _split(kinds), whole)


def _split(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(";") if (name := part.strip()))
