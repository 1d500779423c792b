"""The built-in players of scenarios by name, and the builder of the casts of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from osler.cases.personas import persona
from osler.cases.scenarios.model import Scenario
from osler.core.composite import AnyPlayer
from osler.core.events import Seat
from osler.core.factory import Factory, always
from osler.errors import BadInput
from osler.players.casting import Casting
from osler.protocols.scenario.config import ScenarioConfig
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


class ScenarioCasting(Casting[ScenarioConfig]):
    """The builder of the cast of each scenario of a run."""

    def __init__(self, config: ScenarioConfig, more: Mapping[str, Factory] | None = None) -> None:
        persona(config.persona)
        super().__init__(config, more)

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
