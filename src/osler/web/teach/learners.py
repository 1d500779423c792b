"""A learner's way into a room: joining under a pseudonym, and sitting down with a case."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Final

from osler.core.permitted import MARKER, Permission, permission
from osler.errors import BadInput, OslerError
from osler.store import practice
from osler.store.permissions import grant
from osler.store.practice import PersonSitting
from osler.store.rooms import MemberRow, Rooms
from osler.text.hostile import safe
from osler.web.house import House
from osler.web.practise.beginning import LEFT, Label
from osler.web.practise.clocks import ASK, CLOCK, HELD_S, TAKEN_ONCE
from osler.web.practise.encounter import GROUP, Sitter
from osler.web.practise.shelf import ShelfOf, configured
from osler.web.practise.sittings import Sittings
from osler.web.rights import Visitor
from osler.web.teach.disclosure import MODEL
from osler.web.teach.funds import check_left, spent
from osler.web.teach.room import ROOM_CASE, KeptCase, Opened, sit_down
from osler.web.teach.schemas import Begin, Join, StationClock
from osler.web.watch.hub import hub_of

MOST_LEARNERS: Final = 500
SHARED: Final = "the encounters of this room are shared"
IN_ROUND: Final = "you sit in a round that goes on"
REMOVED: Final = "Your teacher has removed you from this room."
NO_LEARNER: Final = "there is no such learner in this room"


def check_join(house: House, room: Opened, visitor: Visitor, given: Join) -> tuple[list[str], Permission]:
    """The uses that a learner permits on joining a room, and the permission. Raises BadInput for a room that
    is closed or full, a use that was not asked for, and a pseudonym without a visible letter."""
    check_open(room)
    pseudonym = " ".join(safe(given.pseudonym).split())
    if not pseudonym:
        raise BadInput("choose a name to go by", where="pseudonym", hint="any but your own")
    if strange := [use for use in given.uses if use not in room.plan.asks and use != "practice"]:
        raise BadInput(f"this room does not ask for {strange[0]}", where="uses")
    uses = ["practice", *(use for use in room.plan.asks if use in given.uses and use != "practice")]
    permits = permits_in(room, uses, pseudonym)
    _check_place(Rooms(house.store), room, visitor)
    return uses, permits


def _check_place(rooms: Rooms, room: Opened, visitor: Visitor) -> None:
    """Raise BadInput for a newcomer to a room that is full, unless somebody in it has begun nothing."""
    there = rooms.members(room.row.id)
    if len(there) < MOST_LEARNERS or any(one.visitor == visitor.id for one in there):
        return
    if not rooms.make_room(room.row.id, room.kept.assessors):
        raise BadInput("this room is full", hint="ask your teacher for another one")


def join(house: House, room: Opened, visitor: Visitor, uses: Sequence[str], permits: Permission) -> MemberRow:
    """Let a visitor in under a pseudonym, with what `check_join` returned."""
    pseudonym = permits.pseudonym
    member = Rooms(house.store).join(room.row.id, visitor.id, pseudonym, uses)
    for sitting in sittings_of(house, room, visitor.id):  # joined again: the new choice holds for all
        grant(
            house.store,
            sitting.run,
            [sitting.ordinal],
            uses,
            seats=[sitting.seat],
            expires=permits.expires,
            pseudonym=pseudonym,
            consent=room.plan.consent or None,
        )
    hub_of(house).ask_again()  # less may be permitted than before
    return member


def leave(house: House, room: Opened, member: MemberRow) -> None:
    """Let a learner leave a room. Their encounters stay theirs, and their teacher sees them no more. Raises
    BadInput while they sit in a shared round that goes on."""
    for sitting in sittings_of(house, room, member.visitor):
        if GROUP in sitting.more and sitting.stopped != LEFT and not _has_ended(house, sitting):
            raise BadInput(IN_ROUND, where="seat", hint="hand your seat back, or wait for the end")
    rooms = Rooms(house.store)
    rooms.leave(room.row.id, member.id)
    if member.id in room.kept.assessors:
        others = tuple(one for one in room.kept.assessors if one != member.id)
        rooms.change(room.row.id, plan=room.kept.model_copy(update={"assessors": others}).model_dump_json())


async def remove(house: House, sittings: Sittings, room: Opened, learner: str) -> None:
    """Let a learner go, as if they had left the room, and stop what they have begun there: it is played on
    the room's models. Raises BadInput for somebody else, and as `leave`."""
    there = await asyncio.to_thread(Rooms(house.store).members, room.row.id)
    member = next((one for one in there if one.id == learner), None)
    if member is None:
        raise BadInput(NO_LEARNER, where=learner[:20])
    await asyncio.to_thread(leave, house, room, member)
    for sitting in await asyncio.to_thread(sittings_of, house, room, member.visitor):
        if not sitting.stopped and not await asyncio.to_thread(_has_ended, house, sitting):
            await sittings.stop(sitting, REMOVED)


def sittings_of(house: House, room: Opened, visitor: str) -> list[PersonSitting]:
    """A learner's own sittings in a room, newest first."""
    return [one for one in practice.sittings_in(house.store, room.row.id) if one.owner == visitor]


