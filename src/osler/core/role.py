"""Roles: the kinds of seat a protocol has, and who may sit there by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from osler.core.factory import Asked, Factory
from osler.seats.composite import AnyPlayer
from osler.seats.contract import Contract
from osler.seats.events import Seat

NOBODY: Final = "none"
MEMORY: Final = "+memory"
NO_MEMORY: Final = (
    "is not offered: a memory holds diagnoses of earlier consultations and is audited for their leaks;"
    " name the player without +memory"
)
ARGUMENTS: Final[Mapping[str, str]] = {"scripted": "FILE", "model": "NAME", "python": "MODULE:NAME"}
"""Names that want something after a colon, in any seat, and what that is."""


class Seating(NamedTuple):
    """What players are built with at a sitting: the run's configuration, the models that were opened for it,
    and the channel to the person who sits down; `None` where there are none."""

    config: Any
    models: Any = None
    channel: Any = None


Builder = Callable[[Asked, Seating], AnyPlayer]
"""Builds the player of a seat at a sitting: a language model's, or a person's."""


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A way to build a player around another: `NAME+best-of:3`. `build` gets the player inside and the number
    after the colon, 0 where there is none; `counted` wrappers want one from 2 to 9.

    With `opinions` the player inside is asked to judge, to advise or to think again, which players who are
    `Role.mute` cannot. `unweighed` says what it may ask beyond what a dry run counts, because that depends on
    what models answer.
    """

    name: str
    build: Callable[[AnyPlayer, int], AnyPlayer]
    counted: bool = False
    opinions: bool = False
    unweighed: str = ""


@dataclass(frozen=True, kw_only=True)
class Role:
    """One kind of seat. `contracts` are what it may be asked for, `players` the built-in players by name;
    where `optional`, nobody ("none") may sit there. `wrappers` are the ways to build a player around another.
    `alone` names players of whom there is only one, so that they cannot be counted; `privileged` those who
    are handed the answer and are refused in comparisons.

    `many` says that the seats are numbered: the role "student" sits as student_1, student_2 and so on.
    """

    name: str
    contracts: tuple[Contract[Any, Any], ...]
    players: Mapping[str, Factory]
    words: str = ""
    default: str = "baseline"
    optional: bool = False
    many: bool = False
    person: bool = True
    wrappers: tuple[Wrapper, ...] = ()
    alone: frozenset[str] = frozenset({"person", "external"})
    privileged: frozenset[str] = frozenset({"oracle"})
    given: Mapping[str, str] = field(default_factory=dict)
    """Wrappers whose factory the run hands over ("+memory"), and what is said where it does not:
    "what is wrong; how to mend it"."""
    refused: Mapping[str, str] = field(default_factory=lambda: {MEMORY: NO_MEMORY})
    """Wrappers that are not offered, and why, in the same form."""

    def mute(self, name: str) -> bool:
        """Whether a player cannot judge or advise: the built-in ones, a script, and a person, who is shown no
        such question."""
        return name in self.players or name in ("scripted", "person")

    def seats_of(self, seat: Seat) -> bool:
        """Whether a seat is of this role; of a role with many seats its own name means all of them."""
        if seat == self.name or not self.many:
            return seat == self.name
        kind, _, number = seat.rpartition("_")
        return kind == self.name and number.isdecimal()
