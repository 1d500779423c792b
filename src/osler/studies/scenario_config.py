"""What a run of scenarios is, by names, and how its episodes and casts are made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from osler.cases.personas import persona
from osler.cases.scenarios.model import Scenario
from osler.cases.sources import Source
from osler.core.config import Config
from osler.core.factory import Factory
from osler.encounter.scenario import PROTOCOL, ScenarioSettings
from osler.studies.scenario import ScenarioEpisode
from osler.studies.scenario_cast import ScenarioCasting


class ScenarioConfig(Config):
    """All that decides a run's scenarios. Names, no instances; goes into the manifest as it is.

    `rubrics` is the folder of frozen rubrics of packets, where they do not lie beside them.
    """

    protocol: ClassVar[str] = PROTOCOL
    model: ClassVar[type[Scenario]] = Scenario
    world: ClassVar[tuple[str, ...]] = ("persona", "settings.unknown")

    rubrics: str | None = None
    examinee: str = "baseline"
    patient: str = "baseline"
    controller: str = "baseline"
    persona: str = "plain"
    settings: ScenarioSettings = ScenarioSettings()

    def casting(self, more: Mapping[str, Factory] | None = None) -> ScenarioCasting:
        """Who builds the casts. Raises BadInput for a name that nobody knows."""
        persona(self.persona)
        return ScenarioCasting(self.plays, self.players(), more)

    def ready(self, case: Scenario) -> Scenario:
        """The scenario as it is played."""
        return case

    def episode(self, ordinal: int, case: Scenario, source: Source[Scenario]) -> ScenarioEpisode:
        """One episode of a scenario that is `ready`."""
        seeding = self.seeding(ordinal % self.repeats)
        return ScenarioEpisode(ordinal, case, persona(self.persona), self.settings, *seeding)
