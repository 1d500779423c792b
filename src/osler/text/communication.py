"""The communicative acts and classes of wordings that rules for speech refer to (`communication.yaml`)."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Final

import yaml

from osler.files import packaged_fingerprint

_FILE: Final = "communication.yaml"


def classes() -> dict[str, tuple[str, ...]]:
    """The classes of wordings by name: alternatives for a group of a rule."""
    return _read()[0]


def acts() -> dict[str, tuple[str, ...]]:
    """The communicative acts by name, each with its rules, of which any one suffices."""
    return _read()[1]


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """16 hex digits over this package's data; with others, speech may be recognized otherwise."""
    return packaged_fingerprint("osler.text")


@lru_cache(maxsize=1)
def _read() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    text = resources.files("osler.text").joinpath(_FILE).read_text("utf-8")
    value = yaml.safe_load(text)
    words = {name: tuple(one.strip() for one in given.split("|")) for name, given in value["words"].items()}
    return words, {name: tuple(rules) for name, rules in value["acts"].items()}
