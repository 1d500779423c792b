"""Recorded replies as their players gave them: before what they claim of themselves was read (`Role.check`),
so that a replay can read them again."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel

from osler.core.contract import Request
from osler.core.names import PlayerName
from osler.core.role import EXTERNAL, PERSON, Role
from osler.runs.reread import Reread

_CLAIMED: Final = ("revealed_facts", "findings")
"""The fields whose claims, where a reply was read, stand in its `claimed`."""


class Recorded(Reread):
    """A player that gives the replies of its seat from the record, as the player that gave them did."""

    async def reply(self, request: Request[Any], /) -> BaseModel:
        """Give the next recorded answer. Raises RecordEnds where there is none."""
        return as_given(await super().reply(request))


def as_given(reply: BaseModel) -> BaseModel:
    """A reply before it was read: what was claimed is claimed again, and acts that words cannot mean are
    carried out again; a reply that was not read is the same."""
    if (claimed := getattr(reply, "claimed", None)) is not None:
        name = next(one for one in _CLAIMED if one in type(reply).model_fields)
        reply = reply.model_copy(update={name: claimed, "claimed": None})
    if refused := list(getattr(reply, "refused", None) or ()):
        acts = [
            one.model_copy(update={"status": "executed", "interpreted_action": refused.pop(0)})
            if refused and one.status == "unsupported" and not one.interpreted_action
            else one
            for one in getattr(reply, "action_assessments", ())
        ]
        reply = reply.model_copy(update={"action_assessments": tuple(acts), "refused": None})
    return reply


def stand_in(name: PlayerName, role: Role) -> str:
    """The player that stands in for one whose replies are read from the record: what a person says is not
    read again, nor what several players made of one reply."""
    return PERSON if role.person and (name.name == PERSON or name.around) else EXTERNAL
