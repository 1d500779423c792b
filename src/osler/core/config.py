"""Configurations: everything that determines a run's episodes, as names rather than instances.

A configuration is stored in the manifest as it is. It opens its cases, prepares a case, makes an episode of
it, and builds the casts; everything else is the same for all protocols.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Self

from pydantic import Field

from osler.core.branch_point import BranchPoint, seeding
from osler.core.episode import Episode, PlainEpisode
from osler.core.events import Frozen, Seat
from osler.core.lazy import Lazy, subclass
from osler.core.names import Kind, PlayerName, player_name
from osler.core.option import Option
from osler.core.protocol import Protocol
from osler.core.registry import OURS, protocol_named
from osler.core.role import NOBODY, Models
from osler.core.source import AnyCase, AnySource
from osler.errors import BadInput

EARLIER: Final = "before"
"""The key in the context of a validation under which a study's condition finds those played before it."""
ATTEMPTS: Final = 10
"""A person who gives a move that is not allowed is told why and tries again; it should not end the case."""


class Settings(Frozen):
    """The settings shared by all protocols; a protocol's own settings extend them.

    `max_attempts` (1 to 10) is the number of attempts that a player has at a valid reply.

        >>> osler.Settings(max_attempts=5).max_attempts
        5
    """

    max_attempts: int = Field(default=3, ge=1, le=10)


