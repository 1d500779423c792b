"""Language models in the seats of ward rounds. Apart from `round_config`, because a client imports slowly."""

from __future__ import annotations

from collections.abc import Mapping

from osler.models.opening import Models
from osler.players.model.grounded import GroundedPatient
from osler.players.model.opening import Moves
from osler.players.model.patient import ModelPatient
from osler.players.model.round.patient import RoundPatient
from osler.players.model.round.reviewers import ModelExpert, ModelSpecialist, ModelSupervisor
from osler.players.model.round.student import ModelStudent
from osler.players.model.round.tutor import ModelTutor
from osler.seats.contract import Player
from osler.studies.build import Asked, Factory


def round_model_players(models: Models, moves: Moves = "json") -> Mapping[str, Factory]:
    """The player `model:NAME` for every seat of a ward round, each built once."""
    built: dict[tuple[str, str], Player] = {}

    def factory(asked: Asked) -> Player:
        key = (asked.seat, asked.argument)
        if key not in built:
            built[key] = _player(asked, models, moves)
        return built[key]

    return {"model": factory}


def _player(asked: Asked, models: Models, moves: Moves) -> Player:
    client, name = models.client(asked.argument), asked.argument
    serving, eyes = models.endpoint(name).serving, models.has_eyes(name)
    match asked.seat:
        case "tutor":
            return ModelTutor(client, name, moves=moves, eyes=eyes, serving=serving)
        case "patient":
            return RoundPatient(GroundedPatient(ModelPatient(client, name, serving=serving)))
        case "specialist":
            return ModelSpecialist(client, name, serving=serving)
        case "supervisor":
            return ModelSupervisor(client, name, serving=serving)
        case "expert":
            return ModelExpert(client, name, serving=serving)
    return ModelStudent(client, name, asked.seat, eyes=eyes, serving=serving)
