"""What can be set up for a round that several people share: its seats, and the tutors it compares."""

from __future__ import annotations

from typing import Final

from osler.core.protocol import Protocol
from osler.core.role import PERSON
from osler.errors import BadInput
from osler.players.admission import check_name
from osler.web.naming import PLAYED_HERE
from osler.web.teach.disclosure import TUTOR
from osler.web.teach.group_schemas import GroupPlan
from osler.web.teach.schemas import RoomPlan

_STUDENT: Final = "student"


def check_group(plan: RoomPlan, group: GroupPlan, protocol: Protocol, title: str) -> None:
    """Raise BadInput for a case, a seat or a tutor that a group cannot have."""
    if not {TUTOR, _STUDENT} <= {role.name for role in protocol.roles if role.person}:
        raise BadInput("a group shares ward rounds only", where=title, hint="choose a ward round")
    offered = [TUTOR, *(f"{_STUDENT}_{n}" for n in range(1, group.students + 1))]
    if strange := [seat for seat in group.seats if seat not in offered]:
        raise BadInput(
            f"people cannot choose {strange[0][:40]!r}",
            where="seats",
            hint=f"offer some of {', '.join(offered)}",
        )
    if len(set(group.seats)) < len(group.seats):
        raise BadInput("a seat is offered twice", where="seats", hint="name each seat once")
    if group.watch and "share" not in plan.asks:
        hint = "ask learners whether their words may be shared, and until when"
        raise BadInput("others follow a round only as those in it permit", where="watch", hint=hint)
    if plan.clock is not None:
        raise BadInput("a group's round has no station clock", where="clock", hint="leave the clock out")
    if not group.tutors:
        return
    for name in group.tutors:
        check_name(protocol, TUTOR, name, PLAYED_HERE)
    if len(set(group.tutors)) < max(len(group.tutors), 2):
        raise BadInput("name at least two tutors, each once", where="tutors")
    if (PERSON in group.tutors) != (TUTOR in group.seats):
        hint = "offer the tutor's seat exactly if a person is among those compared"
        raise BadInput("a person who is compared needs the tutor's seat", where="seats", hint=hint)
    if len(plan.cases) < len(group.tutors):
        hint = f"choose at least {len(group.tutors)} cases"
        raise BadInput("each tutor is met with another case", where="cases", hint=hint)
