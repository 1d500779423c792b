"""The routes of practising: the shelf, sittings, and their debriefings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Request, Response

from osler.store import practice
from osler.store.practice import PersonSitting
from osler.web.house import House
from osler.web.play_loop import PlayLoop
from osler.web.practise.orderables import orderables as every_orderable
from osler.web.practise.reception import Reception
from osler.web.practise.schemas import (
    Accepted,
    Concern,
    Contest,
    Debriefing,
    FromHere,
    Move,
    Orderable,
    Permit,
    Reading,
    ResumeByCode,
    SatDown,
    Shelf,
    SitDown,
    SittingState,
)
from osler.web.practise.sittings import Sittings
from osler.web.rights import Asking, Visitor, needs
from osler.web.watch.hub import Signals, hub_of

PRACTISE = "practise"


@asynccontextmanager
async def _open(app: FastAPI) -> AsyncIterator[None]:
    """The reception, open as long as the server runs."""
    house: House = app.state.house
    loop = PlayLoop()
    loop.start()
    hub = hub_of(house)
    Signals(hub, "sitting", lambda asking, id: _is_own(house, asking, id))

    def changed(person_sitting: PersonSitting) -> None:
        hub.changed(f"sitting:{person_sitting.id}")
        if person_sitting.room:
            hub.changed(f"room:{person_sitting.room}")

    sittings = Sittings(house, loop, changed)
    reception = house.rooms[PRACTISE] = Reception(house, loop, sittings)
    sittings.start()
    warming = asyncio.create_task(asyncio.to_thread(reception.warm_up)) if house.warm_up else None
    try:
        yield
    finally:
        await sittings.close()
        await loop.close()
        if warming is not None:
            await warming


def _is_own(house: House, asking: Visitor, id: str) -> bool:
    person_sitting = practice.sitting(house.store, id)
    return person_sitting is not None and asking.may("learn") and asking.owns(person_sitting.owner)


router = APIRouter(prefix="/api", tags=["practise"], dependencies=[needs("learn")], lifespan=_open)


async def _reception(request: Request) -> Reception:
    reception: Reception = request.app.state.house.rooms[PRACTISE]
    return reception


Desk = Annotated[Reception, Depends(_reception)]
"""The parameter type of a route that asks the reception."""


@router.get("/shelf")
async def shelf(desk: Desk, asking: Asking) -> Shelf:
    """The cases that may be practised, and what the visitor has begun."""
    return await desk.whole_shelf(asking)


@router.get("/orderables")
async def orderables() -> list[Orderable]:
    """Everything that can be ordered by name; the list is the same for every case."""
    return list(every_orderable())


@router.post("/sittings", status_code=201)
async def sit_down(wanted: SitDown, desk: Desk, asking: Asking) -> SatDown:
    """Take a seat in a new encounter."""
    return await desk.sit_down(wanted, asking)


@router.post("/sittings/resume")
async def resume_by_code(wanted: ResumeByCode, desk: Desk, asking: Asking) -> SatDown:
    """Go on with a sitting on this device, by its code."""
    return await desk.resume(wanted.code, asking)


@router.get("/sittings/{id}")
async def sitting(id: str, desk: Desk, asking: Asking) -> SittingState:
    """The whole state of a sitting."""
    return await desk.state(await desk.taken(id, asking))


@router.post("/sittings/{id}/moves", status_code=202)
async def make_move(id: str, given: Move, desk: Desk, asking: Asking) -> Accepted:
    """Reply to the open question."""
    return Accepted(ticket=await desk.move(await desk.taken(id, asking), given.ticket, given.move))


@router.post("/sittings/{id}/moves/check")
async def check_move(id: str, given: Move, desk: Desk, asking: Asking) -> list[Concern]:
    """List what is to be confirmed before a reply is sent; nothing is sent yet."""
    return await desk.check(await desk.taken(id, asking), given.ticket, given.move)


@router.post("/sittings/{id}/readings", status_code=204)
async def read_picture(id: str, given: Reading, desk: Desk, asking: Asking) -> Response:
    """Write one's own reading of a picture, after which its report is shown."""
    await desk.read_picture(await desk.taken(id, asking), given.item, given.words)
    return Response(status_code=204)


@router.get("/sittings/{id}/pictures/{item}.png", response_class=Response)
async def sitting_picture(id: str, item: str, desk: Desk, asking: Asking) -> Response:
    """A picture that this seat was shown."""
    image, kind = await desk.picture(await desk.taken(id, asking), item)
    return Response(image, media_type=kind)


@router.post("/sittings/{id}/leave", status_code=204)
async def leave_sitting(id: str, desk: Desk, asking: Asking) -> Response:
    """Leave a sitting; it goes on when it is opened again."""
    await desk.sittings.leave(await desk.taken(id, asking))
    return Response(status_code=204)


@router.post("/sittings/{id}/resume")
async def resume_sitting(id: str, desk: Desk, asking: Asking) -> SittingState:
    """Try a paused sitting again."""
    person_sitting = await desk.taken(id, asking)
    await desk.sittings.again(person_sitting)
    return await desk.state(person_sitting)


@router.put("/sittings/{id}/permission", status_code=204)
async def permit_uses(id: str, given: Permit, desk: Desk, asking: Asking) -> Response:
    """Say what may be done with one's words, in place of what was permitted before."""
    await desk.permit(await desk.taken(id, asking), given.uses, given.until)
    return Response(status_code=204)


@router.delete("/sittings/{id}", status_code=204)
async def delete_sitting(id: str, desk: Desk, asking: Asking) -> Response:
    """Delete everything one said in a sitting; it cannot be brought back."""
    await desk.forget(await desk.taken(id, asking))
    return Response(status_code=204)


@router.get("/sittings/{id}/debrief")
async def debrief(id: str, desk: Desk, asking: Asking) -> Debriefing:
    """The debriefing of an ended sitting."""
    return await desk.debrief(await desk.taken(id, asking))


@router.post("/sittings/{id}/contests", status_code=204)
async def contest_item(id: str, given: Contest, desk: Desk, asking: Asking) -> Response:
    """Say that a thing marked as missed was done."""
    await desk.contest(await desk.taken(id, asking), given.item, given.words)
    return Response(status_code=204)


@router.post("/sittings/{id}/again", status_code=201)
async def sit_again(id: str, given: FromHere, desk: Desk, asking: Asking) -> SatDown:
    """Sit down again in the same encounter, from an earlier moment."""
    return await desk.again(await desk.taken(id, asking), given.keep)
