"""When a doctor looks into its memory: at the start, during the encounter, and when it is ready to conclude.

    start        before the first move
    during       after 2, 4, 8, 16 ... moves
    conclusion   when the doctor is ready to conclude, MedAgentSim's only look: before a conclusion is asked
                 of it (a last chance, a vote, thinking step by step), and after one of its own accord

A look is found in the feed alone and keeps its place whatever comes later, so that prompts grow only at their
end and an encounter resumes with the same cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from osler.core.contract import OwnReply
from osler.core.events import Event, TurnBegan
from osler.core.wrapper_events import Corrected, Reconsidered
from osler.protocols.consultation.seats import Finalize
from osler.protocols.consultation.settings import BEFORE_CONCLUDING, Look

CONCLUDES: Final = frozenset({"step by step", "vote", "conclude", "discuss"})
"""The ways of being asked again that ask for a conclusion."""


def looks(
    feed: Sequence[Event | OwnReply], when: Sequence[Look] = BEFORE_CONCLUDING
) -> Iterator[tuple[int, bool]]:
    """Yield the index of each feed item after which retrieval takes place, and whether that is for the reply
    wanted now; an index may come more than once, and not in order.

    Looks at the start and during the encounter come right after the announcement of their turn.
    """
    concluding = "conclusion" in when
    last = max((at for at, item in enumerate(feed) if isinstance(item, OwnReply)), default=-1)
    moves, announced = 0, -1
    for at, item in enumerate(feed):
        if isinstance(item, OwnReply):
            if announced >= 0 and is_time(moves, when):
                yield announced, False
            if concluding and isinstance(item.reply, Finalize):
                yield at, False
            moves, announced = moves + 1, -1
        elif isinstance(item, TurnBegan):
            announced = at
            if concluding and item.last_chance:
                yield at, at > last
        elif concluding and at and isinstance(item, Reconsidered) and item.how in CONCLUDES:
            yield at - 1, at > last
    if announced >= 0 and is_time(moves, when):
        yield announced, True


def is_time(moves: int, when: Sequence[Look] = BEFORE_CONCLUDING) -> bool:
    """Whether retrieval is due after this number of moves: 0, and every power of two from 2."""
    if moves == 0:
        return "start" in when
    return "during" in when and moves >= 2 and moves & (moves - 1) == 0


def must_conclude(feed: Sequence[Event | OwnReply]) -> bool:
    """Whether the reply wanted now is known to be a conclusion, so that its look has already taken place."""
    for item in reversed(feed):
        if isinstance(item, OwnReply):
            return False
        if isinstance(item, Reconsidered):
            return item.how in CONCLUDES
        if isinstance(item, Corrected):
            return not item.anew
        if isinstance(item, TurnBegan):
            return item.last_chance
    return False
