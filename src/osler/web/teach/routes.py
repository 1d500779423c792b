"""The routes of this room: a teacher's rooms, and a learner's way in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import APIRouter, FastAPI

from osler.errors import BadInput
from osler.store import practice
from osler.store.practice import PersonSitting
from osler.store.rooms import NOT_IN, Rooms
from osler.web.house import House
from osler.web.practise.encounter import BLINDED
from osler.web.practise.reception import Reception
from osler.web.practise.routes import PRACTISE
from osler.web.rights import Visitor
from osler.web.teach import board_routes, group_routes, joining_routes, marking_routes, room_routes
from osler.web.teach.funds import RoomFunds
from osler.web.teach.judging import ModelMarks
from osler.web.teach.learners import check_ceiling, check_open
from osler.web.teach.room import opened
from osler.web.watch.hub import Signals, hub_of
from osler.web.watch.seeing import keep_back

HELD_BACK: Final = "your teacher releases the debriefs once everybody is done"


@asynccontextmanager
async def _open(app: FastAPI) -> AsyncIterator[None]:
    """Every room's sittings live on its funds, and are marked by its models, as long as the server runs."""
    house: House = app.state.house
    reception: Reception = house.rooms[PRACTISE]
    reception.sittings.funds = RoomFunds(house).of
    reception.sittings.ended = ModelMarks(house).ended
    reception.withheld = lambda sitting: _withheld(house, sitting)
    reception.reserved = lambda asking: _reserved(house, asking)
    keep_back(house, lambda asking, run: _is_kept_back(house, asking, run))
    reception.check_room = lambda sitting: _check_room(house, sitting)
    Signals(hub_of(house), "room", lambda asking, id: _is_in(house, asking, id))
    yield


def _is_in(house: House, asking: Visitor, room: str) -> bool:
    """Whether a room is the visitor's own, or one the visitor has joined."""
    rooms = Rooms(house.store)
    row = rooms.room(room)
    if row is None:
        return False
    if asking.may("teach") and asking.owns(row.owner):
        return True
    return asking.may("learn") and rooms.member(room, asking.id) is not None


def _withheld(house: House, sitting: PersonSitting) -> str:
    """The reason why the debrief of a room's sitting cannot be read yet, "" if it can."""
    row = Rooms(house.store).room(sitting.room) if sitting.room else None
    return HELD_BACK if row is not None and opened(row).plan.held_back else ""


def _reserved(house: House, asking: Visitor) -> frozenset[str]:
    """The cases of the rooms that a visitor has met and that hold their debriefs back: whoever played one of
    them elsewhere would read its answer there."""
    met = (opened(row) for row in Rooms(house.store).met_by(asking.id)) if asking.id else ()
    return frozenset(case.of for room in met if room.plan.held_back for case in room.kept.cases)


def _is_kept_back(house: House, asking: Visitor, run: int) -> bool:
    """Whether a run is an encounter of a room that the visitor has met and that holds its debriefs back, or
    that does not say who plays in it."""
    for sitting in practice.sittings_of_run(house.store, run):
        if sitting.room and (BLINDED in sitting.more or _withheld(house, sitting)):
            met = Rooms(house.store).met_by(asking.id) if asking.id else ()
            if any(room.id == sitting.room for room in met):
                return True
    return False


def _check_room(house: House, sitting: PersonSitting) -> None:
    """Raise BadInput if whoever has a sitting may not sit down in its room now."""
    rooms = Rooms(house.store)
    row = rooms.room(sitting.room) if sitting.room else None
    if row is not None:
        room = opened(row)
        if rooms.member(row.id, sitting.owner) is None:
            raise BadInput(NOT_IN, hint="join it again by its code")
        check_open(room)
        check_ceiling(house, room)


router = APIRouter(prefix="/api", tags=["teach"], lifespan=_open)
for part in (room_routes, board_routes, marking_routes, joining_routes, group_routes):
    router.include_router(part.router)
