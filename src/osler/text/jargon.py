"""Unexplained jargon: medical words said to a patient who did not use them first, without an explanation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

import yaml

from osler.text.tokens import compiled, folded

_EXPLAINED: Final = compiled(
    r"\W{0,3}(?:which|that) (?:means|is)\b",
    r"\W{0,3}(?:which|that)(?:'s| is) (?:when|where|a|the)\b",
    r"\W{0,3}(?:meaning|i\.e|in other words)\b",
    r"\W{0,3}that is\b",
    r", or\b",
    r"\s?[(–]",
    r" means\b",
    r" is (?:when|where|a|the)\b",
)
"""The text after a word that is explained: "oedema, which means ..."."""
_NAMED: Final = re.compile(
    r"(?:\bcall(?:ed)?(?: it| this| that)?|\bknown as|\bthe (?:medical )?(?:word|term|name)(?: for \w+)? is)"
    r"\s+(?:an? |the )?['\"]?$"
)
"""The text before the name of something explained: "what we call ..."."""


class _Words(NamedTuple):
    pattern: re.Pattern[str]
    plain: dict[str, tuple[str, ...]]


def unexplained(turn: str, heard: Iterable[str]) -> tuple[str, ...]:
    """The distinct medical words that a turn uses without explaining them, in order.

    `heard` is what the patient has said so far: a patient who uses a word knows it.
    """
    text, words = folded(turn), _words()
    found = dict.fromkeys(match[1] for match in words.pattern.finditer(text))
    if not found:
        return ()
    said = " ".join(heard).lower()
    return tuple(word for word in found if word not in said and not _is_explained(word, text, words))


def _is_explained(word: str, text: str, words: _Words) -> bool:
    if any(re.search(rf"\b{re.escape(plain)}\b", text) for plain in words.plain[word]):
        return True
    at = text.find(word)
    return _EXPLAINED.match(text, at + len(word)) is not None or _NAMED.search(text[:at]) is not None


@lru_cache(maxsize=1)
def _words() -> _Words:
    """The packaged list: each jargon word with the plain words that explain it."""
    text = files("osler.text").joinpath("jargon.yaml").read_text("utf-8")
    held: dict[str, list[str]] = yaml.safe_load(text)
    longest = sorted(held, key=lambda word: (-len(word), word))
    pattern = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, longest))})s?(?![\w-])")
    return _Words(pattern, {word: tuple(plain) for word, plain in held.items()})
