"""The order in which the options of a question are shown, and their letters: permuted by a hash of seed and
question, then rotated.

A model that prefers a letter gains nothing by it then. Options that speak of other options by their letter or
place ("both A and C", "none of the above") keep the order of the file. Options that are letters themselves,
as labels in a picture, get letters that none of them is, so that a reply cannot mean two of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Final, NamedTuple

from osler.protocols.vqa.item import LETTERS
from osler.protocols.vqa.question import Question

_PLACE: Final = re.compile(
    r"\b(?:all|none|both|neither|either|any|some|each|two|three) of (?:the |these |those )?"
    r"(?:above|below|these|those|options|choices|answers|statements|listed|mentioned|others|foregoing)\b"
    r"|\b(?:all|none|both|neither)\b.{0,30}\b(?:above|below)\b"
    r"|\b(?:options?|choices?|answers?) \(?(?-i:[A-Z])\)?(?![\w'])",
    re.IGNORECASE,
)
_ONE: Final = r"\(?[A-Z]\)?"
_LETTERS: Final = re.compile(
    rf"(?:(?:both|only|either|neither|all of)\s+)?{_ONE}(?:(?:\s*[,/&+]\s*|\s+)(?:(?:and|or|nor)\s+)?{_ONE})*"
    r"(?:\s+only)?[.]?",
)


_LABEL: Final = re.compile(r"[(\[]?([A-Za-z])[)\]]?\.?")
_FIRST: Final = "PQRSTKLMNFGHUVEDCB"
"""The letters with which those of options may begin, besides A, in order of preference."""


def letters_of(question: Question) -> str:
    """The letters of a question's options in the order shown: from A on, or from another letter where options
    are letters themselves."""
    count = len(question.options)
    labels = {match[1].upper() for one in question.options if (match := _LABEL.fullmatch(one.strip()))}
    runs = (LETTERS[at : at + count] for at in map(LETTERS.index, f"A{_FIRST}"))
    free = (run for run in runs if len(run) == count and labels.isdisjoint(run))
    return next(free, LETTERS[:count])


def keeps_its_order(question: Question) -> bool:
    """Whether a question's options mean something only in the order of its file."""
    return any(_refers(one, letters_of(question)) for one in question.options)


def _refers(option: str, letters: str) -> bool:
    text = option.strip()
    if label := _LABEL.fullmatch(text):
        return label[1].upper() in letters  # no other letters were left
    words = re.sub(r"^(?:Both|Only|Either|Neither|All of)\b", lambda match: match[0].lower(), text)
    return bool(_PLACE.search(text) or _LETTERS.fullmatch(words))


def rotations(question: Question, orders: int) -> int:
    """The number of `orders` in which a question can be shown: at most one for each option."""
    return 1 if keeps_its_order(question) else min(orders, len(question.options))


def shown(question: Question, seed: str, rotation: int = 0) -> tuple[int, ...]:
    """The indices of the options in the order shown. `rotation` moves that order on cyclically."""
    order = list(range(len(question.options)))
    if keeps_its_order(question):
        return tuple(order)
    order.sort(key=lambda at: _drawn(seed, question.id, str(at)))
    by = rotation % len(order)
    return tuple(order[by:] + order[:by])


def _drawn(*what: str) -> bytes:
    return blake2b("\x1f".join(what).encode("utf-8", "surrogatepass"), digest_size=8).digest()


class Asking(NamedTuple):
    """One asking of a question: the order in which its options are shown (indices), the number of that
    rotation, and whether its pictures are withheld (`blind`)."""

    order: tuple[int, ...]
    rotation: int = 0
    blind: bool = False


def askings(question: Question, seed: str, orders: int, blind: bool) -> Iterator[Asking]:
    """The askings of a question: in so many `orders` of its options, then once `blind` if it has pictures."""
    for turn in range(rotations(question, orders)):
        yield Asking(shown(question, seed, turn), turn)
    if blind and question.pictures:
        yield Asking(shown(question, seed), blind=True)
