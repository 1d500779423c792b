"""Routes of rooms: open one, list one's own, look at one, change it, its QR code; try a model."""

from __future__ import annotations

import io
import time

import segno
from fastapi import APIRouter, Request, Response

from osler.errors import BadInput
from osler.store.rooms import Rooms
from osler.web.rights import Asking
from osler.web.teach.disclosure import MODEL
from osler.web.teach.hall import TEACHES, InHall, OwnRoom
from osler.web.teach.room import HOUR_S, Opened, as_line, as_teacher, opened
from osler.web.teach.schemas import NewRoom, Room, RoomChange, RoomLine, Trial, TryModel
from osler.web.teach.setup import check_money, open_room
from osler.web.teach.trials import tried

router = APIRouter(dependencies=TEACHES)
_SEES = ("live", "after", "results")


@router.post("/rooms", status_code=201)
async def make_room(given: NewRoom, hall: InHall, asking: Asking) -> Room:
    """Open a room. Each model in it takes one real turn first."""
    room = await hall.house.long_work.run(asking.id, lambda: open_room(hall.house, hall.shelf, asking, given))
    return as_teacher(room, hall.house.models.endpoints())


@router.get("/rooms")
def my_rooms(hall: InHall, asking: Asking) -> list[RoomLine]:
    """The visitor's own rooms, newest first."""
    rooms = Rooms(hall.house.store)
    return [as_line(opened(row), len(rooms.members(row.id))) for row in rooms.of(asking.id)]


@router.get("/rooms/models")
def known_models(hall: InHall) -> list[str]:
    """The models that osler.toml names, as players."""
    return [f"{MODEL}{name}" for name in hall.house.models.endpoints().endpoints]


@router.post("/rooms/try")
async def try_model(given: TryModel, hall: InHall, asking: Asking) -> Trial:
    """Let a model take one real turn, and say what came and what a sitting may cost."""
    return await hall.house.long_work.run(asking.id, lambda: tried(given, hall.house.models))


@router.get("/rooms/{room}")
def one_room(found: OwnRoom, hall: InHall) -> Room:
    """One of the visitor's own rooms."""
    return as_teacher(found, hall.house.models.endpoints())


@router.patch("/rooms/{room}")
def change_room(found: OwnRoom, given: RoomChange, hall: InHall) -> Room:
    """Change a room: open or close it, make it last, show less of it, release its debriefs, raise its
    ceiling."""
    rooms, plan = Rooms(hall.house.store), found.plan
    if given.sees is not None and _SEES.index(given.sees) < _SEES.index(plan.sees):
        raise BadInput(
            "learners joined on the word that less is seen", where="sees", hint="open another room"
        )
    names = ("name", "sees", "held_back", "ceiling")
    changed = {name: getattr(given, name) for name in names}
    plan = plan.model_copy(update={name: value for name, value in changed.items() if value is not None})
    if given.ceiling is not None:
        check_money(plan, found.kept.cases, hall.house.models.endpoints())
    values: dict[str, object] = {"plan": found.kept.model_copy(update={"plan": plan}).model_dump_json()}
    if given.open is not None:
        values["closed"] = None if given.open else time.time()
    if given.hours is not None:
        values["expires"] = time.time() + given.hours * HOUR_S
    rooms.change(found.row.id, **values)
    return as_teacher(_again(rooms, found), hall.house.models.endpoints())


@router.get("/rooms/{room}/qr.svg", response_class=Response)
def room_qr(found: OwnRoom, request: Request, hall: InHall) -> Response:
    """The QR code of the room's link, as the teacher's own browser reaches this server."""
    link = hall.house.door.page(request.headers["host"], f"join/{found.row.code}")
    drawn = io.BytesIO()
    segno.make(link, error="m").save(drawn, kind="svg", scale=8, border=4, dark="#000", light="#fff")
    return Response(drawn.getvalue(), media_type="image/svg+xml")


def _again(rooms: Rooms, room: Opened) -> Opened:
    row = rooms.room(room.row.id)
    return room if row is None else opened(row)
