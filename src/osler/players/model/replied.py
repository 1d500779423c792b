"""A reply with what it took to get it, so that a record can keep both and a player needs no state.

Plain values only: whoever keeps the record needs to know nothing of models.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from osler.models.types import Attempt
from osler.seats.contract import Player, Request

R_co = TypeVar("R_co", bound=BaseModel, covariant=True)
Used = dict[str, int | None]
_MOST_SHOWN: Final = 4000
_COUNTS: Final = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")


class Replied(NamedTuple, Generic[R_co]):
    """A seat's reply, the answers refused on the way to it, and what they used.

    `refused` has the form of the table's own attempts: at, error, reply. `used` counts tokens by name over
    every answer, refused ones included: `None` is unknown, not 0. `calls` counts requests sent, and is 0 where
    a cache answered. `model` is the name that the endpoint returned. Times are left out: a record is the same
    however long it took.
    """

    reply: R_co
    refused: tuple[dict[str, str], ...] = ()
    used: Used = {}  # noqa: RUF012 - a tuple's default, never written to
    calls: int = 0
    model: str | None = None


async def replied_by(player: Player, request: Request[Any]) -> Replied[BaseModel]:
    """Any player's reply with what it took; nothing where the player does not say."""
    ask = getattr(player, "replied", None)
    if ask is None:
        return Replied(await player.reply(request))
    replied: Replied[BaseModel] = await ask(request)
    return replied


def refused_of(attempts: Iterable[Attempt]) -> tuple[dict[str, str], ...]:
    """What a model said that could not be used; failures of the network are no answers of the model's. Also
    of the attempts that a `ModelAnswerError` carries."""
    return tuple(
        {"at": "model", "error": f"{a.outcome}: {a.detail}"[:500], "reply": a.text[:_MOST_SHOWN]}
        for a in attempts
        if a.outcome != "ok" and a.text
    )


def used_in(attempts: Iterable[Attempt]) -> Used:
    """The sums over answered attempts; a count that one of them did not report is unknown."""
    usages = [attempt.usage for attempt in attempts if attempt.text]
    return {name: _sum(getattr(usage, name) for usage in usages) for name in _COUNTS} if usages else {}


def used_together(one: Used, other: Used) -> Used:
    """The sums of two replies' tokens; unknown where either is."""
    if not one or not other:
        return one or other
    return {name: _sum((one.get(name), other.get(name))) for name in _COUNTS}


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
