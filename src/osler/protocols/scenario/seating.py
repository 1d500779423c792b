"""Language models and people in the seats of scenarios; a separate module, as a client imports slowly."""

from __future__ import annotations

from osler.core.contract import Player
from osler.core.factory import Asked
from osler.core.role import Seating
from osler.errors import BadInput
from osler.players.person import person_at
from osler.protocols.scenario.forms import FORMS
from osler.protocols.scenario.model.players import (
    ModelController,
    ModelExaminee,
    ModelPatientSeat,
)


def model_player(asked: Asked, seating: Seating) -> Player:
    """Return the player `model:NAME` for a seat of a scenario."""
    models = seating.models
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


def person(asked: Asked, seating: Seating) -> Player:
    """Return a person as the examinee."""
    return person_at(seating.channel, FORMS)
