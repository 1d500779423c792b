"""Holding and releasing: a teacher stops encounters with words, and lets them go on. Nothing is lost."""

from __future__ import annotations

import asyncio
from typing import Final

from osler.store import practice
from osler.store.practice import Taken
from osler.store.rooms import Rooms
from osler.text.hostile import safe
from osler.web.house import House
from osler.web.practise.beginning import LEFT
from osler.web.practise.sittings import Sittings
from osler.web.teach.codes import no_such_room
from osler.web.teach.learners import REMOVED
from osler.web.teach.room import Opened
from osler.web.teach.schemas import Hold, Release
from osler.web.teach.substitutes import go_on_with

WORDS: Final = "Your teacher has stopped this encounter for now."


async def hold(house: House, sittings: Sittings, room: Opened, given: Hold) -> None:
    """Stop one encounter, or all of them and the room with them."""
    words = " ".join(safe(given.words).split()) or WORDS
    if not given.sitting:
        await asyncio.to_thread(_keep, house, room, words)
    for taken in await asyncio.to_thread(_unfinished, house, room, given.sitting):
        if not taken.stopped:
            await sittings.stop(taken, words)


async def release(house: House, sittings: Sittings, room: Opened, given: Release) -> None:
    """Let one encounter go on, or all of them and the room with them; one that paused is tried again."""
    if not given.sitting:
        await asyncio.to_thread(_keep, house, room, None)
    for taken in await asyncio.to_thread(_unfinished, house, room, given.sitting):
        if taken.stopped == REMOVED and not given.sitting:
            continue  # its learner is no longer in the room, or came back and waits for a word
        playing = sittings.now(taken.id)
        if given.players:
            await sittings.put_down(taken)
            await go_on_with(house, sittings, room, taken, given.players)
            continue
        if taken.stopped:
            taken = await sittings.release(taken)
        if given.sitting or (playing is not None and playing.fault is not None):
            await sittings.again(taken)


def _keep(house: House, room: Opened, held: str | None) -> None:
    kept = room.kept.model_copy(update={"held": held})
    Rooms(house.store).change(room.row.id, plan=kept.model_dump_json())


def _unfinished(house: House, room: Opened, sitting: str) -> list[Taken]:
    """A sitting of each encounter of a room that has not ended, or the one named. Raises NotFound for another
    room's."""
    found = practice.sittings_in(house.store, room.row.id)
    if sitting:
        found = [one for one in found if one.id == sitting]
        if not found:
            raise no_such_room()
    # One sitting of each encounter is enough: what happens to it happens to all.
    encounters = {one.run: one for one in found if one.stopped != LEFT}
    return [one for one in encounters.values() if house.store.ended(one.run, one.ordinal) is None]
