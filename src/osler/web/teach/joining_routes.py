"""Routes of a learner: reading what a room is, joining it, sitting down with a case."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from osler.store.passes import by_room
from osler.store.rooms import Rooms
from osler.web.rights import Asking, Visitor, needs
from osler.web.teach.access import joined_room, room_by_code
from osler.web.teach.desk import own_sittings, used_up
from osler.web.teach.hall import Hall, InHall, guesser
from osler.web.teach.learners import begin, check_join, join, leave, sittings_of
from osler.web.teach.room import Opened, as_learner
from osler.web.teach.schemas import Begin, Begun, Join, JoinPage
from osler.web.watch.hub import hub_of

router = APIRouter()


@router.get("/join/{code}")
def join_page(code: str, request: Request, hall: InHall, asking: Asking) -> JoinPage:
    """The page that a learner reads before the first word. Needs no right: the code is the way in."""
    return _page(hall, room_by_code(hall.house, hall.guesses, code, guesser(request), asking), asking)


@router.post("/join/{code}")
def join_room(
    code: str, given: Join, request: Request, response: Response, hall: InHall, asking: Asking
) -> JoinPage:
    """Join under a pseudonym. Joined again, the pseudonym and what is permitted are replaced."""
    room = room_by_code(hall.house, hall.guesses, code, guesser(request), asking)
    # First: who is let in may get a new cookie, which the answer to a refusal would not set.
    uses, permits = check_join(hall.house, room, asking, given)
    visitor = hall.house.visitors.admit(asking, {"learn"}, response, source=by_room(room.row.id))
    join(hall.house, room, visitor, uses, permits)
    return _page(hall, room, visitor)


@router.post("/rooms/{room}/sittings", status_code=201, dependencies=[needs("learn")])
async def sit_in_room(room: str, given: Begin, hall: InHall, asking: Asking) -> Begun:
    """Sit down with a case of a room one has joined; one that is unfinished goes on."""
    result, member = await asyncio.to_thread(joined_room, hall.house, asking, room)
    sitting = await begin(hall.house, hall.sittings, hall.shelf, result, member, given)
    return Begun(sitting=sitting.id)


@router.post("/rooms/{room}/leave", status_code=204, dependencies=[needs("learn")])
def leave_room(room: str, hall: InHall, asking: Asking) -> Response:
    """Leave a room one has joined: one's pseudonym goes from it, and one's encounters stay one's own."""
    leave(hall.house, *joined_room(hall.house, asking, room))
    hub_of(hall.house).changed(f"room:{room}")
    return Response(status_code=204)


def _page(hall: Hall, room: Opened, visitor: Visitor) -> JoinPage:
    member = Rooms(hall.house.store).member(room.row.id, visitor.id) if visitor.id else None
    own = own_sittings(hall.house.store, room, sittings_of(hall.house, room, visitor.id)) if member else {}
    gone = used_up(hall.house.store, room, member.id) if member else []
    return as_learner(room, hall.house.models.endpoints(), member, own, gone)
