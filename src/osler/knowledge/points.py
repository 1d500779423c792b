"""Points made and questions asked: how much of one text stands in another, by its telling words.

Lexical and no more. Built-in tutors and students understand each other by it, and step scores count by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from osler.knowledge.phrases import words

_EMPTY: Final = frozenset(
    words(
        "and or but of in on at to for from with without by as if than then that this these those there here "
        "be do have will would can could may might should must not no yes so very more most less least only "
        "what which who when where why how first next now you it one two each other also about into after "
        "before because while does make go take give get say tell know mean need want come think"
    )
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
SAID: Final = 0.6
"""The share of a point's telling words from which on it counts as said."""
ASKED: Final = 0.5
"""The same of a question."""


@lru_cache(maxsize=20_000)
def telling(text: str) -> frozenset[str]:
    """The words of a text that carry its meaning, in their common form."""
    return frozenset(words(text)) - _EMPTY


def share(text: str, of: str) -> float:
    """The share of the telling words of `of` that stand in `text`; 0 where it has none."""
    wanted = telling(of)
    return len(wanted & telling(text)) / len(wanted) if wanted else 0.0


def says(text: str, point: str) -> bool:
    """Whether a text makes a point."""
    return share(text, point) >= SAID


def told(text: str, points: Sequence[str]) -> tuple[int, ...]:
    """Which of some points a text makes, by their place."""
    return tuple(n for n, point in enumerate(points) if says(text, point))


def asked(text: str, questions: Sequence[str]) -> int | None:
    """Which of some questions a text asks: of those it holds half of, the one it holds most words of."""
    if "?" not in text:
        return None
    held = [(len(telling(question) & telling(text)), -n) for n, question in enumerate(questions)]
    likely = [(count, n) for count, n in held if share(text, questions[-n]) >= ASKED]
    return -max(likely)[1] if likely else None


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [part for part in _SENTENCE.split(text.strip()) if part]
