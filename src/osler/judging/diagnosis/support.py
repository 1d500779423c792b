"""Whether a case bears out what an answer adds to the reference: its cause, its organism or its subtype."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from osler.judging.diagnosis.concepts import graph, lists, normal
from osler.judging.diagnosis.words import plain_text

_OPEN: Final = re.compile(
    # From where a sentence begins alone: from each of its letters it would be read again.
    r"(?<![^.;\n])[^.;\n]*"
    r"\b(?:not (?:been )?(?:yet |available|known|started|back|yet\b|reported|done|tested|sent"
    r"|performed|taken|obtained|requested|investigated|explored|asked|recorded|examined|documented|assessed|measured"
    r"|checked|carried out|looked for|cultured|typed|sequenced|identified|established)"
    r"|pending|outstanding|awaited|to follow|cultures? sent|unknown|declined|refused|in progress|underway)\b"
    r"[^.;\n]*"
)
"""A sentence on what is not known yet."""
_DENIED: Final = re.compile(
    r"\b(?:no|without|denie|denied|negative for|absence of|free of|never|non)[\s-]+"
    r"(?:(?!and\b|but\b)[a-z0-9'/-]+\s?){1,4}"
    r"|(?:^|(?<=[.,;:\n]))(?:(?!\bgram\b|\bculture\b|\bpositive\b)[^.,;:\n])*\bnegative\b"
    r"(?! (?:cocc|rod|bacil|diplo|bacter))"
)
"""What the case says is not so."""
_KINDS: Final = frozenset("viral bacterial fungal parasitic medication".split())
_STEM: Final = 6
_TURNED: Final = re.compile(r"^(?:hypo|hyper|anti|dys|post|para|peri|poly)(?=[a-z]{5})")
"""What a case tells without: "low phosphate" bears out "hypophosphataemic"."""
_EMPTY: Final = frozenset(
    "group type and the variant subtype induced related associated acute chronic".split()
)


class _Searched(NamedTuple):
    words: frozenset[str]
    stems: frozenset[str]
    text: str


class Record:
    """The text of a case as a judge searches it, prepared when first asked for: most answers add nothing."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def searched(self) -> _Searched:
        """Its words without what it says is not so, or not known yet."""
        plain = _DENIED.sub(" ", _OPEN.sub(" ", plain_text(self._text)))
        words = frozenset(normal(" ".join(re.findall(r"[a-z0-9]+", plain))))
        stems = frozenset(word[:_STEM] for word in words if len(word) >= _STEM)
        return _Searched(words, stems, f" {plain} ")


def borne_out(words: Sequence[str], case: Record) -> bool:
    """Whether an addition is in the case: one of its telling words, its stem, another name or a sign."""
    known = graph()
    number = known.ids.get(tuple(words))
    others: list[Sequence[str]] = []
    if number is not None:
        others = [name for up in known.above[number] if _germ(up) or up == number for name in known.names[up]]
    telling = [word for word in words if _tells(word)]
    telling = [word for word in telling if word not in _KINDS] or telling
    if not telling:
        return True
    return any(_said(word, case) for word in telling) or any(
        all(_said(word, case) for word in name) for name in others if len("".join(name)) > 2
    )


def _germ(number: int) -> bool:
    """Whether it is an organism or a drug, and not a class of them such as bacteria."""
    known = graph()
    above = known.above[number]
    return known.agent in above and len(above) > 2 and not known.first[number].startswith("gram")


def _tells(word: str) -> bool:
    return len(word) > 2 and not word.isdigit() and word not in _EMPTY


def _said(word: str, case: Record) -> bool:
    rest, searched = _TURNED.sub("", word), case.searched
    for form in {word, rest}:
        if form in searched.words or (len(form) >= _STEM and form[:_STEM] in searched.stems):
            return True
    return any(sign in searched.text for sign in lists().hints.get(word, ()))
