"""Rooms in the store: what a teacher set up, as JSON text, and the learners who joined."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from osler.errors import BadInput
from osler.store.schema import practice, room_begun, room_members, room_seats, rooms
from osler.store.store import Store

LETTERS: Final = "BCDFGHJKMNPQRSTVWXZ"
"""The letters of a code: none is taken for another or for a digit, and no word comes of them."""
CODE_LENGTH: Final = 6
READS_S: Final = 120.0
"""Seconds for which a newcomer to a room, who reads what is asked first, makes place after all others."""
NOT_IN: Final = "you are not in this room any more"
_LEFT: Final = "left:"
"""The beginning of what stands in the place of a visitor who left a room; no visitor's id has a colon."""


def _left_by(visitor: str) -> str:
    """The digest that stands in a visitor's place after leaving: by it a room knows who comes back."""
    return _LEFT + sha256(f"osler:left:{visitor}".encode()).hexdigest()[:32]


class RoomRow(NamedTuple):
    """A room; times are seconds since 1970. `plan` is its JSON text; it is open while `closed` is `None`."""

    id: str
    code: str
    owner: str
    created: float
    expires: float | None
    closed: float | None
    plan: str


class MemberRow(NamedTuple):
    """A learner in a room. `extra` is extra time, in per cent, `deleted` the number of encounters deleted."""

    id: str
    room: str
    visitor: str
    joined: float
    pseudonym: str
    uses: tuple[str, ...]
    extra: int
    deleted: int


class SeatRow(NamedTuple):
    """A seat of one of a room's groups, with the learner who has it."""

    group: int
    seat: str
    member: str


class BegunRow(NamedTuple):
    """The count of encounters with one case that a learner has begun, those deleted since included, and of
    those the teacher has let begin again."""

    member: str
    case: str
    begun: int
    again: int

    @property
    def used_up(self) -> bool:
        """Whether a case that is taken once may not be begun any more."""
        return self.begun > self.again


class _CodeTaken(BadInput):
    """Another room has the code."""


class _SeatTaken(BadInput):
    """Another learner has the seat."""


