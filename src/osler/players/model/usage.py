"""The cost of a model's reply, and the refusal of an unusable one, as plain values for the record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from osler.core.contract import Cause, NoUsableReply, Refuser
from osler.models.calls import call_of, counted
from osler.models.extraction import without_thought
from osler.models.faults import Kind, ModelAnswerError
from osler.models.structured import REPAIRABLE
from osler.models.types import Attempt, CompletionRequest
from osler.text.in_role.faults import fault_in_prose

Used = dict[str, str | int | None]
_TOLD: Final = REPAIRABLE | {Kind.THOUGHT_ONLY}
_CAUSE: Final[dict[Kind, Cause]] = {
    Kind.EMPTY: "empty",
    Kind.REFUSED: "refused",
    Kind.FILTERED: "filtered",
    Kind.LENGTH: "truncated",
    Kind.THOUGHT_ONLY: "thought_only",
    Kind.TOO_LONG: "context",
    Kind.UNPARSABLE: "unparsable",
    Kind.INVALID: "invalid",
}


def unanswered(error: ModelAnswerError, endpoint: str, request: CompletionRequest) -> NoUsableReply:
    """The refusal of an unusable answer to a request, as the table records it: why, its text, its cost, and
    the call."""
    last = error.attempts[-1] if error.attempts else None
    # A refusal or an empty answer has nothing that the model could be told to put right.
    by: Refuser = "model" if error.kind in _TOLD else "player"
    why = last.detail if last and last.detail and by == "model" else str(error)
    used = used_by(endpoint, () if error.from_cache else error.attempts)
    return NoUsableReply(
        why,
        by=by,
        cause=_cause(error.kind, last.text if last else ""),
        said=last.text if last else "",
        used=(used,),
        calls=(call_of(endpoint, request, error),),
        again=error.kind is not Kind.TOO_LONG,  # the same prompt would be too long again
    )


def _cause(kind: Kind, text: str) -> Cause:
    """The cause of an unusable answer with this text. Thought counts as no answer, and a model that declines
    in plain words has refused, although only the object is missing; one that speaks of itself has left its
    role."""
    if kind in (Kind.UNPARSABLE, Kind.LENGTH) and not without_thought(text):
        return "thought_only"
    if kind in (Kind.UNPARSABLE, Kind.INVALID) and (fault := fault_in_prose(without_thought(text))):
        return fault.cause
    return _CAUSE[kind]


def used_by(endpoint: str, attempts: Iterable[Attempt], model: str | None = None) -> Used:
    """The cost of a reply as an entry of its record; see `counted`."""
    return {"endpoint": endpoint, "model": model, **counted(attempts)}
