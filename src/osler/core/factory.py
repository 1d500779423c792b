"""What builds a player, and what it may use for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from osler.seats.composite import AnyPlayer
from osler.seats.events import Seat


class Asked(NamedTuple):
    """What a factory may use. Only the oracle, built-in students and a memory's exclusion look at `case`: the
    former are privileged, the latter is part of the study and not of the player. `argument` is what stands
    after the colon of a name; `inside` is the player that another one is to be built around."""

    seat: Seat
    case: Any
    argument: str
    inside: AnyPlayer | None = None


Factory = Callable[[Asked], AnyPlayer]


def always(player: AnyPlayer) -> Factory:
    """The factory of a player that is the same in every episode: players hold no state."""
    return lambda asked: player
