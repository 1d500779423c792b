"""Opinions asked of a player inside a wrapper, besides the reply of its seat: a choice, a comment, a vote,
the experts to ask.

They are not separate seats: each player asked has the seat's view and the whole encounter, and the question
comes last in the feed (`osler.core.wrapper_events.Reconsidered`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, Field, TypeAdapter

from osler.core.contract import AnyRequest
from osler.core.events import Frozen, Noticed
from osler.core.wrapper_events import Reconsidered

Reason = Annotated[str, Field(max_length=4000)]
Wanted = Literal["move", "choose", "advise", "approve", "recruit"]


class Choice(Frozen):
    """A critic's choice among candidates, by number from 1."""

    reason: Reason = ""
    chosen: int = Field(ge=1)


class Comment(Frozen):
    """What an expert says of the encounter as it stands."""

    comment: Annotated[str, Field(min_length=1, max_length=4000)]


class Approval(Frozen):
    """An expert's vote on a move."""

    reason: Reason = ""
    approve: bool


class Recruits(Frozen):
    """The experts chosen for a case, by their numbers in the list that was shown, from 1."""

    reason: Reason = ""
    experts: tuple[int, ...] = Field(min_length=1)


COMMENT: Final[TypeAdapter[Comment]] = TypeAdapter(Comment)
APPROVAL: Final[TypeAdapter[Approval]] = TypeAdapter(Approval)


@lru_cache(maxsize=16)
def choice_of(candidates: int) -> TypeAdapter[Choice]:
    """The reply type of a choice among a number of candidates."""

    def check(choice: Choice) -> Choice:
        if choice.chosen > candidates:
            raise ValueError(f"chosen: there are {candidates} candidates")
        return choice

    return TypeAdapter(Annotated[Choice, AfterValidator(check)])


@lru_cache(maxsize=64)
def recruits_of(number: int, among: int) -> TypeAdapter[Recruits]:
    """The reply type of a choice of so many different experts among those listed."""

    def check(recruits: Recruits) -> Recruits:
        if strange := [one for one in recruits.experts if not 1 <= one <= among]:
            raise ValueError(f"experts: there is no number {strange[0]}; they are 1 to {among}")
        if len(recruits.experts) != number or len(set(recruits.experts)) != number:
            raise ValueError(f"experts: name {number} different ones")
        return recruits

    return TypeAdapter(Annotated[Recruits, AfterValidator(check)])


TYPICAL: Final = "What matters most here has been said and done; what is left is to make it safe. " * 4
"""A comment of typical length, about seventy words."""


def typical_opinion(request: AnyRequest) -> BaseModel | None:
    """An opinion of typical length: the first candidate, a comment, a vote in favour, the first experts;
    `None` if a move is asked for. For the cost estimate of a dry run, never for playing."""
    match wanted(request):
        case "choose":
            return Choice(reason=TYPICAL, chosen=1)
        case "advise":
            return Comment(comment=TYPICAL)
        case "approve":
            return Approval(reason=TYPICAL, approve=True)
        case "recruit":
            told = next(item for item in reversed(request.feed) if isinstance(item, Reconsidered))
            return Recruits(reason=TYPICAL, experts=tuple(range(1, int(told.texts[0]) + 1)))
    return None


def wanted(request: AnyRequest) -> Wanted:
    """The kind of reply asked of a seat now: its move, unless a wrapper asks for an opinion."""
    last = next((item for item in reversed(request.feed) if not isinstance(item, Noticed)), None)
    if isinstance(last, Reconsidered):
        if last.how == "listen":
            return "choose"
        if last.how in ("choose", "advise", "approve", "recruit"):
            return last.how
    return "move"
