"""Which room a visitor may open, and by which door: the teacher's own, or a learner's code."""

from __future__ import annotations

from osler.store.rooms import MemberRow, Rooms
from osler.web.house import House
from osler.web.problems import NotFound
from osler.web.rights import Visitor
from osler.web.teach.codes import Guesser, Guesses, code_of, no_such_room
from osler.web.teach.room import Opened, opened


def own_room(house: House, visitor: Visitor, room: str) -> Opened:
    """A room of this teacher's. Raises NotFound for a room of somebody else's, as for none."""
    row = Rooms(house.store).room(room)
    if row is None or not visitor.owns(row.owner):
        raise no_such_room()
    return opened(row)


def room_by_code(house: House, guesses: Guesses, typed: str, by: Guesser, asking: Visitor) -> Opened:
    """The room with a code. Raises NotFound for a wrong one, and TooMany after too many of them `by` the same
    visitor or address."""
    rooms = Rooms(house.store)
    try:
        code = code_of(typed)
        # No guess: whoever is in a room knows its code. Others' rooms are not looked at before the limit, or
        # the time that takes would tell which codes there are.
        for own in rooms.met_by(asking.id) if asking.id else ():
            if own.code == code and rooms.member(own.id, asking.id):
                return opened(own)
        guesses.check(by)
        row = rooms.by_code(code)
        if row is None:
            raise no_such_room()
    except NotFound:
        guesses.wrong(by)
        raise
    return opened(row)


def joined_room(house: House, visitor: Visitor, room: str) -> tuple[Opened, MemberRow]:
    """A room that this visitor has joined, and the visitor's place in it. Raises NotFound."""
    rooms = Rooms(house.store)
    row, member = rooms.room(room), rooms.member(room, visitor.id)
    if row is None or member is None:
        raise no_such_room()
    return opened(row), member
