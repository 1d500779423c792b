"""What an examinee may be asked inside a strategy, beside its next move: a choice, a comment, a vote.

Not seats of their own: whoever is asked has the examinee's view and the whole encounter, and what is wanted
stands at its end (`osler.seats.events.Reconsidered`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, TypeAdapter

from osler.seats.contract import Request
from osler.seats.events import Frozen, Noticed
from osler.seats.scenario import ExamineeView
from osler.seats.wrapper_events import How, Reconsidered

Reason = Annotated[str, Field(max_length=4000)]
Wanted = Literal["move", "choose", "advise", "approve"]
DELIBERATIONS: Final[frozenset[How]] = frozenset({"choose", "advise", "approve", "synthesize", "revise"})
"""The ways of reconsidering that belong to an examinee's strategy."""


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


COMMENT: Final[TypeAdapter[Comment]] = TypeAdapter(Comment)
APPROVAL: Final[TypeAdapter[Approval]] = TypeAdapter(Approval)


@lru_cache(maxsize=16)
def choice_of(candidates: int) -> TypeAdapter[Choice]:
    """A choice among so many candidates."""

    def check(choice: Choice) -> Choice:
        if choice.chosen > candidates:
            raise ValueError(f"chosen: there are {candidates} candidates")
        return choice

    return TypeAdapter(Annotated[Choice, AfterValidator(check)])


def wanted(request: Request[ExamineeView]) -> Wanted:
    """What is asked of an examinee now: its move, unless a strategy asks for something else."""
    last = next((item for item in reversed(request.feed) if not isinstance(item, Noticed)), None)
    if isinstance(last, Reconsidered) and last.how in ("choose", "advise", "approve"):
        return last.how
    return "move"
