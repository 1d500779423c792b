"""The teacher's desk: who is in a room and how far they are, as much of it as each learner permits."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from osler.core.permitted import Use
from osler.core.registry import protocol_named
from osler.errors import NotAllowed
from osler.models.budget import BudgetPaused
from osler.store import practice
from osler.store.permissions import permitted
from osler.store.practice import PersonSitting
from osler.store.records import RunInfo
from osler.store.rooms import MemberRow, Rooms
from osler.store.store import Store
from osler.web.house import House
from osler.web.paths import without_folders
from osler.web.practise.schemas import Status
from osler.web.practise.sittings import Sittings
from osler.web.practise.state import clock_of
from osler.web.schemas import Problem
from osler.web.teach.codes import no_such_room
from osler.web.teach.figures import RULES, SHEET, Marks, marks_of
from osler.web.teach.funds import spent
from osler.web.teach.group_seats import states_of
from osler.web.teach.room import ROOM_CASE, SUBSTITUTES, Opened
from osler.web.teach.room_view import room_view
from osler.web.teach.schemas import Learner, Mark, OwnSitting, ReadableEncounter, RoomState, SittingInRoom

NOT_TO_OTHERS: Final = "this learner does not permit being shown to others"
NOT_ASKED: Final = "this room did not ask learners whether they may be shown to others"
KEPT_TO_THEMSELVES: Final = "this learner does not share words or marks with a teacher"
RESULTS_ONLY: Final = "this room shows results, not words"
USED_UP: Final = "what the models may use is used up"
NOT_YET: Final = "this room shows words once the encounter has ended"


class MarkedSitting(NamedTuple):
    """A sitting with its run, its learner, its marks once it has ended, and the uses permitted now."""

    taken: PersonSitting
    run: RunInfo
    member: MemberRow
    found: Marks | None
    uses: frozenset[Use]

    @property
    def permits(self) -> bool:
        """Whether the learner lets the teacher read and mark it."""
        return "teacher" in self.uses


def seen_in(store: Store, room: Opened) -> Iterator[MarkedSitting]:
    """The sittings of a room, oldest first. Those whose run or learner is gone are left out."""
    members = {member.visitor: member for member in Rooms(store).members(room.row.id)}
    for taken in reversed(practice.sittings_in(store, room.row.id)):
        if member := members.get(taken.owner):
            run = store.info(taken.run)
            yield MarkedSitting(
                taken, run, member, marks_of(run, store), permitted(store, taken.run, taken.ordinal)
            )


def one_seen(store: Store, room: Opened, sitting: str) -> MarkedSitting:
    """A sitting of this room. Raises NotFound for another room's, as for none."""
    for one in seen_in(store, room):
        if one.taken.id == sitting:
            return one
    raise no_such_room()


def hidden(room: Opened, one: MarkedSitting) -> str:
    """The reason why a teacher cannot read the words of a sitting, "" if they can be read."""
    if not one.permits:
        return KEPT_TO_THEMSELVES
    if room.plan.sees == "results":
        return RESULTS_ONLY
    return NOT_YET if room.plan.sees == "after" and one.found is None else ""


def unshared(room: Opened, one: MarkedSitting) -> str:
    """The reason why a class cannot be shown a sitting, "" if it can be."""
    if why := hidden(room, one):
        return why
    if "share" in one.uses:
        return ""
    return NOT_TO_OTHERS if "share" in room.plan.asks else NOT_ASKED


def state_of(house: House, sittings: Sittings, room: Opened) -> RoomState:
    """A room at this moment. Call in a thread."""
    store, marked_sittings = house.store, list(seen_in(house.store, room))
    learners = [
        _learner(sittings, store, room, one, marked_sittings) for one in Rooms(store).members(room.row.id)
    ]
    used = spent(house, practice.sittings_in(store, room.row.id))  # of those who left, too
    questions = (
        one for each in marked_sittings if each.permits and each.found for one in each.found.contests
    )
    return RoomState(
        open=room.open,
        learners=learners,
        left=Rooms(store).count_left(room.row.id),
        groups=states_of(store, room),
        waiting=sum(not one.answer for one in questions),
        held=room.kept.held is not None,
        used_tokens=used.tokens,
        used_money=used.money,
        now=time.time(),
    )


def _learner(
    sittings: Sittings,
    store: Store,
    room: Opened,
    member: MemberRow,
    marked_sittings: Iterable[MarkedSitting],
) -> Learner:
    own = [one for one in marked_sittings if one.member.id == member.id]
    going_on = {one.taken.more.get(ROOM_CASE) for one in own if one.found is None}
    return Learner(
        id=member.id,
        pseudonym=member.pseudonym,
        joined=member.joined,
        uses=list(member.uses),
        extra=member.extra,
        deleted=member.deleted > 0,
        assesses=member.id in room.kept.assessors,
        used_up=[case for case in used_up(store, room, member.id) if case not in going_on],
        sittings=[_sitting(sittings, store, room, one) for one in own],
    )


