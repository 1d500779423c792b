"""What the routes of this room share: the house, its sittings and its shelf, and the limit on guessing."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from fastapi import Depends, Request

from osler.web.house import House
from osler.web.practise.reception import Reception
from osler.web.practise.routes import PRACTISE
from osler.web.practise.shelf import ShelfOf
from osler.web.practise.sittings import Sittings
from osler.web.rights import Asking, Visitor, needs
from osler.web.teach.access import own_room
from osler.web.teach.codes import Guesser, Guesses
from osler.web.teach.room import Opened

_GUESSES = "teach.guesses"


class Hall(NamedTuple):
    """The state that teaching routes use: the house, its sittings, its cases, the counts of wrong codes."""

    house: House
    sittings: Sittings
    shelf: ShelfOf
    guesses: Guesses


def hall(request: Request) -> Hall:
    """The hall of the application."""
    house: House = request.app.state.house
    guesses = house.rooms.setdefault(_GUESSES, Guesses())
    reception: Reception = house.rooms[PRACTISE]
    return Hall(house, reception.sittings, reception.shelf, guesses)


def own(room: str, request: Request, asking: Asking) -> Opened:
    """The teacher's own room of this address."""
    return own_room(request.app.state.house, asking, room)


def guesser(request: Request) -> Guesser:
    """Those with whom the wrong codes of a request are counted."""
    asking: Visitor = request.scope["osler.visitor"]
    address: str = request.scope["osler.address"]
    return Guesser(f"visitor {asking.id}", f"members at {address}") if asking.id else Guesser(address)


InHall = Annotated[Hall, Depends(hall)]
OwnRoom = Annotated[Opened, Depends(own)]
TEACHES = [needs("teach")]
"""The dependencies of every route that only a teacher may use."""
