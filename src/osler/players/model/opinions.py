"""Opinions: the replies that wrappers ask of models besides their moves: a choice, a comment, a vote,
the experts of a panel."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from osler.core.deliberation import APPROVAL, COMMENT, Choice, Recruits, Wanted
from osler.core.events import Seat
from osler.models.types import Output
from osler.players.model.schemas import INTEGER, TEXT, listed, output

OPINIONS: Final[dict[Wanted, TypeAdapter[Any]]] = {
    "choose": TypeAdapter(Choice),
    "advise": COMMENT,
    "approve": APPROVAL,
    "recruit": TypeAdapter(Recruits),
}
"""The reply type of each kind of opinion."""
WEIGHING: Final[frozenset[Wanted]] = frozenset({"choose", "approve", "recruit"})
"""The opinions that weigh what others propose, for which an endpoint may have a temperature of its own."""


@cache
def opinion_asked(what: Wanted, seat: Seat) -> Output:
    """The output schema of an opinion."""
    match what:
        case "choose":
            return output(f"{seat}_choice", reason=TEXT, chosen={"type": "integer"})
        case "advise":
            return output(f"{seat}_comment", comment=TEXT)
        case "recruit":
            return output(f"{seat}_panel", reason=TEXT, experts=listed(INTEGER, 9))
    return output(f"{seat}_approval", reason=TEXT, approve={"type": "boolean"})


def opinion_read(what: Wanted, value: Any) -> BaseModel:
    """Parse an opinion from a JSON value. Raises ValueError."""
    read: BaseModel = OPINIONS[what].validate_python(value)
    return read
