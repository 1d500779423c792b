"""Who takes part in a scenario: built-in players by seat and name, and the casts of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from osler.cases.scenarios.model import Scenario
from osler.errors import BadInput
from osler.players.scenario.controller import BaselineController
from osler.players.scenario.examinee import BaselineExaminee, OpeningOnlyExaminee
from osler.players.scenario.oracle import OracleExaminee
from osler.players.scenario.patient import BaselinePatientSeat
from osler.players.scenario.trivial import NullExaminee, RepeatEverythingExaminee
from osler.seats.composite import AnyPlayer
from osler.seats.contract import Player
from osler.seats.events import Seat
from osler.studies import examinees
from osler.studies.build import scripted
from osler.studies.factory import Asked, Factory
from osler.studies.scenario_oracle import scenario_plan

WITH_ARGUMENT: Final[Mapping[str, str]] = {"scripted": "FILE", "model": "NAME"}


def _same(player: Player) -> Factory:
    return lambda asked: player


BUILT_IN: Final[Mapping[Seat, Mapping[str, Factory]]] = {
    "examinee": {
        "baseline": _same(BaselineExaminee()),
        "null": _same(NullExaminee()),
        "oracle": lambda asked: OracleExaminee(scenario_plan(asked.case)),
        "repeat-everything": _same(RepeatEverythingExaminee()),
        "opening-only": _same(OpeningOnlyExaminee()),
        "scripted": scripted,
    },
    "patient": {"baseline": _same(BaselinePatientSeat()), "scripted": scripted},
    "controller": {"baseline": _same(BaselineController()), "scripted": scripted},
}


class ScenarioCasting:
    """Builds the cast of each scenario of a run. `more` adds players by name, such as `model` or `person`.

    Raises BadInput for a name that no seat of that kind knows.
    """

    def __init__(self, players: Mapping[Seat, str], more: Mapping[str, Factory] | None = None) -> None:
        self._chosen: list[tuple[Seat, Factory, str]] = []
        self._built_in: list[Seat] = []
        self._around = examinees.check(players["examinee"]).around
        for seat, full in players.items():
            inside = examinees.inside(full) if seat == "examinee" else full
            name, _, argument = inside.partition(":")
            known = {**BUILT_IN[seat], **(more or {})}
            if name not in known or (name in WITH_ARGUMENT) != bool(argument):
                names = (f"{n}:{WITH_ARGUMENT[n]}" if n in WITH_ARGUMENT else n for n in {*known, "model"})
                raise BadInput(
                    f"no {seat} is called {full!r}",
                    where=f"--{seat}",
                    mend=f"known: {', '.join(sorted(names))}",
                )
            self._chosen.append((seat, known[name], argument))
            if name == "baseline" and seat != "examinee":
                self._built_in.append(seat)

    def cast(self, case: Scenario) -> dict[Seat, AnyPlayer]:
        """The players of one episode. Raises BadInput where a built-in player would have to read prose."""
        if case.packet and self._built_in:
            seat = self._built_in[0]
            raise BadInput(
                "a packet is prose, and the built-in players do not read it",
                where=f"{case.id}: --{seat} baseline",
                mend=f"name --{seat} model:NAME",
            )
        cast: dict[Seat, AnyPlayer] = {
            seat: factory(Asked(seat, case, argument)) for seat, factory, argument in self._chosen
        }
        cast["examinee"] = examinees.built(cast["examinee"], self._around)
        return cast
