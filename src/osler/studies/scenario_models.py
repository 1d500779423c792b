"""Language models in the seats of scenarios. Apart from the cast, because a client imports slowly."""

from __future__ import annotations

from collections.abc import Mapping

from osler.errors import BadInput
from osler.models.opening import Models
from osler.players.model.scenario.controller import ModelController
from osler.players.model.scenario.examinee import ModelExaminee
from osler.players.model.scenario.patient import ModelPatientSeat
from osler.seats.contract import Player
from osler.studies.factory import Asked, Factory


def scenario_model_players(models: Models) -> Mapping[str, Factory]:
    """The player `model:NAME` for every seat of a scenario, each built once."""
    built: dict[tuple[str, str], Player] = {}

    def factory(asked: Asked) -> Player:
        key = (asked.seat, asked.argument)
        if key not in built:
            built[key] = _player(asked, models)
        return built[key]

    return {"model": factory}


def _player(asked: Asked, models: Models) -> Player:
    client, name = models.client(asked.argument), asked.argument
    serving = models.endpoint(name).serving
    match asked.seat:
        case "examinee":
            return ModelExaminee(client, name, eyes=models.has_eyes(name), serving=serving)
        case "patient":
            return ModelPatientSeat(client, name, serving=serving)
        case "controller":
            return ModelController(client, name, serving=serving)
    raise BadInput(f"no model can sit as {asked.seat}")