async def begin(
    house: House, sittings: Sittings, shelf: ShelfOf, room: Opened, member: MemberRow, given: Begin
) -> PersonSitting:
    """Sit a learner down with a case of the room; one that is unfinished goes on.

    Raises BadInput for a closed room, one that the teacher holds, one whose ceiling is reached, and for a
    station with a clock that was taken before.
    """
    check_open(room)
    if room.plan.group is not None:
        raise BadInput(SHARED, hint="choose a seat")
    case = room.case(given.case)
    own = await asyncio.to_thread(sittings_of, house, room, member.visitor)
    for sitting in own:
        if sitting.more.get(ROOM_CASE) == case.id and not await asyncio.to_thread(_has_ended, house, sitting):
            return sitting
    result = await asyncio.to_thread(shelf.find, case.protocol, case.of)
    await asyncio.to_thread(check_ceiling, house, room)
    more = beside(house, room, case, result.id)
    if room.plan.clock:
        more[CLOCK] = times_of(room.plan.clock, time.time(), member.extra)
    rooms = Rooms(house.store)
    if not await asyncio.to_thread(rooms.begin, member.id, case.id, once=room.plan.clock is not None):
        raise BadInput(TAKEN_ONCE, hint=ASK)
    try:
        (sitting,) = await sittings.begin(
            configured(result.protocol, result, sit_down(case, room.plan.persona)),
            [Sitter(case.seat, member.visitor, permits_in(room, member.uses, member.pseudonym))],
            Label(case.title, room.row.id, case.distressing, more),
            about=marker_of(room),
            consent=room.plan.consent or None,
        )
        return sitting
    except OslerError:
        await asyncio.to_thread(rooms.not_begun, member.id, case.id)
        raise


def times_of(station: StationClock, began: float, extra: int) -> dict[str, float]:
    """When the reading time, the bell and the end of a sitting that began at this time come, for a learner
    with `extra` per cent more time. The bell never rings before the reading time is over."""
    longer = (100 + extra) / 100
    reading_ends = began + station.reading_s * longer
    ends = reading_ends + station.minutes * 60 * longer
    return {"reading_ends": reading_ends, "bell": max(reading_ends, ends - station.bell_s), "ends": ends}


def beside(house: House, room: Opened, case: KeptCase, shelved: str) -> dict[str, Any]:
    """The fields beside the record of a room's sitting: its case, and what its person was told."""
    disclosure = room.disclosure(house.models.endpoints())
    return {
        "case": shelved,
        ROOM_CASE: case.id,
        "marks": disclosure.marks,
        "hosts": disclosure.hosts,
        "consent": disclosure.consent,
    }


def marker_of(room: Opened) -> dict[str, str]:
    """The manifest's entry for the model that marks a room's encounters, if one does."""
    marks = [mark for mark in room.plan.marks if mark.startswith(MODEL)]
    return {MARKER: marks[0]} if marks else {}


def let_again(house: House, room: Opened, member: str, case: str) -> None:
    """Let a learner begin a case of the room again. Raises BadInput."""
    rooms = Rooms(house.store)
    if all(one.id != member for one in rooms.members(room.row.id)):
        raise BadInput(NO_LEARNER, where=member[:20])
    rooms.let_again(member, room.case(case).id)


def give_time(house: House, room: Opened, member: str, per_cent: int) -> None:
    """Give a learner more time, in the sittings that go on as in those to come. Raises BadInput."""
    extended = Rooms(house.store).extend(room.row.id, member, per_cent)
    if extended is None:
        raise BadInput(NO_LEARNER, where=member[:20])
    if room.plan.clock is None:
        return
    for sitting in sittings_of(house, room, extended.visitor):
        if not _has_ended(house, sitting):
            began = house.store.info(sitting.run).created_at.timestamp() + sitting.more.get(HELD_S, 0.0)
            times = times_of(room.plan.clock, began, per_cent)
            practice.change(house.store, sitting.id, more={CLOCK: times})


def check_open(room: Opened) -> None:
    """Raise BadInput for a room that is closed, or held by its teacher."""
    if not room.open:
        raise BadInput("this room is closed", hint="ask your teacher; what you said is kept")
    if room.kept.held is not None:
        raise BadInput(
            room.kept.held or "your teacher has stopped the room for now", hint="wait for the word"
        )


def check_ceiling(house: House, room: Opened) -> None:
    """Raise BadInput if the ceiling of a room's models is reached."""
    check_left(room.plan.ceiling, spent(house, practice.sittings_in(house.store, room.row.id)))


def permits_in(room: Opened, uses: Sequence[str], pseudonym: str) -> Permission:
    """The uses that a learner permits in a room. Raises BadInput for what cannot be permitted."""
    expires = room.plan.share_until if "share" in uses else None
    return permission(uses, now=time.time(), expires=expires, pseudonym=pseudonym)


def _has_ended(house: House, sitting: PersonSitting) -> bool:
    return house.store.ended(sitting.run, sitting.ordinal) is not None
