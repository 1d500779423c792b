"""Opinions: the replies that wrappers ask of models besides their moves: a choice, a comment, a vote."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from osler.core.deliberation import APPROVAL, COMMENT, Choice, Wanted
from osler.core.events import Seat
from osler.models.types import Output
from osler.players.model.schemas import TEXT, output

OPINIONS: Final[dict[Wanted, TypeAdapter[Any]]] = {
    "choose": TypeAdapter(Choice),
    "advise": COMMENT,
    "approve": APPROVAL,
}
"""The reply type of each kind of opinion."""


@cache
def opinion_asked(what: Wanted, seat: Seat) -> Output:
    """The output schema of an opinion."""
    match what:
        case "choose":
            return output(f"{seat}_choice", reason=TEXT, chosen={"type": "integer"})
        case "advise":
            return output(f"{seat}_comment", comment=TEXT)
    return output(f"{seat}_approval", reason=TEXT, approve={"type": "boolean"})


def opinion_read(what: Wanted, value: Any) -> BaseModel:
    """Parse an opinion from a JSON value. Raises ValueError."""
    read: BaseModel = OPINIONS[what].validate_python(value)
    return read
