"""A room: what a teacher set up, as it is kept, and as teacher and learners see it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from osler.core.role import PERSON
from osler.errors import BadInput
from osler.models.config import Config as Endpoints
from osler.store.practice import PersonSitting
from osler.store.rooms import MemberRow, RoomRow
from osler.web.practise.schemas import Disclosure, SitDown
from osler.web.teach.codes import shown_code
from osler.web.teach.disclosure import disclosure, kept
from osler.web.teach.group_schemas import Together
from osler.web.teach.schemas import CaseInRoom, Joined, JoinPage, OwnSitting, Room, RoomLine, RoomPlan, Trial

HOUR_S: Final = 3600.0
ROOM_CASE: Final = "room_case"
"""The key under which a sitting keeps which of the room's cases it is."""
SUBSTITUTES: Final = "substitutes"
"""The key under which a sitting keeps who plays since its teacher let others go on, in words."""


class KeptCase(BaseModel):
    """A case of a room as it is kept. `id` counts the room's cases and says nothing about the case; `of` is
    the real one's, `players` are all seats with the learner's as `person`."""

    model_config = ConfigDict(frozen=True)

    id: str
    protocol: str
    of: str
    seat: str
    title: str
    complaint: str
    minutes: int
    distressing: bool
    real: str
    players: dict[str, str]

    def shown(self, teacher: bool) -> CaseInRoom:
        """The case as the teacher or a learner may see it."""
        fields = {name: getattr(self, name) for name in CaseInRoom.model_fields if name != "real"}
        return CaseInRoom(**fields, real=f"{self.of}: {self.real}" if teacher else "")


class KeptRoom(BaseModel):
    """The JSON that the store keeps of a room. `held` are the words with which the teacher holds it;
    `assessors` are the learners who see everything in its rounds."""

    model_config = ConfigDict(frozen=True)

    plan: RoomPlan
    cases: tuple[KeptCase, ...]
    trials: tuple[Trial, ...] = ()
    held: str | None = Field(default=None)
    assessors: tuple[str, ...] = ()


class Opened(NamedTuple):
    """A room read from the store."""

    row: RoomRow
    kept: KeptRoom

    @property
    def plan(self) -> RoomPlan:
        """The plan that the teacher set up."""
        return self.kept.plan

    @property
    def open(self) -> bool:
        """Whether learners may come in and go on."""
        return self.row.closed is None and (self.row.expires is None or time.time() < self.row.expires)

    def case(self, wanted: str) -> KeptCase:
        """The case with this id in the room. Raises BadInput."""
        for case in self.kept.cases:
            if case.id == wanted:
                return case
        raise BadInput("this room has no such case", hint="go back to the room's page and choose one")

    def real(self, taken: PersonSitting) -> str:
        """The real case of one of its sittings, for the teacher."""
        result = next((case for case in self.kept.cases if case.id == taken.more.get(ROOM_CASE)), None)
        return f"{result.of}: {result.real}" if result else ""

    def disclosure(self, endpoints: Endpoints) -> Disclosure:
        """The disclosure that a learner reads before the first word."""
        return disclosure(self.plan, endpoints, seats_of(self.kept.cases))

    @property
    def together(self) -> Together | None:
        """The shared rounds as learners are told of them, `None` where each has an encounter of their own."""
        plan = self.plan.group
        if plan is None:
            return None
        return Together(
            students=plan.students,
            groups=plan.groups,
            rounds=len(plan.tutors) or len(self.kept.cases),
            compared=len(plan.tutors),
            watch=plan.watch,
        )


def seats_of(cases: Sequence[KeptCase]) -> Mapping[str, Mapping[str, str]]:
    """The players by seat of each protocol among a room's cases."""
    return {case.protocol: case.players for case in cases}


def sit_down(case: KeptCase, persona: str) -> SitDown:
    """The request of a learner who sits down with a case of a room."""
    others = {seat: name for seat, name in case.players.items() if name != PERSON}
    return SitDown(protocol=case.protocol, case=case.of, seat=case.seat, persona=persona, players=others)


def opened(row: RoomRow) -> Opened:
    """A room from its row."""
    return Opened(row, KeptRoom.model_validate_json(row.plan))


def as_line(room: Opened, members: int) -> RoomLine:
    """A room in its teacher's list."""
    return RoomLine(**_common(room), learners=members)


def as_teacher(room: Opened, endpoints: Endpoints) -> Room:
    """A room as its teacher sees it."""
    plan = room.plan
    rest: dict[str, Any] = {name: getattr(plan, name) for name in _COPIED}
    return Room(
        **_common(room),
        **rest,
        path=f"/join/{room.row.code}",
        cases=[case.shown(teacher=True) for case in room.kept.cases],
        disclosure=room.disclosure(endpoints),
        trials=list(room.kept.trials),
    )


def as_learner(
    room: Opened,
    endpoints: Endpoints,
    member: MemberRow | None,
    sittings: Mapping[str, OwnSitting],
    used_up: Sequence[str],
) -> JoinPage:
    """A room as a learner sees it, before joining and after; `sittings` are the learner's own by case,
    `used_up` the cases that the learner may not begin any more."""
    plan = room.plan
    joined = member and Joined(
        room=room.row.id,
        pseudonym=member.pseudonym,
        uses=list(member.uses),
        sittings=dict(sittings),
        used_up=list(used_up),
    )
    return JoinPage(
        room=room.row.id,
        name=plan.name,
        open=room.open,
        expires=room.row.expires,
        cases=[case.shown(teacher=False) for case in room.kept.cases],
        disclosure=room.disclosure(endpoints),
        kept=kept(plan, room.row.expires),
        asks=plan.asks,
        share_until=plan.share_until,
        sees=plan.sees,
        held_back=plan.held_back,
        clock=plan.clock,
        together=room.together,
        joined=joined,
    )


_COPIED: Final = (
    "players",
    "persona",
    "marks",
    "clock",
    "asks",
    "share_until",
    "consent",
    "sees",
    "held_back",
    "ceiling",
    "group",
)


def _common(room: Opened) -> dict[str, Any]:
    row = room.row
    shown = {"id": row.id, "code": shown_code(row.code), "created": row.created, "expires": row.expires}
    return {**shown, "name": room.plan.name, "open": room.open}
