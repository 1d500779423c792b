"""Roles: a protocol's kinds of seat, and the players that may be named for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, NamedTuple, Protocol

from typing_extensions import TypeVar

from osler.core.composite import AnyPlayer
from osler.core.contract import AnyContract
from osler.core.events import Seat
from osler.core.factory import Factory, PlayerRequest
from osler.core.lazy import OrLazy

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


class Versioned(Protocol):
    """A configuration, as far as the name and version of its protocol go."""

    protocol: ClassVar[str]


ConfigT = TypeVar("ConfigT", bound=Versioned, default=Any)
"""The type of a protocol's configuration."""


class Models(Protocol):
    """The language models that were opened for a session, by the names of their endpoints."""

    def client(self, name: str, /) -> Any:
        """The client of an endpoint, an `osler.models.types.ModelClient`. BadInput for an unknown one."""
        ...

    def endpoint(self, name: str, /) -> Any:
        """The configuration of an endpoint (`osler.models.config.Endpoint`)."""
        ...

    def has_eyes(self, name: str, /) -> bool:
        """Whether the model behind an endpoint is declared to see pictures."""
        ...


class Seating(NamedTuple, Generic[ConfigT]):
    """The inputs for building a session's players: configuration, opened models, channel to a person.

    `config` is the run's; `models` is `None` if no model was opened, `channel` if no person plays.

        >>> osler.Seating(osler.configure(seed=7)).config.seed
        7
    """

    config: ConfigT
    models: Models | None = None
    channel: object = None


class ModelSeats(Protocol):
    """A class of language models' players: `seated` builds the one of a seat."""

    def seated(self, asked: PlayerRequest, seating: Seating, /) -> AnyPlayer:
        """Build the player `model:NAME`. Raises BadInput for a model that is not configured."""
        ...


PersonCheck = Callable[[AnyPlayer, PlayerRequest, Seating], AnyPlayer]
"""Puts a check around a person who plays, or returns the player as it is."""


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A decorator of players, named by a suffix: `NAME+best-of:3`.

    `build` gets the player inside and the number after the colon, 0 if there is none; `counted` wrappers
    require one from 2 to 9.

    With `opinions` the player inside is asked to judge, to advise or to think again, which `Role.mute`
    players cannot do. `unweighed` describes the calls that a dry run cannot count because they depend on the
    models' answers. A counted wrapper with a `team` takes the names of other players as well, and is then
    built from the player inside and from them: `model:a+discuss:model:b/model:c`.

        >>> unchanged = osler.Wrapper("+unchanged", lambda player, number: player)
        >>> unchanged.name, unchanged.counted
        ('+unchanged', False)
    """

    name: str
    build: Callable[[AnyPlayer, int], AnyPlayer]
    counted: bool = False
    opinions: bool = False
    unweighed: str = ""
    team: Callable[[AnyPlayer, Sequence[AnyPlayer]], AnyPlayer] | None = None


@dataclass(frozen=True, kw_only=True)
class Role:
    """A kind of seat, as a row of a table: who may sit there, and what goes around them.

    name          its name, the seat of its first contract unless it has another
    contracts     the requests it may get
    players       the built-in players by name; `default` is the one that sits there if nobody is named
    model         the class of language models' players; without one, `prompts` is the folder with the
                  template of a generic one, NAME.jinja
    person        whether a person may sit there; `person_check` goes around them
    optional      the seat may stay empty ("none")
    many          the seats are numbered: the role "student" sits as student_1, student_2 and so on
    learns        the role that a learner usually takes, where it is not the one under test
    looks         its player is shown the case's pictures; if it `describes` them, nobody else is
    wrappers      the suffixes that may decorate its players (`osler.general_wrappers`)
    check         goes around any player that is neither built in nor a person, where English is spoken: it
                  reads the player's words, and believes no claim
    scorecard     scores the seat's player over a run, whatever the run is scored by: (run, store) -> an
                  `osler.reports.scorecard.Scorecard`
    alone         players of whom there is only one, so that they cannot be multiplied
    privileged    players who are handed the answer, and are refused in comparisons
    given         wrappers whose factory the run supplies ("+memory"), and the error message if it does not:
                  "what is wrong; how to fix it"
    refused       wrappers that are not offered, with an error message in the same form

        >>> from pydantic import TypeAdapter
        >>> contract = osler.Contract("giver", osler.View, TypeAdapter(osler.Frozen))
        >>> silent = osler.built_in("silent", lambda request: osler.Frozen())
        >>> osler.Role(contracts=(contract,), players={"baseline": silent}, many=True).seats_of("giver_2")
        True
    """

    name: str = ""
    contracts: tuple[AnyContract, ...]
    players: Mapping[str, Factory]
    default: str = "baseline"
    model: OrLazy[ModelSeats] | None = None
    prompts: Path | None = None
    person: bool = True
    person_check: OrLazy[PersonCheck] | None = None
    optional: bool = False
    many: bool = False
    learns: bool = False
    looks: bool = False
    describes: bool = False
    wrappers: tuple[Wrapper, ...] = ()
    check: Callable[[AnyPlayer], AnyPlayer] | None = None
    scorecard: OrLazy[Callable[..., object]] | None = None
    alone: frozenset[str] = frozenset({PERSON, EXTERNAL})
    privileged: frozenset[str] = frozenset({"oracle"})
    given: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=lambda: {MEMORY: NO_MEMORY})

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.contracts[0].seat)

    @property
    def takes_models(self) -> bool:
        """Whether a language model may sit there."""
        return self.model is not None or self.prompts is not None

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
