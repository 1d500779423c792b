"""Opinions: the replies that wrappers ask of models besides their moves: a choice, a comment, a vote,
the experts of a panel."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from osler.core.deliberation import APPROVAL, COMMENT, Choice, Recruits, Wanted
from osler.core.events import Seat
from osler.models.types import Output
from osler.players.model.schemas import FLAG, INTEGER, closed, form, listed, move, opened, text

OPINIONS: Final[dict[Wanted, TypeAdapter[Any]]] = {
    "choose": TypeAdapter(Choice),
    "advise": COMMENT,
    "approve": APPROVAL,
    "recruit": TypeAdapter(Recruits),
}
"""The reply type of each kind of opinion."""
WEIGHING: Final[frozenset[Wanted]] = frozenset({"choose", "approve", "recruit"})
"""The opinions that weigh what others propose, for which an endpoint may have a temperature of its own."""
_REASON: Final = text(400)


@cache
def opinion_asked(what: Wanted, seat: Seat) -> Output:
    """The form of an opinion."""
    match what:
        case "choose":
            return form(f"{seat}_choice", move("CHOOSE", reason=_REASON, chosen=INTEGER))
        case "advise":
            return form(f"{seat}_comment", move("ADVISE", comment=text(800)))
        case "recruit":
            return form(f"{seat}_panel", move("RECRUIT", reason=_REASON, experts=listed(INTEGER, 9)))
    return form(f"{seat}_approval", move("APPROVE", reason=_REASON, approve=FLAG))


def opinion_read(what: Wanted, value: Any) -> BaseModel:
    """Parse an opinion from a JSON value. Raises ValueError."""
    fields = opened(value)
    fields.pop("action", None)
    read: BaseModel = OPINIONS[what].validate_python(fields)
    return read


def opinion_shown(reply: BaseModel) -> str:
    """An earlier opinion as its model wrote it."""
    actions = {"Choice": "CHOOSE", "Comment": "ADVISE", "Recruits": "RECRUIT", "Approval": "APPROVE"}
    return closed(actions[type(reply).__name__], **reply.model_dump(mode="json"))
