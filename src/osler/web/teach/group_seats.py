"""The seats of a room's groups: choosing one, leaving it, and how each group stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from osler.errors import BadInput
from osler.store import practice
from osler.store.practice import PersonSitting
from osler.store.rooms import MemberRow, Rooms
from osler.store.store import Store
from osler.web.practise.encounter import GROUP
from osler.web.teach.group_schemas import ChooseSeat, GroupPlan, Groups, GroupState, SeatOfGroup
from osler.web.teach.learners import check_open
from osler.web.teach.room import Opened
from osler.web.teach.rounds import latest, round_of, rounds_of

GOES_ON: Final = "the round goes on"


def plan_of(room: Opened) -> GroupPlan:
    """The plan of a room whose rounds are shared. Raises BadInput for another room."""
    if room.plan.group is None:
        raise BadInput("in this room each has an encounter of their own", hint="choose a case")
    return room.plan.group


def taken_in(store: Store, room: Opened, group: int) -> dict[str, str]:
    """The learners who have the seats of a group, by seat."""
    return {row.seat: row.member for row in Rooms(store).seats(room.row.id) if row.group == group}


def _check_offered(plan: GroupPlan, seat: ChooseSeat) -> None:
    if seat.group > plan.groups:
        raise BadInput(f"there are {plan.groups} groups", where="group", hint="choose one of them")
    if seat.seat and seat.seat not in plan.seats:
        hint = f"choose one of {', '.join(plan.seats)}"
        raise BadInput(f"nobody can choose {seat.seat[:40]!r}", where="seat", hint=hint)


def choose(store: Store, room: Opened, member: MemberRow, choose_seat: ChooseSeat) -> int:
    """Give a learner a seat, in place of the one before. Returns its group.

    Raises BadInput for a seat that there is not, one that somebody has, a round that goes on, and where
    tutors are compared for another group than the one the learner has sat in: each tutor is met once.
    """
    check_open(room)
    plan, rooms = plan_of(room), Rooms(store)
    _check_offered(plan, choose_seat)
    sittings = practice.sittings_in(store, room.row.id)
    _check_between(store, room, member, sittings)
    had = {(row.group, row.seat) for row in rooms.seats(room.row.id) if row.member != member.id}
    sat = {one.more.get(GROUP) for one in sittings if one.owner == member.visitor} - {None}
    groups = [choose_seat.group] if choose_seat.group else range(1, plan.groups + 1)
    for group in groups:
        if (plan.tutors and sat - {group}) or goes_on(store, latest(sittings, group)):
            continue
        free = [
            seat
            for seat in ([choose_seat.seat] if choose_seat.seat else plan.seats)
            if (group, seat) not in had
        ]
        if any(rooms.take_seat(room.row.id, group, seat, member.id) for seat in free):
            return group
    if choose_seat.group and plan.tutors and sat - {choose_seat.group}:
        raise BadInput("you have met a tutor in another group", where="group", hint="stay in your group")
    if choose_seat.group and goes_on(store, latest(sittings, choose_seat.group)):
        raise BadInput(GOES_ON, where="group", hint="wait for its end, or choose another group")
    raise BadInput("this seat is taken", where="seat", hint="choose another one")


def leave(store: Store, room: Opened, member: MemberRow) -> None:
    """Take a learner's seat back. Raises BadInput while the round goes on: a seat is handed back then."""
    _check_between(store, room, member, practice.sittings_in(store, room.row.id))
    Rooms(store).leave_seat(room.row.id, member.id)


def _check_between(store: Store, room: Opened, member: MemberRow, sittings: Sequence[PersonSitting]) -> None:
    for row in Rooms(store).seats(room.row.id):
        if row.member == member.id and goes_on(store, latest(sittings, row.group)):
            raise BadInput(GOES_ON, where="seat", hint="hand your seat back, or wait for the end")


def goes_on(store: Store, round: Iterable[PersonSitting]) -> bool:
    """Whether a round that was begun has not ended."""
    return any(store.ended(one.run, one.ordinal) is None for one in round)


def groups_of(store: Store, room: Opened, member: MemberRow) -> Groups:
    """The groups of a room as one of its learners sees them. Raises BadInput for a room without any."""
    plan = plan_of(room)
    seats = Rooms(store).seats(room.row.id)
    return Groups(
        groups=states_of(store, room, member),
        mine=next((row.group for row in seats if row.member == member.id), 0),
        assesses=member.id in room.kept.assessors,
        watch=plan.watch,
    )


def states_of(store: Store, room: Opened, member: MemberRow | None = None) -> list[GroupState]:
    """The state of each group of a room, as a learner sees it, or, without one, the teacher."""
    plan = room.plan.group
    if plan is None:
        return []
    names = {one.id: one.pseudonym for one in Rooms(store).members(room.row.id)}
    seats = {(row.group, row.seat): row.member for row in Rooms(store).seats(room.row.id)}
    sittings = practice.sittings_in(store, room.row.id)

    def seat_of(group: int, seat: str) -> SeatOfGroup:
        has = seats.get((group, seat), "")
        return SeatOfGroup(
            seat=seat,
            who=names.get(has, ""),
            you=member is not None and has == member.id,
            learner="" if member else has,
        )

    return [
        _state(store, room, number, [seat_of(number, seat) for seat in plan.seats], sittings, member)
        for number in range(1, plan.groups + 1)
    ]


def _state(
    store: Store,
    room: Opened,
    number: int,
    seats: list[SeatOfGroup],
    sittings: Sequence[PersonSitting],
    member: MemberRow | None,
) -> GroupState:
    rounds, now = rounds_of(room, number), latest(sittings, number)
    begun = round_of(now[0].more) if now else 0
    own = (one.id for one in now if member is None or one.owner == member.visitor)
    return GroupState(
        number=number,
        seats=seats,
        round=begun,
        rounds=len(rounds),
        status=_status(goes_on(store, now), begun, len(rounds)),
        sitting=next(own, ""),
        order=[one.tutor for one in rounds if one.tutor] if member is None else [],
    )


def _status(going_on: bool, begun: int, rounds: int) -> Literal["gathering", "going_on", "between", "over"]:
    if going_on:
        return "going_on"
    if not begun:
        return "gathering"
    return "over" if begun >= rounds else "between"
