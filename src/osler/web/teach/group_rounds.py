"""The rounds that a group shares: beginning the next one, and handing a seat to a built-in player."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from osler.core.role import PERSON
from osler.errors import BadInput
from osler.runs.run import config_of
from osler.store import practice
from osler.store.practice import PersonSitting
from osler.store.rooms import Rooms
from osler.text.hostile import safe
from osler.web.house import House
from osler.web.practise.beginning import LEFT, Label
from osler.web.practise.encounter import BLINDED, GROUP, Sitter
from osler.web.practise.shelf import ShelfOf, configured
from osler.web.practise.sittings import Sittings
from osler.web.teach.codes import no_such_room
from osler.web.teach.disclosure import TUTOR, blinded, tutors_of
from osler.web.teach.group_seats import GOES_ON, goes_on, plan_of, taken_in
from osler.web.teach.learners import beside, check_ceiling, check_open, marker_of, permits_in
from osler.web.teach.room import Opened, opened, sit_down
from osler.web.teach.rounds import ROUND, Round, latest, people_in, round_of, rounds_of
from osler.web.teach.substitutes import go_on_with

_BEGINNING: Final = "teach.beginning"


async def begin_round(
    house: House, sittings: Sittings, shelf: ShelfOf, room: Opened, group: int, *, first: bool = False
) -> None:
    """Begin the next round of a group with those who have its seats; the others are played here. `first`:
    only if it is the first one, and nothing where somebody else has begun it.

    Raises BadInput for a group that there is not, one whose round goes on or that has had all of them, for a
    room that is closed, held or has used up what it may, and where nobody has a seat.
    """
    check_open(room)
    if not 1 <= group <= plan_of(room).groups:
        raise BadInput("there is no such group in this room", where="group")
    one_at_a_time: asyncio.Lock = house.rooms.setdefault(_BEGINNING, asyncio.Lock())
    async with one_at_a_time:
        # Two who sit down at one time both find all seats taken.
        if first and await asyncio.to_thread(_has_begun, house, room, group):
            return
        one, number, people = await asyncio.to_thread(_next, house, room, group)
        await _begin(house, sittings, shelf, room, one, people, {GROUP: group, ROUND: number})


def _has_begun(house: House, room: Opened, group: int) -> bool:
    return bool(latest(practice.sittings_in(house.store, room.row.id), group))


def _next(house: House, room: Opened, group: int) -> tuple[Round, int, dict[str, str]]:
    """The next round of a group, its number, and who sits down by seat."""
    check_ceiling(house, room)
    there = latest(practice.sittings_in(house.store, room.row.id), group)
    if goes_on(house.store, there):
        raise BadInput(GOES_ON, where=f"group {group}", hint="wait for its end")
    number = round_of(there[0].more) if there else 0
    rounds = rounds_of(room, group)
    if number >= len(rounds):
        raise BadInput("this group has had all its rounds", where=f"group {group}", hint="open another room")
    one = rounds[number]
    people = people_in(room, one, taken_in(house.store, room, group))
    if one.tutor == PERSON and TUTOR not in people:
        raise BadInput("in this round a person is the tutor", where="tutor", hint="somebody takes that seat")
    if not people:
        raise BadInput("nobody has a seat in this round", where=f"group {group}", hint="let them choose one")
    return one, number + 1, people


async def _begin(
    house: House,
    sittings: Sittings,
    shelf: ShelfOf,
    room: Opened,
    one: Round,
    people: dict[str, str],
    more: dict[str, Any],
) -> None:
    plan, case = plan_of(room), one.case
    joined = await asyncio.to_thread(Rooms(house.store).members, room.row.id)
    members = {member.id: member for member in joined}
    result = await asyncio.to_thread(shelf.find, case.protocol, case.of)
    wanted = sit_down(case, room.plan.persona)
    if one.tutor not in ("", PERSON):
        wanted = wanted.model_copy(update={"players": {**wanted.players, TUTOR: one.tutor}})
    config = configured(result.protocol, result, wanted, tuple(people), plan.students)
    more |= {**beside(house, room, case, result.id), TUTOR: config.players()[TUTOR]}
    if plan.tutors and TUTOR not in people:
        more[BLINDED] = {TUTOR: blinded(tutors_of(room.plan, [case.protocol]), house.models.endpoints())}

    def sitter(seat: str) -> Sitter:
        member = members[people[seat]]
        return Sitter(seat, member.visitor, permits_in(room, member.uses, member.pseudonym))

    begun = await sittings.begin(
        config,
        [sitter(seat) for seat in people],
        Label(case.title, room.row.id, case.distressing, more),
        about=marker_of(room),
        consent=room.plan.consent or None,
    )
    for sitting in begun:
        sittings.tell(sitting)


async def hand_back(house: House, sittings: Sittings, sitting: PersonSitting) -> None:
    """Give a person's seat to a built-in player for the rest of the round.

    Raises BadInput for a sitting that is not shared, was handed back before or has ended, and for the last
    person in it.
    """
    row = await asyncio.to_thread(Rooms(house.store).room, sitting.room) if sitting.room else None
    if row is None or GROUP not in sitting.more:
        raise BadInput("this encounter is not shared", where="sitting", hint="leave it, or delete it")
    if sitting.stopped == LEFT or not await asyncio.to_thread(goes_on, house.store, [sitting]):
        raise BadInput("this seat is not yours any more, or the round is over", hint="load the page again")
    if len(await asyncio.to_thread(practice.sittings_of_run, house.store, sitting.run)) < 2:
        raise BadInput("you are the last person in this round", hint="conclude it, leave it, or delete it")
    role = config_of(house.store.info(sitting.run)).plays.role(sitting.seat)
    room = opened(row)
    members = await asyncio.to_thread(Rooms(house.store).members, sitting.room)
    who = next((safe(one.pseudonym) for one in members if one.visitor == sitting.owner), "Somebody")
    why = f"{who} has left this round."
    await go_on_with(house, sittings, room, sitting, {sitting.seat: role.default}, why)


def sitting_in(house: House, room: Opened, id: str) -> PersonSitting:
    """A sitting of this room, for its teacher. Raises NotFound for another room's."""
    result = practice.sitting(house.store, id)
    if result is None or result.room != room.row.id:
        raise no_such_room()
    return result
