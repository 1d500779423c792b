"""What the strategies share: how the examinee inside is asked for moves, judgements and comments.

Every question is the seat's own request with something added at its end, so whoever is asked has the whole
conversation before them, and a model's messages only grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Final

from pydantic import TypeAdapter

from osler.prompts import prompt
from osler.seats.composite import AnyPlayer, Inner, InnerQuestion
from osler.seats.contract import Own, Request, Unanswered
from osler.seats.events import Event
from osler.seats.scenario import EXAMINEE, ExamineeMove, ExamineeView
from osler.seats.wrapper_events import How, Reconsidered

PROMPT: Final = "deliberation"
_MOST_SHOWN: Final = 4000


def world_of(request: Request[ExamineeView], number: int) -> str:
    """The world that candidate or expert `number` lives in; the first in the encounter's own."""
    return request.world if number == 1 else f"{request.world}/{number}"


def asked(
    player: AnyPlayer,
    request: Request[ExamineeView],
    how: How,
    texts: Iterable[str],
    form: TypeAdapter[Any],
    *,
    before: Sequence[Event | Own] = (),
    number: int = 1,
) -> InnerQuestion:
    """One question of a strategy. `before` is what this one was told and said beyond the seat's feed."""
    told = Reconsidered(minute=0, to=("examinee",), how=how, texts=tuple(texts))
    feed = (*request.feed, *before, told)
    return InnerQuestion(player, Request(request.view, feed, world_of(request, number)), form)


async def candidates(
    examinee: AnyPlayer, request: Request[ExamineeView], inner: Inner, number: int
) -> list[ExamineeMove]:
    """The moves of so many examinees in worlds of their own; who has none is left out.

    Raises Unanswered where nobody has any.
    """
    questions = [
        InnerQuestion(examinee, request._replace(world=world_of(request, each)), EXAMINEE.reply)
        for each in range(1, number + 1)
    ]
    found = await inner.ask_all(questions)
    moves = [move for move in found if isinstance(move, ExamineeMove)]
    if not moves:
        raise Unanswered(f"no candidate move: {found[0]}", again=False)  # each has been asked again already
    return moves


def shown(move: ExamineeMove) -> str:
    """A move as critics and experts read it."""
    lines = [f"Says: {move.speak}" if move.speak else "Says nothing."]
    lines += [f"Does: {act}" for act in move.actions] or ["Does nothing."]
    lines.append("Ends the state." if move.eos else "Does not end the state.")
    return "\n".join(lines)[:_MOST_SHOWN]


def thinker_of(examinee: AnyPlayer) -> AnyPlayer:
    """Who judges and advises: the examinee itself, or the one inside a strategy."""
    found: AnyPlayer = getattr(examinee, "thinker", examinee)
    return found


def fingerprint_of(examinee: AnyPlayer, *parts: str) -> str:
    """16 hex digits over what decides a strategy's answers: the examinee inside, and the words it is told."""
    told = "\x1f".join((str(getattr(examinee, "fingerprint", "")), prompt(PROMPT).hash, *parts))
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
