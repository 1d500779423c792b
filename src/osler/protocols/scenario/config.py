"""The configuration of a run of scenarios, its built-in players by name, and its casts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from osler.cases.personas import persona
from osler.cases.scenarios.model import Scenario
from osler.core.composite import AnyPlayer
from osler.core.config import Config
from osler.core.events import Seat
from osler.core.factory import Factory, always
from osler.core.source import Source
from osler.errors import BadInput
from osler.players.casting import Casting
from osler.protocols.scenario.episode import ScenarioEpisode
from osler.protocols.scenario.oracle_plan import scenario_plan
from osler.protocols.scenario.players.controller import BaselineController
from osler.protocols.scenario.players.examinee import BaselineExaminee
from osler.protocols.scenario.players.oracle import OracleExaminee
from osler.protocols.scenario.players.patient import BaselinePatientSeat
from osler.protocols.scenario.players.trivial import (
    NullExaminee,
    OpeningOnlyExaminee,
    RepeatEverythingExaminee,
)
from osler.protocols.scenario.story import PROTOCOL, ScenarioSettings

BUILT_IN: Final[Mapping[Seat, Mapping[str, Factory]]] = {
    "examinee": {
        "baseline": always(BaselineExaminee()),
        "null": always(NullExaminee()),
        "oracle": lambda asked: OracleExaminee(scenario_plan(asked.case)),
        "repeat-everything": always(RepeatEverythingExaminee()),
        "opening-only": always(OpeningOnlyExaminee()),
    },
    "patient": {"baseline": always(BaselinePatientSeat())},
    "controller": {"baseline": always(BaselineController())},
}


class ScenarioCasting(Casting):
    """The builder of the cast of each scenario of a run."""

    def cast(self, case: Scenario) -> dict[Seat, AnyPlayer]:
        """Return the players of an episode. Raises BadInput if a built-in player would have to read prose."""
        built_in = [seat for seat, name in self.names.items() if name == "baseline" and seat != "examinee"]
        if case.packet and built_in:
            raise BadInput(
                "a packet is prose, and the built-in players do not read it",
                where=f"{case.id}: --{built_in[0]} baseline",
                hint=f"name --{built_in[0]} model:NAME",
            )
        return super().cast(case)


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
        return ScenarioCasting(self.plays, self.players(), more, self.settings.language)

    def episode(self, ordinal: int, case: Scenario, source: Source[Scenario]) -> ScenarioEpisode:
        """Return an episode of a `ready` scenario."""
        seeding = self.seeding(ordinal % self.repeats)
        return ScenarioEpisode(ordinal, case, persona(self.persona), self.settings, *seeding)
