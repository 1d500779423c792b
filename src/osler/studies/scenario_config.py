"""The configuration of a run of scenarios, and the factory of its episodes and casts."""

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
    """The configuration that determines a run's scenarios: names, no instances; stored in the manifest as it
    is.

    `rubrics` is the folder of the packets' frozen rubrics, if they are not next to the packets.
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
        """Return the builder of casts. Raises BadInput for an unknown name."""
        persona(self.persona)
        return ScenarioCasting(self.plays, self.players(), more)

    def ready(self, case: Scenario) -> Scenario:
        """Return the scenario as it is played."""
        return case

    def episode(self, ordinal: int, case: Scenario, source: Source[Scenario]) -> ScenarioEpisode:
        """Return an episode of a `ready` scenario."""
        seeding = self.seeding(ordinal % self.repeats)
        return ScenarioEpisode(ordinal, case, persona(self.persona), self.settings, *seeding)