class Rooms:
    """The rooms of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def open(self, owner: str, plan: str, expires: float | None) -> RoomRow:
        """Record a new room of this visitor."""
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
            row = RoomRow(secrets.token_urlsafe(18), code, owner, time.time(), expires, None, plan)
            with suppress(_CodeTaken), self._store.writing() as connection:
                try:
                    connection.execute(sa.insert(rooms).values(**row._asdict()))
                except IntegrityError:
                    raise _CodeTaken("another room has this code") from None
                return row

    def room(self, room: str) -> RoomRow | None:
        """The room with this id."""
        return next(iter(self._rooms(rooms.c.id == room)), None)

    def by_code(self, code: str) -> RoomRow | None:
        """The room with this code."""
        return next(iter(self._rooms(rooms.c.code == code)), None)

    def of(self, owner: str) -> list[RoomRow]:
        """The rooms of a visitor, newest first."""
        return self._rooms(rooms.c.owner == owner)

    def change(self, room: str, **values: Any) -> None:
        """Set `plan`, `expires` or `closed` of a room."""
        with self._store.writing() as connection:
            connection.execute(sa.update(rooms).where(rooms.c.id == room).values(**values))

    def join(self, room: str, visitor: str, pseudonym: str, uses: Sequence[str]) -> MemberRow:
        """Let a visitor in. Joined again, after leaving too, the pseudonym and the uses are replaced; extra
        time and what was begun stay."""
        dialect = sqlite if self._store.engine.dialect.name == "sqlite" else postgresql
        insert = dialect.insert(room_members)
        given = {"pseudonym": pseudonym, "uses": " ".join(uses)}
        row = {"id": secrets.token_urlsafe(9), "room": room, "visitor": visitor, "joined": time.time()}
        fresh = {name: insert.excluded[name] for name in given}
        upsert = insert.on_conflict_do_update(index_elements=["room", "visitor"], set_=fresh)
        who = sa.and_(room_members.c.room == room, room_members.c.visitor == visitor)
        left = sa.and_(room_members.c.room == room, room_members.c.visitor == _left_by(visitor))
        with self._store.writing() as connection:
            connection.execute(sa.update(room_members).where(left).values(visitor=visitor))
            connection.execute(upsert, [{**row, **given, "extra": 0, "deleted": 0}])
            return self._members(connection, who)[0]

    def extend(self, room: str, member: str, extra: int) -> MemberRow | None:
        """Give a learner so many per cent more time; `None` if there is no such learner in the room."""
        who = sa.and_(_is_in(room), room_members.c.id == member)
        with self._store.writing() as connection:
            connection.execute(sa.update(room_members).where(who).values(extra=extra))
            return next(iter(self._members(connection, who)), None)

    def begun(self, room: str) -> list[BegunRow]:
        """The encounters that the learners of a room have begun."""
        members = sa.select(room_members.c.id).where(room_members.c.room == room)
        query = sa.select(room_begun).where(room_begun.c.member.in_(members))
        with self._store.connected() as connection:
            return [BegunRow(**row._mapping) for row in connection.execute(query)]

    def begin(self, member: str, case: str, *, once: bool) -> bool:
        """Count that a learner begins a case. Returns whether that may be: with `once`, only the first time
        and when a teacher has let it begin again. Raises BadInput for one who is no longer in the room."""
        with self._store.writing() as connection:
            _check_in(connection, member)
            where = self._begun(member, case)
            result = connection.execute(sa.select(room_begun).where(where)).first()
            row = BegunRow(**result._mapping) if result else BegunRow(member, case, 0, 0)
            if once and row.used_up:
                return False
            if result is None:
                connection.execute(sa.insert(room_begun).values(**row._asdict() | {"begun": 1}))
            else:
                connection.execute(sa.update(room_begun).where(where).values(begun=row.begun + 1))
            return True

    def not_begun(self, member: str, case: str) -> None:
        """Take back that a learner began a case: it could not begin."""
        with self._store.writing() as connection:
            where = self._begun(member, case)
            connection.execute(sa.update(room_begun).where(where).values(begun=room_begun.c.begun - 1))

    def let_again(self, member: str, case: str) -> None:
        """Let a learner begin a case once more."""
        with self._store.writing() as connection:
            where = self._begun(member, case)
            connection.execute(sa.update(room_begun).where(where).values(again=room_begun.c.begun))

    def members(self, room: str) -> list[MemberRow]:
        """Everyone who is in a room, in the order of joining."""
        with self._store.connected() as connection:
            return self._members(connection, _is_in(room))

    def count_left(self, room: str) -> int:
        """The number of those who joined a room and have left it."""
        gone = sa.and_(room_members.c.room == room, room_members.c.visitor.like(f"{_LEFT}%"))
        with self._store.connected() as connection:
            return connection.execute(sa.select(sa.func.count()).where(gone)).scalar_one()

    def leave(self, room: str, member: str) -> None:
        """Let a learner go. What stays is that somebody left, and how many encounters they had deleted."""
        mine = sa.and_(_is_in(room), room_members.c.id == member)
        seat = sa.and_(room_seats.c.room == room, room_seats.c.member == member)
        with self._store.writing() as connection:
            connection.execute(sa.delete(room_seats).where(seat))
            for one in self._members(connection, mine):
                bare = {"visitor": _left_by(one.visitor), "pseudonym": "", "uses": ""}
                connection.execute(sa.update(room_members).where(mine).values(bare))

    def make_room(self, room: str, spared: Sequence[str] = ()) -> bool:
        """Let a learner go of those who have begun and deleted nothing in a room, have no seat and no extra
        time, and are not `spared`: who joined last, but those who have just come only after the others.
        Returns whether there was one."""
        begun = sa.select(room_begun.c.member)
        seated = sa.select(room_seats.c.member).where(room_seats.c.room == room)
        sat = sa.select(practice.c.owner).where(practice.c.room == room)
        who = room_members.c
        idle = sa.and_(
            _is_in(room),
            who.extra == 0,
            who.deleted == 0,
            who.id.not_in(spared),
            who.id.not_in(begun),
            who.id.not_in(seated),
            who.visitor.not_in(sat),
        )
        order = who.joined > time.time() - READS_S, who.joined.desc()
        with self._store.writing() as connection:
            result = connection.execute(sa.select(who.id).where(idle).order_by(*order).limit(1)).scalar()
            connection.execute(sa.delete(room_members).where(who.id == result))
        return result is not None

    def met_by(self, visitor: str) -> list[RoomRow]:
        """The rooms that a visitor is in, has left, or has sat down in."""
        met = room_members.c.visitor.in_([visitor, _left_by(visitor)])
        joined = sa.select(room_members.c.room).where(met)
        sat = sa.select(practice.c.room).where(practice.c.owner == visitor)
        return self._rooms(rooms.c.id.in_(joined.union(sat)))

    def member(self, room: str, visitor: str) -> MemberRow | None:
        """A visitor's place in a room; `None` if the visitor has not joined."""
        who = sa.and_(room_members.c.room == room, room_members.c.visitor == visitor)
        with self._store.connected() as connection:
            return next(iter(self._members(connection, who)), None)

    def seats(self, room: str) -> list[SeatRow]:
        """The seats of a room's groups that learners have."""
        query = sa.select(room_seats.c.group, room_seats.c.seat, room_seats.c.member)
        query = query.where(room_seats.c.room == room).order_by(room_seats.c.group, room_seats.c.seat)
        with self._store.connected() as connection:
            return [SeatRow(**row._mapping) for row in connection.execute(query)]

    def take_seat(self, room: str, group: int, seat: str, member: str) -> bool:
        """Give a learner a seat, in place of one the learner has. Returns whether it was free. Raises
        BadInput for one who is no longer in the room."""
        mine = sa.and_(room_seats.c.room == room, room_seats.c.member == member)
        row = {"room": room, "group": group, "seat": seat, "member": member}
        with suppress(_SeatTaken), self._store.writing() as connection:
            _check_in(connection, member)
            connection.execute(sa.delete(room_seats).where(mine))
            try:
                connection.execute(sa.insert(room_seats).values(row))
            except IntegrityError:
                raise _SeatTaken("somebody has this seat") from None
            return True
        return False

    def leave_seat(self, room: str, member: str) -> None:
        """Take a learner's seat back."""
        mine = sa.and_(room_seats.c.room == room, room_seats.c.member == member)
        with self._store.writing() as connection:
            connection.execute(sa.delete(room_seats).where(mine))

    def hand_over(self, room: str, visitor: str, to: str) -> bool:
        """Let a learner's other browser be the learner: the visitor `to` has what `visitor` had in a room.
        Returns whether that may be: not where `to` has sat down there as somebody else."""

        def of(who: str) -> sa.ColumnElement[bool]:
            return sa.and_(room_members.c.room == room, room_members.c.visitor == who)

        own = sa.and_(practice.c.room == room, practice.c.owner == to)
        with self._store.writing() as connection:
            if connection.execute(sa.select(practice.c.id).where(own)).first():
                return False
            if connection.execute(sa.select(room_members.c.id).where(of(visitor))).first():
                connection.execute(sa.delete(room_members).where(sa.or_(of(to), of(_left_by(to)))))
                connection.execute(sa.update(room_members).where(of(visitor)).values(visitor=to))
            theirs = sa.and_(practice.c.room == room, practice.c.owner == visitor)
            connection.execute(sa.update(practice).where(theirs).values(owner=to))
        return True

    @staticmethod
    def _begun(member: str, case: str) -> sa.ColumnElement[bool]:
        return sa.and_(room_begun.c.member == member, room_begun.c.case == case)

    def _rooms(self, where: sa.ColumnElement[bool]) -> list[RoomRow]:
        query = sa.select(rooms).where(where).order_by(rooms.c.created.desc())
        with self._store.connected() as connection:
            return [RoomRow(**row._mapping) for row in connection.execute(query)]

    def _members(self, connection: Connection, where: sa.ColumnElement[bool]) -> list[MemberRow]:
        query = sa.select(room_members).where(where).order_by(room_members.c.joined, room_members.c.id)
        result = (row._mapping for row in connection.execute(query))
        return [MemberRow(**{**row, "uses": tuple(row["uses"].split())}) for row in result]


def _is_in(room: str) -> sa.ColumnElement[bool]:
    """The condition that a member has not left a room."""
    return sa.and_(room_members.c.room == room, room_members.c.visitor.not_like(f"{_LEFT}%"))


def _check_in(connection: Connection, member: str) -> None:
    """Raise BadInput for a learner who has left, was removed or made place meanwhile; others stay until the
    transaction ends."""
    who = sa.and_(room_members.c.id == member, room_members.c.visitor.not_like(f"{_LEFT}%"))
    if connection.execute(sa.select(room_members.c.id).where(who).with_for_update()).first() is None:
        raise BadInput(NOT_IN, hint="join it again by its code")
