"""Spelling: text-speak and misspelt words of a doctor's question, mended where the meant word is certain.

A word is changed only if it is no word of the rules, of the word lists or of our own lexicons, and exactly
one such word of the same sound is near: the same first letter, the same consonants but for doubled ones and
"h", and an edit distance of at most two. So no real word that we know becomes another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

import yaml
from rapidfuzz.distance import OSA

from osler.knowledge.findings import findings
from osler.text.phrases import stem
from osler.text.tokens import lowered

_TOKEN: Final = re.compile(r"[a-z0-9]+(?:['/][a-z]+)?")
_FIGURE_FOR: Final = re.compile(
    r"\b(allergic|react\w*|reactions?|allergies|listen|talk|happen\w*|up|used|want|like|able) 2 (?=[a-z])"
)
_FOUR_FOR: Final = re.compile(
    r"\b(tablets|anything|meds|medicine|pills|treatment|take\w*|treated|happy) 4 (?=[a-z])|\b4 (?=how)"
)
_SHORTEST: Final = 5
_FAR: Final = 2
_SOURCES: Final = ("topics", "things", "lay", "common_words")


@lru_cache(maxsize=20_000)
def mended(text: str) -> str:
    """The text in lower case, with text-speak written out and certain misspellings mended."""
    said = lowered(text)
    if " 2 " in said:
        said = _FIGURE_FOR.sub(r"\1 to ", said)
    if "4 " in said:
        said = _FOUR_FOR.sub(lambda found: f"{found.group(1)} for " if found.group(1) else "for ", said)
    return _TOKEN.sub(lambda found: _mended(found.group()), said)


@lru_cache(maxsize=50_000)
def _mended(token: str) -> str:
    written = _lists()["written"].get(token)
    if written is not None:
        return str(written)
    if len(token) < _SHORTEST or not token.isalpha() or token in _known() or stem(token) in _stems():
        return token
    near = [
        word
        for word in _by_sound().get(_sound(token), ())
        if token[:-1] != word[:-1]
        and OSA.distance(token, word, score_cutoff=_FAR) <= (1 if len(token) < _SHORTEST + 1 else _FAR)
    ]
    least = min((OSA.distance(token, word) for word in near), default=0)
    meant = [word for word in near if OSA.distance(token, word) == least]
    return meant[0] if len({stem(word) for word in meant}) == 1 else token


def _sound(word: str) -> str:
    """The first letter and the consonants of a word, without "h" and without doubling."""
    rest = re.sub(r"[aeiouyh]", "", word[1:])
    return word[0] + re.sub(r"(.)\1+", r"\1", rest)


@cache
def _by_sound() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for word in sorted(_known() - _real()):
        if len(word) >= _SHORTEST:
            found.setdefault(_sound(word), []).append(word)
    return {sound: tuple(words) for sound, words in found.items()}


@cache
def _known() -> frozenset[str]:
    """Every word, as it is written, of the rules and the word lists."""
    texts = [_read(name) for name in _SOURCES]
    texts += [form for item in findings() for form in (*item.forms, item.name)]
    return frozenset(_tokens(texts)) | _real() | frozenset(str(_lists()["written"].values()).split())


@cache
def _stems() -> frozenset[str]:
    return frozenset(stem(word) for word in _known())


@cache
def _real() -> frozenset[str]:
    return frozenset(str(_lists()["real"]).split())


def _tokens(texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        yield from re.findall(r"[a-z]+", lowered(text))


@cache
def _lists() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(_read("spelling"))
    return {"written": {str(key): value for key, value in found["written"].items()}, "real": found["real"]}


def _read(name: str) -> str:
    return resources.files("osler.knowledge").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
