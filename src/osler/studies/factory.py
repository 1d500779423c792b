"""What builds a player, and what it may use for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from osler.seats.composite import AnyPlayer
from osler.seats.events import Seat


class Asked(NamedTuple):
    """What a factory may use. `case` is a Case, or a Scenario where scenarios are played: only the oracle and
    a memory's exclusion look at it, which is why the one is privileged and the other part of the study, not
    of the doctor. `argument` is what stands after the colon of a name; `inside` is the doctor that another
    one is to be built around."""

    seat: Seat
    case: Any
    argument: str
    inside: AnyPlayer | None = None


Factory = Callable[[Asked], AnyPlayer]
