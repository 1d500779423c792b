"""The cost of a model's reply, and the refusal of an unusable one, as plain values for the record."""

from __future__ import annotations

from collections.abc import Iterable

from osler.core.contract import NoUsableReply, Refuser
from osler.models.calls import call_of, counted
from osler.models.faults import ModelAnswerError
from osler.models.structured import REPAIRABLE
from osler.models.types import Attempt, CompletionRequest

Used = dict[str, str | int | None]


def unanswered(error: ModelAnswerError, endpoint: str, request: CompletionRequest) -> NoUsableReply:
    """The refusal of an unusable answer to a request, as the table records it: why, its text, its cost, and
    the call."""
    last = error.attempts[-1] if error.attempts else None
    # A refusal or an empty answer has nothing that the model could be told to put right.
    by: Refuser = "model" if error.kind in REPAIRABLE else "player"
    why = last.detail if last and last.detail and by == "model" else str(error)
    used = used_by(endpoint, () if error.from_cache else error.attempts)
    calls = (call_of(endpoint, request, error),)
    return NoUsableReply(why, by=by, said=last.text if last else "", used=(used,), calls=calls)


def used_by(endpoint: str, attempts: Iterable[Attempt], model: str | None = None) -> Used:
    """The cost of a reply as an entry of its record; see `counted`."""
    return {"endpoint": endpoint, "model": model, **counted(attempts)}
