"""Self-consistency: the candidate move that most of the others agree with (`+self-consistency:5`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel

from osler.knowledge.acts import stems
from osler.players.scenario.strategies.asking import candidates, fingerprint_of, thinker_of
from osler.seats.composite import AnyPlayer, Inner
from osler.seats.contract import Request
from osler.seats.scenario import ExamineeMove

ONE_ACT: Final = 0.6
"""From which share of common words two acts are taken for one: "stop glucose" is not "give glucose"."""
AGREE: Final = 0.5
"""From which share of common acts two moves agree."""

_VERBS: Final = frozenset(
    stem
    for word in "give start put check measure take ask order obtain do get and of to with for".split()
    for stem in stems(word)
)


class SelfConsistency:
    """`n` candidates at once, each in a world of its own; no more is asked.

    Two candidates agree where most of their acts are understood alike and both end the state, or neither
    does. Between candidates that as many agree with, the one that is most like all others stands, then the
    earliest.
    """

    def __init__(self, examinee: AnyPlayer, n: int) -> None:
        self._examinee, self._n, self.thinker = examinee, n, thinker_of(examinee)
        self.name, self.durable = f"{examinee.name}+self-consistency:{n}", examinee.durable

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._examinee, f"self-consistency {self._n} {ONE_ACT} {AGREE}")

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """The candidate that most agree with."""
        return most_agreed(await candidates(self._examinee, request, inner, self._n))


def most_agreed(moves: Sequence[ExamineeMove]) -> ExamineeMove:
    """The move that most of the others agree with; see `SelfConsistency`."""

    def support(at: int) -> tuple[int, float]:
        others = [move for other, move in enumerate(moves) if other != at]
        likeness = [alike(moves[at], move) for move in others]
        agree = sum(
            like >= AGREE and move.eos is moves[at].eos for like, move in zip(likeness, others, strict=True)
        )
        return agree, sum(likeness)

    return moves[max(range(len(moves)), key=support)]  # of equals, the earliest


def alike(one: ExamineeMove, other: ExamineeMove) -> float:
    """The share of two moves' acts that both hold, from 0 to 1; of moves without acts, of their words."""
    if not (one.actions or other.actions):
        return _common(one.speak, other.speak)
    left = list(other.actions)
    both = 0
    for act in one.actions:
        nearest = max(left, key=lambda each: _common(act, each), default=None)
        if nearest is not None and _common(act, nearest) >= ONE_ACT:
            left.remove(nearest)
            both += 1
    return 2 * both / (len(one.actions) + len(other.actions))


def _common(one: str, other: str) -> float:
    """The share of the words of two texts that both hold; 1 for two texts without words."""
    left, right = _telling(one), _telling(other)
    both = left | right
    return len(left & right) / len(both) if both else 1.0


def _telling(text: str) -> frozenset[str]:
    """The stems of a text that tell one act from another: "give 15 L/min of oxygen" is about oxygen."""
    found = frozenset(stem for stem in stems(text) if not stem.isdigit())
    return found - _VERBS or found
