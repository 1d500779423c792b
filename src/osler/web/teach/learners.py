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
from osler.store.practice import Taken
from osler.store.rooms import MemberRow, Rooms
from osler.text.hostile import safe
from osler.web.house import House
from osler.web.practise.clocks import ASK, CLOCK, HELD_S, TAKEN_ONCE
from osler.web.practise.reception import configured
from osler.web.practise.shelf import ShelfOf
from osler.web.practise.sittings import Sittings
from osler.web.rights import Visitor
from osler.web.teach.disclosure import MODEL
from osler.web.teach.funds import check_left, spent
from osler.web.teach.room import ROOM_CASE, Opened, sit_down
from osler.web.teach.schemas import Begin, Join
from osler.web.teach.station_clock import times_of

MOST_LEARNERS: Final = 500
NO_LEARNER: Final = "there is no such learner in this room"


def join(house: House, room: Opened, visitor: Visitor, given: Join) -> MemberRow:
    """Let a visitor in under a pseudonym. Raises BadInput for a room that is closed or full, a use that was
    not asked for, and a pseudonym without a visible letter."""
    _check_open(room)
    pseudonym = " ".join(safe(given.pseudonym).split())
    if not pseudonym:
        raise BadInput("choose a name to go by", where="pseudonym", hint="any but your own")
    if strange := [use for use in given.uses if use not in room.plan.asks and use != "practice"]:
        raise BadInput(f"this room does not ask for {strange[0]}", where="uses")
    rooms = Rooms(house.store)
    if len(rooms.members(room.row.id)) >= MOST_LEARNERS:
        raise BadInput("this room is full", hint="ask your teacher for another one")
    uses = ["practice", *(use for use in room.plan.asks if use in given.uses and use != "practice")]
    permits = _permits(room, uses, pseudonym)
    member = rooms.join(room.row.id, visitor.id, pseudonym, uses)
    for taken in sittings_of(house, room, visitor.id):  # joined again: the new choice holds for all
        grant(
            house.store,
            taken.run,
            [taken.ordinal],
            uses,
            seats=[taken.seat],
            expires=permits.expires,
            pseudonym=pseudonym,
            consent=room.plan.consent or None,
        )
    return member


def sittings_of(house: House, room: Opened, visitor: str) -> list[Taken]:
    """A learner's own sittings in a room, newest first."""
    return [one for one in practice.sittings_in(house.store, room.row.id) if one.owner == visitor]


async def begin(
    house: House, sittings: Sittings, shelf: ShelfOf, room: Opened, member: MemberRow, given: Begin
) -> Taken:
    """Sit a learner down with a case of the room; one that is unfinished goes on.

    Raises BadInput for a closed room, one that the teacher holds, one whose ceiling is reached, and for a
    station with a clock that was taken before.
    """
    _check_open(room)
    case = room.case(given.case)
    own = await asyncio.to_thread(sittings_of, house, room, member.visitor)
    for taken in own:
        if taken.more.get(ROOM_CASE) == case.id and not await asyncio.to_thread(_has_ended, house, taken):
            return taken
    found = await asyncio.to_thread(shelf.find, case.protocol, case.of)
    await asyncio.to_thread(_check_ceiling, house, room)
    marks = [mark for mark in room.plan.marks if mark.startswith(MODEL)]
    told = room.disclosure(house.models.endpoints())
    more: dict[str, Any] = {
        "case": found.id,
        ROOM_CASE: case.id,
        "marks": told.marks,
        "hosts": told.hosts,
        "consent": told.consent,
    }
    if room.plan.clock:
        more[CLOCK] = times_of(room.plan.clock, time.time(), member.extra)
    rooms = Rooms(house.store)
    if not await asyncio.to_thread(rooms.begin, member.id, case.id, once=room.plan.clock is not None):
        raise BadInput(TAKEN_ONCE, hint=ASK)
    try:
        return await sittings.begin(
            configured(found.protocol, found, sit_down(case, room.plan.persona)),
            case.seat,
            case.title,
            owner=member.visitor,
            room=room.row.id,
            distressing=case.distressing,
            about={MARKER: marks[0]} if marks else {},
            more=more,
            permits=_permits(room, member.uses, member.pseudonym),
            consent=room.plan.consent or None,
        )
    except OslerError:
        await asyncio.to_thread(rooms.not_begun, member.id, case.id)
        raise


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
    for taken in sittings_of(house, room, extended.visitor):
        if not _has_ended(house, taken):
            began = house.store.info(taken.run).created_at.timestamp() + taken.more.get(HELD_S, 0.0)
            times = times_of(room.plan.clock, began, per_cent)
            practice.change(house.store, taken.id, more={CLOCK: times})


def _check_open(room: Opened) -> None:
    if not room.open:
        raise BadInput("this room is closed", hint="ask your teacher; what you said is kept")
    if room.kept.held is not None:
        raise BadInput(
            room.kept.held or "your teacher has stopped the room for now", hint="wait for the word"
        )


def _check_ceiling(house: House, room: Opened) -> None:
    check_left(room.plan.ceiling, spent(house, practice.sittings_in(house.store, room.row.id)))


def _permits(room: Opened, uses: Sequence[str], pseudonym: str) -> Permission:
    """What a learner permits in a room. Raises BadInput for what cannot be permitted."""
    expires = room.plan.share_until if "share" in uses else None
    return permission(uses, now=time.time(), expires=expires, pseudonym=pseudonym)


def _has_ended(house: House, taken: Taken) -> bool:
    return house.store.ended(taken.run, taken.ordinal) is not None
