"""Language models in the seats of a run. Apart from `build`, because a model client takes long to import."""

from __future__ import annotations

from collections.abc import Mapping

from osler.errors import BadInput
from osler.models.opening import Models
from osler.players.model.consultant import ModelConsultant
from osler.players.model.doctor import ModelDoctor
from osler.players.model.examination import ModelExamination
from osler.players.model.grounding import GroundedPatient
from osler.players.model.opening import Moves
from osler.players.model.patient import ModelPatient
from osler.seats.contract import Player
from osler.studies.build import Asked, Factory


def model_players(models: Models, moves: Moves = "json") -> Mapping[str, Factory]:
    """The player `model:NAME` for every seat, each built once. `moves` is how a doctor answers."""
    built: dict[tuple[str, str], Player] = {}

    def factory(asked: Asked) -> Player:
        key = (asked.seat, asked.argument)
        if key not in built:
            built[key] = _player(asked, models, moves)
        return built[key]

    return {"model": factory}


def _player(asked: Asked, models: Models, moves: Moves) -> Player:
    client, name = models.client(asked.argument), asked.argument
    match asked.seat:
        case "doctor":
            return ModelDoctor(client, name, moves=moves)
        case "patient":
            return GroundedPatient(ModelPatient(client, name))
        case "examination":
            return ModelExamination(client, name)
        case "consultant":
            return ModelConsultant(client, name)
    raise BadInput(f"no model can sit as {asked.seat}")
