"""Word overlap: how much of a point or a question occurs in a text, by content words.

Purely lexical. Built-in tutors and students understand each other by it, and step scores are counted by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from osler.text.phrases import words

_EMPTY: Final = frozenset(
    words(
        "and or but of in on at to for from with without by as if than then that this these those there here "
        "be do have will would can could may might should must not no yes so very more most less least only "
        "what which who when where why how first next now you it one two each other also about into after "
        "before because while does make go take give get say tell know mean need want come think"
    )
)
_SENTENCES: Final = re.compile(r"[^.!?]+[.!?]*")
SAID: Final = 0.6
"""The share of a point's content words from which it counts as made."""
ASKED: Final = 0.5
"""The share of a question's content words from which it counts as asked."""


@lru_cache(maxsize=20_000)
def telling(text: str) -> frozenset[str]:
    """The content words of a text, in normal form."""
    return frozenset(words(text)) - _EMPTY


def share(text: str, of: str) -> float:
    """The share of the content words of `of` that occur in `text`; 0 if it has none."""
    wanted = telling(of)
    return len(wanted & telling(text)) / len(wanted) if wanted else 0.0


def says(text: str, point: str) -> bool:
    """Whether a text makes a point."""
    return share(text, point) >= SAID


def told(text: str, points: Sequence[str]) -> tuple[int, ...]:
    """The indices of the points that a text makes."""
    return tuple(n for n, point in enumerate(points) if says(text, point))


def asked(text: str, questions: Sequence[str]) -> int | None:
    """The index of the question that a text asks: the one sharing most words, if it shares enough."""
    if "?" not in text:
        return None
    pairs = [(len(telling(question) & telling(text)), -n) for n, question in enumerate(questions)]
    likely = [(count, n) for count, n in pairs if share(text, questions[-n]) >= ASKED]
    return -max(likely)[1] if likely else None


NEAR: Final = 0.34
"""The share of a question's own content words that must occur in a point for the question to be about it."""


def nearest(question: str, points: Sequence[str]) -> int | None:
    """The index of the point that holds most of a question's content words, if it holds enough of them and
    more than any other; of the last sentence that asks, if there are several."""
    asking = [part for part in _SENTENCES.findall(question) if part.rstrip().endswith("?")]
    shares = [share(point, asking[-1] if asking else question) for point in points]
    best = max(shares, default=0.0)
    return shares.index(best) if best >= NEAR and shares.count(best) == 1 else None
