"""What the configurations of all protocols share, and what whoever plays a run may ask of one.

A configuration opens its cases, makes one ready, makes an episode of it, and builds the casts; an episode
plays itself and is judged. Everything else is the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from pydantic import Field

from osler.cases.sources import Source
from osler.encounter.table import Recorder
from osler.encounter.trace import ExchangeRow, InnerRow, Trace
from osler.seats.composite import AnyPlayer
from osler.seats.events import Frozen, Seat
from osler.studies.branch_point import BranchPoint, seeding
from osler.studies.execute import Cast
from osler.studies.factory import Factory


class AnyEpisode(Protocol):
    """One case, one seed, one protocol: what is played, whoever plays."""

    @property
    def ordinal(self) -> int: ...

    @property
    def case(self) -> Any: ...

    @property
    def world(self) -> str:
        """A hash of all that does not depend on the player under test."""
        ...

    def key(self, cast: Cast) -> str:
        """A hash of everything that determines the episode."""
        ...

    async def play(
        self,
        cast: Cast,
        onward: Recorder | None = None,
        recorded: Sequence[ExchangeRow] = (),
        inner: Sequence[InnerRow] = (),
    ) -> Trace:
        """Play it to its end; what is recorded is not asked again."""
        ...

    def judged(self, trace: Trace) -> tuple[str, str, str]:
        """What the built-in judge says of it: grader, version and the judgement as JSON text."""
        ...


class AnyCasting(Protocol):
    """Who builds the casts of a run."""

    def cast(self, case: Any, /) -> Mapping[Seat, AnyPlayer]:
        """The players of one episode."""
        ...


class AnyConfig(Frozen, ABC):
    """All that decides a run's episodes, by names and no instances; goes into the manifest as it is.

    `cases` names a source, read in a `format`; of its cases the first `limit`, or the one with the id `only`,
    are played `repeats` times each. `models` are those behind the endpoints that seats name. `model` is what
    a case is.
    """

    model: ClassVar[type[Any]]

    cases: str = "library"
    format: str = "auto"
    models: dict[str, str] = Field(default_factory=dict)
    seed: int = 0
    repeats: int = Field(default=1, ge=1, le=1_000_000)
    limit: int | None = Field(default=None, ge=1)
    only: str | None = None
    branch: BranchPoint | None = None

    @property
    @abstractmethod
    def protocol(self) -> str:
        """The story that is played."""

    @abstractmethod
    def players(self) -> dict[Seat, str]:
        """The name in each seat that is taken."""

    @abstractmethod
    def opened(self) -> Source[Any]:
        """The run's cases. Raises BadInput where there are none."""

    @abstractmethod
    def casting(self, more: Mapping[str, Factory] | None = None) -> AnyCasting:
        """Who builds the casts. Raises BadInput for a name that nobody knows."""

    @abstractmethod
    def ready(self, case: Any) -> Any:
        """The case as it is played."""

    @abstractmethod
    def episode(self, ordinal: int, case: Any, source: Source[Any]) -> AnyEpisode:
        """One episode of a case that is `ready`."""

    def seeding(self, repeat: int) -> tuple[str, str, tuple[tuple[int, str], ...]]:
        """An episode's `seed`, `kept` and `reseeded`."""
        return seeding(self.seed, repeat, self.branch)
