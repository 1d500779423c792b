"""Text made ready to be read: lower case, spelling, sentences, and speech without fillers.

Text-speak and common misspellings of what a doctor types are written out by a list ("wot tabs r u on" is
"what tablets are you on"); a word that is not on it stays as it is. The list is in knowledge/spelling.yaml.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Final

import yaml

_LONGEST: Final = 4000
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")


def lowered(text: str) -> str:
    """A text in lower case with straight apostrophes."""
    return text.lower().replace("’", "'")


def folded(text: str) -> str:
    """The start of a text, up to a fixed length, as `lowered`."""
    return lowered(text[:_LONGEST])


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [part for part in _SENTENCE.split(text.strip()) if part]


def sentence(text: str) -> str:
    """The text with an initial capital and a full stop."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def any_of(*alternatives: str) -> str:
    """A non-capturing group that matches any of the alternatives."""
    return f"(?:{'|'.join(alternatives)})"


def compiled(*alternatives: str) -> re.Pattern[str]:
    """A compiled pattern that matches any of the alternatives."""
    return re.compile(any_of(*alternatives))


def unaccented(text: str) -> str:
    """The text without accents: "Ménière" as "Meniere"."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


# Spelling

_TOKEN: Final = re.compile(r"[a-z0-9]+(?:['/][a-z]+)?")


@lru_cache(maxsize=20_000)
def mended(text: str) -> str:
    """The text in lower case, with text-speak and common misspellings written out."""
    return _TOKEN.sub(lambda match: _written().get(match.group(), match.group()), lowered(text))


@cache
def _written() -> Mapping[str, str]:
    text = resources.files("osler.knowledge").joinpath("spelling.yaml").read_text(encoding="utf-8")
    lines = yaml.safe_load(text)["written"].splitlines()
    return {typed: meant for line in lines for typed, _, meant in [line.partition(" = ")]}


# Speech

_FILLER: Final = re.compile(r"(?i)(?<![\w'])(?:u+m+|u+h+|e+r+m?|a+h+|h+m+|m+hm+)(?![\w'])[,.]*\s*")
_TWICE: Final = re.compile(r"(?i)\b(?!(?:had|that|very|no|so|bye|ha)\b)([a-z']+)(?:,?\s+\1\b)+")
_LEADS: Final = re.compile(
    r"(?i)^\W*(?:(?:ok|okay|alright|right|so|and|well|now|great|good|sure|perfect|yeah|yes)\b\s+)+(?=\w+\s+\w)"
)


_MARKS: Final = re.compile(r"[.,;:!?]")


@lru_cache(maxsize=8192)
def fluent(text: str) -> str:
    """A text without fillers and words said twice: "And um have have you any cough?" as "And have you any
    cough?". Without any mark, as typed in haste, it loses what only leads up to it too: "so where is it"."""
    plain = _TWICE.sub(r"\1", _FILLER.sub("", text)).strip()
    if unmarked(plain):
        plain = _LEADS.sub("", plain)
    return plain or text


def unmarked(text: str) -> bool:
    """Whether a text is without marks, as a recognizer or a hasty typist gives it: nothing in it says that it
    asks."""
    return _MARKS.search(text) is None


def as_marked(text: str) -> str:
    """A text without marks, as a recognizer gives it, also without disfluencies; one with marks as it is,
    since there a word said twice may be meant: "sharp sharp"."""
    return fluent(text) if unmarked(text) else text
