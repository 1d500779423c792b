"""The usual items of mark sheets and the words that mean the same, from `item_words.yaml`."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

import yaml

from osler.text.act_rules import stems

_FILE: Final = "item_words.yaml"


class UsualItem(NamedTuple):
    """A usual item: the rules for speech that show it, a sentence that meets them, and the act, if it is one.

    `ear`: a matter of manner, which rules may find said and never find lacking.
    """

    pattern: re.Pattern[str]
    rules: tuple[str, ...]
    say: str
    act: dict[str, Any] | None
    ear: bool
    verbs: str


class _Words(NamedTuple):
    communication: tuple[UsualItem, ...]
    subjects: tuple[UsualItem, ...]
    acts: tuple[UsualItem, ...]
    manner: re.Pattern[str]
    alike: tuple[tuple[tuple[str, ...], tuple[tuple[str, ...], ...], bool], ...]


def communication(text: str) -> UsualItem | None:
    """The act of communication that an item asks for, whatever its verb."""
    return _first(_words().communication, text)


def subject(text: str) -> UsualItem | None:
    """The subject of a question."""
    return _first(_words().subjects, text)


def act(text: str, verbs: str) -> UsualItem | None:
    """The usual act that an item with such a verb asks for."""
    return _first((one for one in _words().acts if not one.verbs or one.verbs == verbs), text)


def about_manner(text: str) -> bool:
    """Whether an item is about manner, which no rule can judge."""
    return _words().manner.search(text.lower()) is not None


@lru_cache(maxsize=4096)
def alike(word: str) -> tuple[str, ...]:
    """Return the synonyms of a word or short phrase, itself first."""
    wanted = stems(word)
    result = {word: None}
    for each, held, one_way in _words().alike:
        if wanted == held[0] or (wanted in held and not one_way):
            result |= dict.fromkeys(each)
    return tuple(result)


def phrases_in(text: str) -> list[str]:
    """The phrases of two words or more that have others alike and occur in a text, longest first."""
    said = stems(text)
    result = []
    for each, held, _ in _words().alike:
        for one, way in zip(each, held, strict=True):
            if len(way) > 1 and any(said[at : at + len(way)] == way for at in range(len(said))):
                result.append(one)
    return sorted(dict.fromkeys(result), key=len, reverse=True)


def _first(known: Any, text: str) -> UsualItem | None:
    low = text.lower().replace("’", "'")
    return next((one for one in known if one.pattern.search(low)), None)


@lru_cache(maxsize=1)
def _words() -> _Words:
    text = resources.files("osler.authoring.stations").joinpath(_FILE).read_text("utf-8")
    value = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - safe
    groups = [
        (tuple(one.strip() for one in line.lstrip("> ").split("|")), line.startswith(">"))
        for line in value["alike"]
    ]
    return _Words(
        tuple(map(_known, value["communication"])),
        tuple(map(_known, value["subjects"])),
        tuple(map(_known, value["acts"])),
        re.compile(rf"(?<![a-z])(?:{'|'.join(value['manner'])})"),
        tuple(
            (each, tuple(stems(one.replace("*", " ")) for one in each), one_way) for each, one_way in groups
        ),
    )


def _known(entry: dict[str, Any]) -> UsualItem:
    return UsualItem(
        re.compile(rf"(?<![a-z])(?:{entry['in']})"),
        tuple(entry.get("rule", ())),
        entry.get("say", ""),
        entry.get("act"),
        bool(entry.get("ear")),
        entry.get("verbs", ""),
    )
