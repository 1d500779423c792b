"""Language models in the seats of a run. Apart from `build`, because a model client takes long to import."""

from __future__ import annotations

from collections.abc import Mapping

from osler.errors import BadInput
from osler.models.opening import Models
from osler.players.model.consultant import ModelConsultant
from osler.players.model.describer import ModelDescriber
from osler.players.model.doctor import ModelDoctor
from osler.players.model.examination import ModelExamination
from osler.players.model.grounded import GroundedPatient
from osler.players.model.opening import Moves
from osler.players.model.patient import ModelPatient
from osler.players.model.second_reader import SecondReader
from osler.seats.contract import Player
from osler.studies.build import Asked, Factory


def model_players(
    models: Models, moves: Moves = "json", second: SecondReader | None = None
) -> Mapping[str, Factory]:
    """The player `model:NAME` for every seat, each built once. `moves` is how a doctor answers, `second` also
    reads what a patient says."""
    built: dict[tuple[str, str], Player] = {}

    def factory(asked: Asked) -> Player:
        key = (asked.seat, asked.argument)
        if key not in built:
            built[key] = _player(asked, models, moves, second)
        return built[key]

    return {"model": factory}


def second_reader(models: Models, named: str) -> SecondReader:
    """The reader that `model:NAME` names."""
    name = named.removeprefix("model:")
    return SecondReader(models.client(name), name)


def _player(asked: Asked, models: Models, moves: Moves, second: SecondReader | None) -> Player:
    client, name = models.client(asked.argument), asked.argument
    serving, eyes = models.endpoint(name).serving, models.has_eyes(name)
    match asked.seat:
        case "doctor":
            return ModelDoctor(client, name, moves=moves, eyes=eyes, serving=serving)
        case "patient":
            return GroundedPatient(ModelPatient(client, name, serving=serving), second)
        case "examination":
            return ModelExamination(client, name, serving=serving)
        case "consultant":
            return ModelConsultant(client, name, eyes=eyes, serving=serving)
        case "describer":
            return ModelDescriber(client, name, eyes=True, serving=serving)
    raise BadInput(f"no model can sit as {asked.seat}")
