"""A shared round as assessors see it, drafts and reviews too; and as those who follow what is open."""

from __future__ import annotations

from collections.abc import Iterator

from osler.errors import BadInput, NotAllowed
from osler.runs.run import config_of, protocol_of
from osler.store import practice
from osler.store.rooms import MemberRow, Rooms
from osler.store.store import Store
from osler.web.practise.encounter import BLINDED, GROUP
from osler.web.practise.state import in_words
from osler.web.schemas import LogItem
from osler.web.teach.codes import no_such_room
from osler.web.teach.desk import MarkedSitting, hidden, one_seen, unshared
from osler.web.teach.group_schemas import Assessed
from osler.web.teach.group_seats import plan_of
from osler.web.teach.learners import NO_LEARNER
from osler.web.teach.room import Opened
from osler.web.teach.rounds import latest
from osler.web.watch.log import ALL, ROOM, View, entries, items, recorded, seen


def name_assessor(store: Store, room: Opened, learner: str, on: bool) -> None:
    """Let a learner assess, or no longer. Raises BadInput for somebody else, and for one who has a seat."""
    rooms = Rooms(store)
    if all(one.id != learner for one in rooms.members(room.row.id)):
        raise BadInput(NO_LEARNER, where=learner[:20])
    plan_of(room)
    if on and any(row.member == learner for row in rooms.seats(room.row.id)):
        raise BadInput("this learner has a seat", where="learner", hint="assessors have none")
    others = tuple(one for one in room.kept.assessors if one != learner)
    kept_room = room.kept.model_copy(update={"assessors": (*others, learner) if on else others})
    rooms.change(room.row.id, plan=kept_room.model_dump_json())


def assessed(store: Store, room: Opened, sitting: str) -> Assessed:
    """A round with everything in it, for the teacher. Raises NotAllowed unless all in it permit reading."""
    return _everything(store, _readable(store, room, sitting), blind=False)


def assessed_by(store: Store, room: Opened, member: MemberRow, group: int) -> Assessed:
    """The latest round of a group with everything in it, for a learner who assesses. Raises NotAllowed for
    anybody else, and unless all in it permit reading."""
    if member.id not in room.kept.assessors:
        raise NotAllowed("you do not assess in this room", hint="your teacher names who does")
    return _everything(store, _readable(store, room, _latest(store, room, group)), blind=True)


def followed(store: Store, room: Opened, member: MemberRow, group: int) -> Assessed:
    """The open lines of the latest round of a group, for a learner without a seat in it. Raises NotAllowed
    unless the room lets others follow, and all in the round permit sharing."""
    if not plan_of(room).watch:
        raise NotAllowed("in this room nobody follows a round of others", hint="take a seat")
    one = one_seen(store, room, _latest(store, room, group))
    if why := unshared(room, one):
        raise NotAllowed(why, where="round", hint="ask your teacher")
    return _as(store, one, list(_heard_by_all(store, one)), blind=True)


def _latest(store: Store, room: Opened, group: int) -> str:
    plan_of(room)
    result = latest(practice.sittings_in(store, room.row.id), group)
    if not result:
        raise no_such_room()
    return result[0].id


def _readable(store: Store, room: Opened, sitting: str) -> MarkedSitting:
    one = one_seen(store, room, sitting)
    if GROUP not in one.taken.more:
        raise no_such_room()
    if why := hidden(room, one):
        raise NotAllowed(why, where="round", hint="ask those who sit in it")
    return one


def _everything(store: Store, one: MarkedSitting, *, blind: bool) -> Assessed:
    record = recorded(store, one.run.id, one.taken.ordinal)
    return _as(store, one, items(record, View(ALL), protocol_of(one.run)), blind=blind)


def _heard_by_all(store: Store, one: MarkedSitting) -> Iterator[LogItem]:
    """The open lines that every student hears: not what one of them says to the tutor alone."""
    plays = protocol_of(one.run)
    seats = {seat for seat in config_of(one.run).players() if plays.role(seat).learns}
    for entry in entries(recorded(store, one.run.id, one.taken.ordinal)):
        if entry.event and seats <= {*entry.event.to} and (item := seen(entry, View(ROOM), plays)):
            yield item


def _as(store: Store, one: MarkedSitting, log: list[LogItem], *, blind: bool) -> Assessed:
    """The round. Of tutors that are compared, whoever is `blind` is not told which one it is."""
    who = {member.visitor: member.pseudonym for member in Rooms(store).members(one.taken.room)}
    there = {sitting.seat: sitting for sitting in practice.sittings_of_run(store, one.run.id)}
    seats = {
        seat: who.get(there[seat].owner, "") if seat in there else in_words(name)
        for seat, name in config_of(one.run).names().items()
    }
    if blind:
        seats |= one.taken.more.get(BLINDED, {})
    return Assessed(
        sitting=one.taken.id, title=one.taken.title, seats=seats, ended=one.found is not None, log=log
    )
