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
_LONGEST: Final = 4000
_SHORTEST: Final = 4
_NAMED: Final = re.compile(
    r"(?:\bcall(?:ed)?(?: it| this| that)?|\bknown as|\bthe (?:medical )?(?:word|term|name)(?: for \w+)? is)"
    r"\s+(?:an? |the )?['\"]?$"
)
"""The text before the name of something explained: "what we call ..."."""


class _Words(NamedTuple):
    pattern: re.Pattern[str]
    plain: dict[str, tuple[str, ...]]


_CAPITALS: Final = re.compile(
    r"(?<![\w/-])(PE|MI|AF|LOC|DH|SH|FH|OD|BD|BO|PU|PV|PR|LP|RIF|LIF|RUQ|LUQ|RLQ|LLQ|ACS|CCF|CHF|IHD|CKD"
    r"|AKI|PMB|IMB|PCB|SE|TOP"
    r"|HPC|PC|DOA|SI|DSH|ICE|NOF|AMTS|CT1|IM|PO|SC|NG|ROM|STAT|EDD|ANC|SBP|DBP|RR|HR|SATS|GTN|BNO"
    r"|NAI)s?(?![\w-])"
    r"(?! (?:lesson|teacher|class|kit|at school))"
)
"""Abbreviations that are also words in small letters, or parts of words: only capitals count."""
_NOT_THE_ABBREVIATION: Final = re.compile(
    r"\b(?:to|you|i|they|she|he|and|her|the) sob(?=\b)|\bsob stor|\bwe hx\b"
)


def unexplained(turn: str, heard: Iterable[str]) -> tuple[str, ...]:
    """The distinct medical words that a turn uses without explaining them, in order.

    `heard` is what the patient has said so far: a patient who uses a word knows it.
    """
    text, words = folded(turn), _words()
    text = _NOT_THE_ABBREVIATION.sub(" ", text)
    result = dict.fromkeys(match[1] for match in words.pattern.finditer(text))
    if any(map(str.islower, turn)):  # a line all in capitals shouts and abbreviates nothing
        result |= dict.fromkeys(match[1].lower() for match in _CAPITALS.finditer(turn[:_LONGEST]))
    if not result:
        return ()
    said = " ".join(heard).lower()
    return tuple(word for word in result if not _used(word, said) and not _is_explained(word, text, words))


def _used(word: str, said: str) -> bool:
    """Whether the patient used a word; an abbreviation only as a word of its own."""
    return word in said if len(word) > _SHORTEST else re.search(rf"\b{re.escape(word)}\b", said) is not None


def _is_explained(word: str, text: str, words: _Words) -> bool:
    if any(re.search(rf"\b{re.escape(plain)}\b", text) for plain in words.plain.get(word, ())):
        return True
    at = text.find(word)
    return _EXPLAINED.match(text, at + len(word)) is not None or _NAMED.search(text[:at]) is not None


@lru_cache(maxsize=1)
def _words() -> _Words:
    """The packaged list: each jargon word with the plain words that explain it."""
    text = files("osler.text").joinpath("jargon.yaml").read_text("utf-8")
    value: dict[str, list[str]] = yaml.safe_load(text)
    longest = sorted(value, key=lambda word: (-len(word), word))
    pattern = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, longest))})s?(?![\w-])")
    return _Words(pattern, {word: tuple(plain) for word, plain in value.items()})
