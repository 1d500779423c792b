"""Routes of a room's board: who is where, holding and releasing, reading, showing, results."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import APIRouter, Response

from osler.store import practice
from osler.store.practice import PersonSitting
from osler.store.rooms import Rooms
from osler.text.hostile import safe
from osler.web.house import House
from osler.web.practise.beginning import LEFT
from osler.web.practise.sittings import Sittings
from osler.web.teach.codes import no_such_room
from osler.web.teach.desk import read, shown, state_of
from osler.web.teach.hall import TEACHES, Hall, InHall, OwnRoom
from osler.web.teach.learners import REMOVED, give_time, let_again, remove
from osler.web.teach.results import as_csv, results_of
from osler.web.teach.room import Opened, opened
from osler.web.teach.schemas import Begin, ExtraTime, Hold, ReadableEncounter, Release, Results, RoomState
from osler.web.teach.substitutes import go_on_with
from osler.web.watch.hub import hub_of

router = APIRouter(dependencies=TEACHES)


@router.get("/rooms/{room}/state")
async def room_state(found: OwnRoom, hall: InHall) -> RoomState:
    """The room at this moment."""
    return await board(hall, found)


@router.post("/rooms/{room}/hold")
async def hold_encounters(found: OwnRoom, given: Hold, hall: InHall) -> RoomState:
    """Stop one encounter, or all, with words for the learners. Nothing is lost."""
    await hold(hall.house, hall.sittings, found, given)
    return await board(hall, found)


@router.post("/rooms/{room}/release")
async def release_encounters(found: OwnRoom, given: Release, hall: InHall) -> RoomState:
    """Let one encounter go on, or all of them."""
    await release(hall.house, hall.sittings, found, given)
    return await board(hall, found)


@router.put("/rooms/{room}/learners/{learner}/extra")
async def give_extra_time(found: OwnRoom, learner: str, given: ExtraTime, hall: InHall) -> RoomState:
    """Give a learner more time."""
    await asyncio.to_thread(give_time, hall.house, found, learner, given.per_cent)
    return await board(hall, found)


@router.post("/rooms/{room}/learners/{learner}/again")
async def let_begin_again(found: OwnRoom, learner: str, given: Begin, hall: InHall) -> RoomState:
    """Let one learner begin again with a case that a clock lets everybody take once."""
    await asyncio.to_thread(let_again, hall.house, found, learner, given.case)
    return await board(hall, found)


@router.delete("/rooms/{room}/learners/{learner}")
async def remove_learner(found: OwnRoom, learner: str, hall: InHall) -> RoomState:
    """Remove a learner from the room, as if they had left it; their encounters stay their own."""
    await remove(hall.house, hall.sittings, found, learner)
    hub_of(hall.house).changed(f"room:{found.row.id}")
    return await board(hall, found)


@router.get("/rooms/{room}/read/{sitting}")
async def read_encounter(found: OwnRoom, sitting: str, hall: InHall) -> ReadableEncounter:
    """An encounter for the teacher's own eyes, if its learner permits the teacher to read it."""
    return await asyncio.to_thread(read, hall.sittings, hall.house.store, found, sitting)


@router.get("/rooms/{room}/show/{sitting}")
async def show_encounter(found: OwnRoom, sitting: str, hall: InHall) -> ReadableEncounter:
    """An encounter to be shown to a class, if its learner permits it to be shown to others."""
    return await asyncio.to_thread(shown, hall.sittings, hall.house.store, found, sitting)


@router.get("/rooms/{room}/results")
async def room_results(found: OwnRoom, hall: InHall) -> Results:
    """The results of the room's sittings."""
    return await asyncio.to_thread(results_of, hall.house, hall.sittings, found)


@router.get("/rooms/{room}/results.csv", response_class=Response)
async def room_results_csv(found: OwnRoom, hall: InHall) -> Response:
    """The results as a table for a spreadsheet."""
    text = as_csv(await asyncio.to_thread(results_of, hall.house, hall.sittings, found))
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in found.plan.name)
    disposition = f'attachment; filename="{name[:40]}.csv"'
    return Response(text, media_type="text/csv; charset=utf-8", headers={"content-disposition": disposition})


async def board(hall: Hall, found: Opened) -> RoomState:
    """A room at this moment, read anew."""
    row = Rooms(hall.house.store).room(found.row.id)
    now = found if row is None else opened(row)
    return await asyncio.to_thread(state_of, hall.house, hall.sittings, now)


# Holding and releasing: nothing is lost


WORDS: Final = "Your teacher has stopped this encounter for now."


async def hold(house: House, sittings: Sittings, room: Opened, given: Hold) -> None:
    """Stop one encounter, or all of them and the room with them."""
    words = " ".join(safe(given.words).split()) or WORDS
    if not given.sitting:
        await asyncio.to_thread(_keep, house, room, words)
    for sitting in await asyncio.to_thread(_unfinished, house, room, given.sitting):
        if not sitting.stopped:
            await sittings.stop(sitting, words)


async def release(house: House, sittings: Sittings, room: Opened, given: Release) -> None:
    """Let one encounter go on, or all of them and the room with them; one that paused is tried again."""
    if not given.sitting:
        await asyncio.to_thread(_keep, house, room, None)
    for sitting in await asyncio.to_thread(_unfinished, house, room, given.sitting):
        if sitting.stopped == REMOVED and not given.sitting:
            continue  # its learner is no longer in the room, or came back and waits for a word
        playing = sittings.now(sitting.id)
        if given.players:
            await sittings.put_down(sitting)
            await go_on_with(house, sittings, room, sitting, given.players)
            continue
        if sitting.stopped:
            sitting = await sittings.release(sitting)
        if given.sitting or (playing is not None and playing.fault is not None):
            await sittings.again(sitting)


def _keep(house: House, room: Opened, held: str | None) -> None:
    kept_room = room.kept.model_copy(update={"held": held})
    Rooms(house.store).change(room.row.id, plan=kept_room.model_dump_json())


def _unfinished(house: House, room: Opened, sitting: str) -> list[PersonSitting]:
    """A sitting of each encounter of a room that has not ended, or the one named. Raises NotFound for another
    room's."""
    sittings = practice.sittings_in(house.store, room.row.id)
    if sitting:
        sittings = [one for one in sittings if one.id == sitting]
        if not sittings:
            raise no_such_room()
    # One sitting of each encounter is enough: what happens to it happens to all.
    encounters = {one.run: one for one in sittings if one.stopped != LEFT}
    return [one for one in encounters.values() if house.store.ended(one.run, one.ordinal) is None]
