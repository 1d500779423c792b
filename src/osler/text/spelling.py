"""Spelling: text-speak and common misspellings of what a doctor types, written out by a list.

"wot tabs r u on" is "what tablets are you on". The list is in knowledge/spelling.yaml; a word that is not
on it stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Final

import yaml

from osler.text.tokens import lowered

_TOKEN: Final = re.compile(r"[a-z0-9]+(?:['/][a-z]+)?")


@lru_cache(maxsize=20_000)
def mended(text: str) -> str:
    """The text in lower case, with text-speak and common misspellings written out."""
    return _TOKEN.sub(lambda found: _written().get(found.group(), found.group()), lowered(text))


@cache
def _written() -> Mapping[str, str]:
    text = resources.files("osler.knowledge").joinpath("spelling.yaml").read_text(encoding="utf-8")
    lines = yaml.safe_load(text)["written"].splitlines()
    return {typed: meant for line in lines for typed, _, meant in [line.partition(" = ")]}
