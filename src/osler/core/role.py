"""Roles: a protocol's kinds of seat, and the players that may be named for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from osler.core.composite import AnyPlayer
from osler.core.contract import Contract
from osler.core.events import Seat
from osler.core.factory import Factory, PlayerRequest

NOBODY: Final = "none"
PERSON: Final = "person"
EXTERNAL: Final = "external"
MODEL: Final = "model"
SCRIPTED: Final = "scripted"
PYTHON: Final = "python"
MEMORY: Final = "+memory"
NO_MEMORY: Final = (
    "is not offered: a memory holds diagnoses of earlier consultations and is audited for their leaks;"
    " name the player without +memory"
)
ARGUMENTS: Final[Mapping[str, str]] = {SCRIPTED: "FILE", MODEL: "NAME", PYTHON: "MODULE:NAME"}
"""The player names that take an argument after a colon, in any seat, and the argument's placeholder."""


class Seating(NamedTuple):
    """The inputs for building the players of a session: the run's configuration, the models opened for it
    (`None` if there are none), and the channel to a person who plays (`None` if there is none)."""

    config: Any
    models: Any = None
    channel: Any = None


Builder = Callable[[PlayerRequest, Seating], AnyPlayer]
"""Builds the player of a seat for a session: a language model's, or a person's."""


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A decorator of players: `NAME+best-of:3`. `build` gets the player inside and the number after the
    colon, 0 if there is none; `counted` wrappers require one from 2 to 9.

    With `opinions` the player inside is asked to judge, to advise or to think again, which `Role.mute`
    players cannot do. `unweighed` describes the calls that a dry run cannot count because they depend on the
    models' answers. A counted wrapper with a `team` takes the names of other players as well, and is then
    built from the player inside and from them: `model:a+discuss:model:b/model:c`.
    """

    name: str
    build: Callable[[AnyPlayer, int], AnyPlayer]
    counted: bool = False
    opinions: bool = False
    unweighed: str = ""
    team: Callable[[AnyPlayer, Sequence[AnyPlayer]], AnyPlayer] | None = None


@dataclass(frozen=True, kw_only=True)
class Role:
    """A kind of seat. `contracts` are the requests it may get, `players` the built-in players by name; an
    `optional` seat may stay empty ("none"). `wrappers` are the suffixes that may decorate its players.
    `alone` names players of whom there is only one, so that they cannot be multiplied; `privileged` those who
    are handed the answer and are refused in comparisons.

    `many` says that the seats are numbered: the role "student" sits as student_1, student_2 and so on.
    `looks`: whoever sits there is shown the case's pictures. `check` goes around any player that is neither
    built in nor a person, where English is spoken: it reads the player's words, and believes no claim.
    """

    name: str
    contracts: tuple[Contract[Any, Any], ...]
    players: Mapping[str, Factory]
    default: str = "baseline"
    optional: bool = False
    many: bool = False
    looks: bool = False
    person: bool = True
    wrappers: tuple[Wrapper, ...] = ()
    check: Callable[[AnyPlayer], AnyPlayer] | None = None
    alone: frozenset[str] = frozenset({PERSON, EXTERNAL})
    privileged: frozenset[str] = frozenset({"oracle"})
    given: Mapping[str, str] = field(default_factory=dict)
    """Wrappers whose factory the run supplies ("+memory"), and the error message if it does not:
    "what is wrong; how to fix it"."""
    refused: Mapping[str, str] = field(default_factory=lambda: {MEMORY: NO_MEMORY})
    """Wrappers that are not offered, with an error message in the same form."""

    def mute(self, name: str) -> bool:
        """Whether a player cannot judge or advise: true of the built-in players, of a script, and of a
        person, who is shown no such question."""
        return name in self.players or name in (SCRIPTED, PERSON)

    def seats_of(self, seat: Seat) -> bool:
        """Whether a seat belongs to this role; the name of a role with many seats stands for all of them."""
        if seat == self.name or not self.many:
            return seat == self.name
        kind, _, number = seat.rpartition("_")
        return kind == self.name and number.isdecimal()
