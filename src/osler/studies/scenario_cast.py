"""The built-in players of a scenario by name, and the builder of its casts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from osler.cases.scenarios.model import Scenario
from osler.core.casting import Casting
from osler.core.factory import Factory, always
from osler.errors import BadInput
from osler.players.scenario.controller import BaselineController
from osler.players.scenario.examinee import BaselineExaminee, OpeningOnlyExaminee
from osler.players.scenario.oracle import OracleExaminee
from osler.players.scenario.patient import BaselinePatientSeat
from osler.players.scenario.trivial import NullExaminee, RepeatEverythingExaminee
from osler.seats.composite import AnyPlayer
from osler.seats.events import Seat
from osler.studies.scenario_oracle import scenario_plan

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
                mend=f"name --{built_in[0]} model:NAME",
            )
        return super().cast(case)
