"""Configurations: all that decides a run's episodes, by names and no instances.

A configuration goes into the manifest as it is. It opens its cases, makes one ready, makes an episode of it,
and builds the casts; everything else is the same for all protocols.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from pydantic import Field

from osler.cases.sources import Source
from osler.core.branch_point import BranchPoint, seeding
from osler.core.casting import Casting
from osler.core.episode import Episode, PlainEpisode
from osler.core.factory import Factory
from osler.core.names import taken_apart
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.core.role import NOBODY
from osler.errors import BadInput
from osler.seats.events import Frozen, Seat


class Settings(Frozen):
    """What every story may be told: how often a player is asked for a valid reply. A protocol's own settings
    add to it."""

    max_attempts: int = Field(default=3, ge=1, le=10)


class Config(Frozen, ABC):
    """All that decides a run's episodes; a protocol's own adds a field for each seat, and its settings.

    `cases` names a source, read in a `format`; of its cases the first `limit`, or the one with the id `only`,
    are played `repeats` times each. `models` are those behind the endpoints that seats name. `protocol` is
    its protocol's name and version, `model` what a case is, and `world` names the fields (dotted) that the
    world depends on beside case and seed.
    """

    protocol: ClassVar[str]
    model: ClassVar[type[Any]]
    world: ClassVar[tuple[str, ...]] = ()

    cases: str = "library"
    format: str = "auto"
    models: dict[str, str] = Field(default_factory=dict)
    seed: int = 0
    repeats: int = Field(default=1, ge=1, le=1_000_000)
    limit: int | None = Field(default=None, ge=1)
    only: str | None = None
    branch: BranchPoint | None = None

    @property
    def plays(self) -> Protocol:
        """The protocol that is played."""
        return protocol_named(self.protocol)

    def players(self) -> dict[Seat, str]:
        """The name in each seat that is taken."""
        named = [(role, str(getattr(self, role.name))) for role in self.plays.roles]
        return {role.name: name for role, name in named if name != NOBODY or not role.optional}

    def insides(self) -> dict[Seat, str]:
        """The name in each seat that is taken without its wrappers: "model:NAME" of "model:NAME+cot"."""
        return {
            seat: taken_apart(self.plays.role(seat), name).inside for seat, name in self.players().items()
        }

    def readers(self) -> tuple[str, ...]:
        """Language models that a run asks without a seat, as `model:NAME`."""
        return ()

    def check_seating(self, models: Any) -> None:
        """Raise BadInput where the players and the `models` opened for them do not fit the settings."""

    def seated(self, seats: Mapping[Seat, str]) -> Self:
        """The same configuration with other names in some seats. Raises BadInput for a seat there is not."""
        for seat in seats:
            if self.plays.role(seat).many:
                raise BadInput(
                    f"{type(self).__name__} deals out no seats called {seat}", where=f"--seat {seat}"
                )
        return self.model_copy(update=dict(seats))

    def opened(self) -> Source[Any]:
        """The run's cases. Raises BadInput where there are none."""
        return self.plays.source(self)

    def casting(self, more: Mapping[str, Factory] | None = None) -> Casting:
        """Who builds the casts. Raises BadInput for a name that nobody knows."""
        return Casting(self.plays, self.players(), more)

    def needs_other_cases(self) -> bool:
        """Whether setting up one episode needs other cases of the source than its own."""
        return False

    def ready(self, case: Any) -> Any:
        """The case as it is played."""
        return case

    def episode(self, ordinal: int, case: Any, source: Source[Any]) -> Episode:
        """One episode of a case that is `ready`."""
        seeds = self.seeding(ordinal % self.repeats)
        return PlainEpisode(self.protocol, ordinal, case, getattr(self, "settings", Settings()), *seeds)

    def seeding(self, repeat: int) -> tuple[str, str, tuple[tuple[int, str], ...]]:
        """An episode's `seed`, `kept` and `reseeded`."""
        return seeding(self.seed, repeat, self.branch)

    def weighed(self, stand_in: str = "") -> Self:
        """The same with built-in players wherever somebody would have to be asked: what weighs a run without
        playing it. `stand_in` is the name of the player in a language model's place, wrappers kept."""
        changed: dict[Seat, str] = {}
        for seat, full in self.players().items():
            role = self.plays.role(seat)
            named = taken_apart(role, full)
            if named.inside in role.players and not any(ending in role.given for ending, _ in named.around):
                continue
            other = role.default if role.default in role.players else NOBODY
            if stand_in and named.name == "model":
                other = stand_in
            left_out = {*role.given}
            if role.mute(other):
                left_out |= {wrapper.name for wrapper in role.wrappers if wrapper.opinions}
            changed[seat] = other if other == NOBODY else named.around_another(other, frozenset(left_out))
        return self.seated(changed).model_copy(update={"models": {}})

    @classmethod
    def of_condition(cls, changes: Mapping[str, Any], before: tuple[str, ...]) -> Self:
        """The configuration of a study's condition, from what it sets; `before` are the conditions that are
        played before it. Raises BadInput, or pydantic's ValidationError."""
        return cls.model_validate(dict(changes))

    def pairs_with(self, other: Config, one: Any, another: Any) -> bool:
        """Whether an episode of this configuration and one of another (stored rows), of the same ordinal,
        can be compared as a pair."""
        return True

    def probing(self, player: str) -> Self:
        """The configuration in which a validity check plays `player`; all other seats are built in."""
        return self.seated({self.plays.under_test: player})

    def shows(self, looked_at: str, cases: Iterable[Any]) -> bool:
        """Whether any of the cases has what a probe looks at."""
        return True

    def branched(self, say: str | None) -> Self:
        """The configuration of a branch; `say` is what the player under test says next. Raises BadInput where
        the protocol cannot give anybody words."""
        if say is not None:
            seat = self.plays.under_test
            raise BadInput(
                f"the {seat} of {self.plays.many} cannot be given words",
                where="--say",
                mend=f"name another --seat {seat}=NAME",
            )
        return self