class Config(Frozen, ABC):
    """The configuration of a run: everything that determines its episodes, as plain values.

    A protocol's subclass adds a field for each seat, and its settings. `cases` names a source, read in a
    `format`, whose image files are in the folder `images`; with `without_images`, a case whose images are
    missing is played without them, else it is left out. Its first `limit` cases, or only the one with the id
    `only`, are played `repeats` times each, and never those with an id in `left_out`. `models` maps the
    endpoints that seats name to the models behind them. `protocol` is the protocol's name and version,
    `model` the type of a case, `world` names the fields (dotted) that the world depends on besides case and
    seed, and `looked_up` the fields of text whose value is looked up in a list, so that nobody can name a
    path by it.

        >>> config = osler.configure("consultation", seed=7, limit=2).seated({"doctor": "null"})
        >>> config.protocol, config.players()["doctor"]
        ('consultation/1', 'null')
    """

    protocol: ClassVar[str]
    model: ClassVar[type[AnyCase]]
    world: ClassVar[tuple[str, ...]] = ()
    looked_up: ClassVar[tuple[str, ...]] = ("persona", "settings.language")

    cases: str = "library"
    format: Annotated[
        str,
        Option("The format of the cases, where it cannot be guessed.", "cases", metavar="NAME"),
    ] = "auto"
    images: Annotated[
        str | None,
        Option("The folder of the image files that the cases name.", "cases", metavar="DIR", usual="none"),
    ] = Field(default=None, exclude_if=lambda folder: folder is None)
    without_images: Annotated[
        bool,
        Option("Take cases whose images are missing without them, marked; else they are left out.", "cases"),
    ] = Field(default=False, exclude_if=lambda without: not without)
    models: dict[str, str] = Field(default_factory=dict)
    seed: Annotated[int, Option("The random seed: same seed, same bytes.", "run", first=True)] = 0
    repeats: Annotated[int, Option("Number of episodes per case.", "run", first=True)] = Field(
        default=1, ge=1, le=1_000_000
    )
    limit: Annotated[
        int | None, Option("Only the first N cases.", "cases", metavar="N", first=True, usual="all")
    ] = Field(default=None, ge=1)
    only: Annotated[str | None, Option("Only this case.", "cases", metavar="ID", usual="all")] = None
    left_out: tuple[str, ...] = Field(default=(), exclude_if=lambda ids: not ids)
    branch: BranchPoint | None = None

    @property
    def plays(self) -> Protocol:
        """The protocol this configuration plays."""
        return protocol_named(self.protocol)

    def players(self) -> dict[Seat, str]:
        """The player's name in each occupied seat."""
        pairs = [(role, str(getattr(self, role.name))) for role in self.plays.roles]
        return {role.name: name for role, name in pairs if name != NOBODY or not role.optional}

    def setup(self) -> dict[str, str]:
        """The player in every occupied seat; under `unknown`, the policy for what a case does not hold; and
        every setting that is not the usual one, in words."""
        settings = getattr(self, "settings", None)
        if settings is None:
            return self.players()
        policy = getattr(settings, "unknown", None)
        unusual = settings.model_dump(mode="json", exclude_defaults=True)
        unusual.pop("unknown", None)
        named = {"unknown": str(policy)} if policy else {}
        return {**self.players(), **named, **{name: _in_words(value) for name, value in unusual.items()}}

    def insides(self) -> dict[Seat, str]:
        """The player's name in each occupied seat, without wrappers: "model:NAME" for "model:NAME+cot"."""
        return {seat: name.inside for seat, name in self.names().items()}

    def names(self) -> dict[Seat, PlayerName]:
        """The parsed name of the player in each occupied seat."""
        return {seat: player_name(self.plays.role(seat), full) for seat, full in self.players().items()}

    def models_in(self, seat: Seat) -> tuple[str, ...]:
        """The language models in a seat as `model:NAME`, those of mixed teams too; none in an empty seat."""
        name = self.names().get(seat)
        return name.models if name else ()

    def everyone(self) -> tuple[str, ...]:
        """Every player in any seat, those inside wrappers and the members of mixed teams too."""
        return tuple(player.inside for name in self.names().values() for player in name.everyone())

    def caveat(self) -> str:
        """The caveat beside the figures of a run with this configuration; empty for none."""
        return ""

    def check_seating(self, models: Models | None) -> None:
        """Raise BadInput if the players, or the `models` opened for them, do not fit the settings."""

    def seated(self, seats: Mapping[Seat, str]) -> Self:
        """Return a copy with other players' names in some seats. Raises BadInput for an unknown seat."""
        for seat in seats:
            if self.plays.role(seat).many:
                raise BadInput(
                    f"{type(self).__name__} deals out no seats called {seat}", where=f"--seat {seat}"
                )
        return self.model_copy(update=dict(seats))

    def opened(self) -> AnySource:
        """Open the run's source of cases. Raises BadInput if there is none."""
        return self.plays.source(self)

    def ready(self, case: AnyCase) -> AnyCase:
        """Prepare a case for play."""
        return case

    def episode(self, ordinal: int, case: AnyCase, source: AnySource) -> Episode:
        """Make one episode of a case that `ready` has prepared."""
        seeds = self.seeding(ordinal % self.repeats)
        return PlainEpisode(self.protocol, ordinal, case, getattr(self, "settings", Settings()), *seeds)

    def seeding(self, repeat: int) -> tuple[str, str, tuple[tuple[int, str], ...]]:
        """Return an episode's `seed`, `kept` and `reseeded` for a repeat."""
        return seeding(self.seed, repeat, self.branch)

    def weighed(self, stand_in: str = "") -> Self:
        """Return the dry-run configuration, used to estimate a run without playing it: built-in players
        replace every player that would have to be asked. `stand_in` names the player that replaces a language
        model, keeping its wrappers."""
        changed: dict[Seat, str] = {}
        for seat, full in self.players().items():
            role = self.plays.role(seat)
            name = player_name(role, full)
            given = any(wrapping.suffix in role.given for wrapping in name.around)
            if name.kind is Kind.BUILT_IN and not given and not name.members():
                continue
            other = role.default if role.default in role.players else NOBODY
            if stand_in and name.models:
                other = stand_in
            left_out = {*role.given}
            if role.mute(other):
                left_out |= {wrapper.name for wrapper in role.wrappers if wrapper.opinions}
            changed[seat] = other if other == NOBODY else name.around_another(other, frozenset(left_out))
        return self.seated(changed).model_copy(update={"models": {}})

    def practised(self) -> Self:
        """The configuration for a person who practises: with more attempts at a reply that is allowed."""
        settings = getattr(self, "settings", None)
        if settings is None:
            return self
        more = settings.model_copy(update={"max_attempts": ATTEMPTS})
        return self.model_copy(update={"settings": more})

    def branched(self, say: str | None) -> Self:
        """The configuration of a branch; `say` is the next utterance of the player under test. Raises
        BadInput if the protocol cannot put words into that player's mouth."""
        if say is not None:
            seat = self.plays.under_test
            raise BadInput(
                f"the {seat} of {self.plays.many} cannot be given words",
                where="--say",
                hint=f"name another --seat {seat}=NAME",
            )
        return self


def config_type(protocol: Protocol) -> type[Config]:
    """The type of a protocol's configurations."""
    return subclass(protocol.config, Config)


def config_named(name: str) -> type[Config]:
    """The configuration's type of a protocol, without the rest of the protocol where it is one of ours.

    Raises BadInput as `protocol_named` does.
    """
    if name not in OURS:
        return config_type(protocol_named(name))
    return subclass(Lazy(f"osler.protocols.{name}.config:CONFIG"), Config)


def _in_words(value: object) -> str:
    """A setting as it is shown: "max turns 10, max tests per visit 3"."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')} {_in_words(each)}" for name, each in value.items())
    return ", ".join(map(_in_words, value)) if isinstance(value, list) else str(value)