def used_up(store: Store, room: Opened, member: str) -> list[str]:
    """The cases of a room with a clock that a learner has taken, and may not begin again."""
    if room.plan.clock is None:
        return []
    return [one.case for one in Rooms(store).begun(room.row.id) if one.member == member and one.used_up]


def marks_shown(room: Opened, one: MarkedSitting) -> list[Mark]:
    """The marks of a sitting that the room is set up for and its learner shows."""
    return _wanted(room, one.taken, one.found) if one.permits and one.found is not None else []


def tests(sitting: PersonSitting) -> bool:
    """Whether the learner takes the seat under test, so that what is scored is what the learner did."""
    return sitting.seat == protocol_named(sitting.protocol).under_test


def _wanted(room: Opened, sitting: PersonSitting, marks: Marks) -> list[Mark]:
    if not tests(sitting):  # all but a person's sheet marks the seat under test, which another plays
        return [mark for mark in marks.marks if mark.name == SHEET]
    return [mark for mark in marks.marks if mark.by != RULES or RULES in room.plan.marks]


def own_sittings(store: Store, room: Opened, sittings: Iterable[PersonSitting]) -> dict[str, OwnSitting]:
    """A learner's latest sitting with each case, by case, from the learner's sittings, newest first."""
    result: dict[str, OwnSitting] = {}
    for sitting in sittings:
        case = str(sitting.more.get(ROOM_CASE, ""))
        if case not in result:
            result[case] = _own(store, room, sitting)
    return result


def _own(store: Store, room: Opened, sitting: PersonSitting) -> OwnSitting:
    marks = marks_of(store.info(sitting.run), store)
    if marks is None:
        return OwnSitting(id=sitting.id, status="stopped" if sitting.stopped else "going_on")
    by = dict.fromkeys(mark.by for mark in _wanted(room, sitting, marks) if mark.value is not None)
    return OwnSitting(id=sitting.id, status="marked" if by else "ended", marked_by=list(by))


def read(sittings: Sittings, store: Store, room: Opened, sitting: str) -> ReadableEncounter:
    """An encounter for its teacher's own eyes. Raises NotAllowed if its words may not be read."""
    one = one_seen(store, room, sitting)
    if why := hidden(room, one):
        raise NotAllowed(why, where="encounter", hint="ask the learner, or read another encounter")
    return _shown(sittings, store, room, one)


def shown(sittings: Sittings, store: Store, room: Opened, sitting: str) -> ReadableEncounter:
    """An encounter to be shown to a class. Raises NotAllowed if others may not see its words."""
    one = one_seen(store, room, sitting)
    if why := unshared(room, one):
        raise NotAllowed(why, where="encounter", hint="ask the learner, or show another encounter")
    return _shown(sittings, store, room, one)


def _shown(sittings: Sittings, store: Store, room: Opened, one: MarkedSitting) -> ReadableEncounter:
    doing, _ = standing(sittings, one)
    return ReadableEncounter(
        sitting=one.taken.id,
        pseudonym=one.member.pseudonym,
        title=one.taken.title,
        seat=one.taken.seat,
        status=doing,
        turn=turns_of(store, one),
        unshared=unshared(room, one),
        log=room_view(store, one.run, one.taken.ordinal),
    )


def standing(sittings: Sittings, one: MarkedSitting) -> tuple[Status, Problem | None]:
    """The stage of a sitting, and why it paused if it did."""
    if one.found is not None:
        return "ended", None
    if one.taken.stopped:
        return "paused", Problem(what=one.taken.stopped, where="your teacher")
    playing = sittings.now(one.taken.id)
    if playing is None:
        return "yours", None  # nobody has it open: it asks the same turn again
    fault = playing.fault
    if fault is None:
        return playing.doing, None
    if isinstance(fault, BudgetPaused):
        mend = f"Raise the ceiling under Set-up ({fault.what})."
        return playing.doing, Problem(what=USED_UP, mend=mend)
    return playing.doing, Problem(what=without_folders(fault.what), where=without_folders(fault.where))


def turns_of(store: Store, one: MarkedSitting) -> int:
    """The turns that a learner has taken: one that a clock cut off is none."""
    return sum(row.seat == one.taken.seat for row in store.recorded(one.run.id, one.taken.ordinal))


def _sitting(sittings: Sittings, store: Store, room: Opened, one: MarkedSitting) -> SittingInRoom:
    doing, pause = standing(sittings, one)
    contests = one.found.contests if one.found and one.permits else ()
    return SittingInRoom(
        id=one.taken.id,
        case=str(one.taken.more.get(ROOM_CASE, "")),
        title=one.taken.title,
        real=room.real(one.taken),
        protocol=one.taken.protocol,
        seat=one.taken.seat,
        status=doing,
        turns=turns_of(store, one),
        minutes=one.found.row.minutes if one.found and one.permits else 0,
        pause=pause,
        clock=clock_of(one.taken),
        marks=marks_shown(room, one),
        contests=sum(not each.answer for each in contests),
        substitutes=str(one.taken.more.get(SUBSTITUTES, "")),
        may_mark=one.permits and one.found is not None,
        hidden=hidden(room, one),
        unshared=unshared(room, one),
    )
