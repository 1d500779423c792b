"""What a run may be of: consultations, ward rounds, scenarios. What plays, resumes or branches one asks this.

A configuration opens its cases, makes one ready, makes an episode of it, and builds the casts; an episode
plays itself and is judged. Everything else is the same for all. What a case is differs: `model` says it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Protocol, Self

from osler.cases.model import Case
from osler.cases.scenarios.model import Scenario
from osler.cases.sources import Source
from osler.encounter.table import Recorder
from osler.encounter.trace import ExchangeRow, InnerRow, Trace
from osler.seats.composite import AnyPlayer
from osler.seats.events import Seat
from osler.studies.branch_point import BranchPoint
from osler.studies.build import RunConfig
from osler.studies.execute import Cast
from osler.studies.factory import Factory
from osler.studies.round_config import RoundConfig
from osler.studies.scenario_config import ScenarioConfig

AnyCase = Case | Scenario


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


class AnyConfig(Protocol):
    """All that decides a run's episodes, by names. `model` is what its cases are."""

    @property
    def model(self) -> type[Any]: ...

    @property
    def cases(self) -> str: ...

    @property
    def models(self) -> dict[str, str]: ...

    @property
    def repeats(self) -> int: ...

    @property
    def limit(self) -> int | None: ...

    @property
    def only(self) -> str | None: ...

    @property
    def branch(self) -> BranchPoint | None: ...

    @property
    def protocol(self) -> str: ...

    def players(self) -> dict[Seat, str]:
        """The name in each seat that is taken."""
        ...

    def opened(self) -> Source[Any]:
        """The run's cases. Raises BadInput where there are none."""
        ...

    def casting(self, more: Mapping[str, Factory] | None = None) -> AnyCasting:
        """Who builds the casts. Raises BadInput for a name that nobody knows."""
        ...

    def ready(self, case: Any, /) -> Any:
        """The case as it is played."""
        ...

    def episode(self, ordinal: int, case: Any, source: Source[Any], /) -> AnyEpisode:
        """One episode of a case that is `ready`."""
        ...

    def seeding(self, repeat: int) -> tuple[str, str, tuple[tuple[int, str], ...]]:
        """An episode's `seed`, `kept` and `reseeded`."""
        ...

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """As plain JSON."""
        ...

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """A copy with some fields replaced."""
        ...


AnyKind = type[RunConfig] | type[RoundConfig] | type[ScenarioConfig]
KINDS: Final[Mapping[str, AnyKind]] = MappingProxyType(
    {"consultation": RunConfig, "ward_round": RoundConfig, "scenario": ScenarioConfig}
)
NAMES: Final[Mapping[AnyKind, str]] = MappingProxyType(
    {RunConfig: "consultations", RoundConfig: "ward rounds", ScenarioConfig: "scenarios"}
)


def kind_of(protocol: str) -> AnyKind:
    """The kind of configuration of a protocol such as "ward_round/1"; consultations where it is unknown."""
    return KINDS.get(protocol.partition("/")[0], RunConfig)
