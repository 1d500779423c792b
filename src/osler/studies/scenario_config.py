"""What a run of scenarios is, by names, and how its episodes and casts are made of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from osler.cases.personas import persona
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.cases.sources import Source
from osler.encounter.scenario import PROTOCOL, ScenarioSettings
from osler.seats.events import Frozen, Seat
from osler.studies.branch_point import BranchPoint, seeding
from osler.studies.factory import Factory
from osler.studies.scenario import ScenarioEpisode
from osler.studies.scenario_cast import ScenarioCasting


class ScenarioConfig(Frozen):
    """All that decides a run's scenarios. Names, no instances; goes into the manifest as it is.

    `rubrics` is the folder of frozen rubrics of packets, where they do not lie beside them.
    """

    model: ClassVar[type[Scenario]] = Scenario

    cases: str = "library"
    format: str = "auto"
    rubrics: str | None = None
    examinee: str = "baseline"
    patient: str = "baseline"
    controller: str = "baseline"
    persona: str = "plain"
    models: dict[str, str] = Field(default_factory=dict)
    seed: int = 0
    repeats: int = Field(default=1, ge=1, le=1_000_000)
    limit: int | None = Field(default=None, ge=1)
    only: str | None = None
    settings: ScenarioSettings = ScenarioSettings()
    branch: BranchPoint | None = None

    @property
    def protocol(self) -> str:
        """The story that is played."""
        return PROTOCOL

    def players(self) -> dict[Seat, str]:
        """The name in each seat."""
        return {"examinee": self.examinee, "patient": self.patient, "controller": self.controller}

    def opened(self) -> Source[Scenario]:
        """The run's scenarios. Raises BadInput where there are none."""
        return open_scenarios(self.cases, self.format, rubrics=Path(self.rubrics) if self.rubrics else None)

    def casting(self, more: Mapping[str, Factory] | None = None) -> ScenarioCasting:
        """Who builds the casts. Raises BadInput for a name that nobody knows."""
        persona(self.persona)
        return ScenarioCasting(self.players(), more)

    def ready(self, case: Scenario) -> Scenario:
        """The scenario as it is played."""
        return case

    def episode(self, ordinal: int, case: Scenario, source: Source[Scenario]) -> ScenarioEpisode:
        """One episode of a scenario that is `ready`."""
        seeding = self.seeding(ordinal % self.repeats)
        return ScenarioEpisode(ordinal, case, persona(self.persona), self.settings, *seeding)

    def seeding(self, repeat: int) -> tuple[str, str, tuple[tuple[int, str], ...]]:
        """An episode's `seed`, `kept` and `reseeded`."""
        return seeding(self.seed, repeat, self.branch)
