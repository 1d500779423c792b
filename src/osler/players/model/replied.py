"""A reply with what it took to get it, so that a record can keep both and a player needs no state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from osler.models.types import Attempt, Usage

R_co = TypeVar("R_co", bound=BaseModel, covariant=True)
_MOST_SHOWN = 4000


class Replied(NamedTuple, Generic[R_co]):
    """A seat's reply, the requests sent to a model for it, and what they used.

    `refused` are the answers that could not be used, in the form of the table's own attempts: at, error,
    reply. `usage` sums every request sent, failed ones included: `None` is unknown, not 0. `calls` is 0 where
    a cache answered. `model` is the name that the endpoint returned. Times are left out: a record is the same
    however long it took.
    """

    reply: R_co
    refused: tuple[dict[str, str], ...] = ()
    usage: Usage = Usage()
    calls: int = 0
    model: str | None = None


def refused_of(attempts: Iterable[Attempt]) -> tuple[dict[str, str], ...]:
    """What the model said that could not be used; failures of the network are no answers of the model's."""
    return tuple(
        {"at": "model", "error": f"{a.outcome}: {a.detail}"[:500], "reply": a.text[:_MOST_SHOWN]}
        for a in attempts
        if a.outcome != "ok" and a.text
    )


def usage_of(attempts: Iterable[Attempt]) -> Usage:
    """The sum over attempts; a count that any answered attempt did not report is unknown."""
    answered = [attempt.usage for attempt in attempts if attempt.text]
    if len(answered) == 1:
        return answered[0]

    def total(counts: Iterable[int | None]) -> int | None:
        known = list(counts)
        return None if not known or None in known else sum(count for count in known if count is not None)

    return Usage(
        prompt_tokens=total(usage.prompt_tokens for usage in answered),
        completion_tokens=total(usage.completion_tokens for usage in answered),
        cached_tokens=total(usage.cached_tokens for usage in answered),
        reasoning_tokens=total(usage.reasoning_tokens for usage in answered),
    )
