"""Language models and people in the seats of ward rounds; a separate module, as a client imports slowly."""

from __future__ import annotations

from osler.core.contract import Player
from osler.core.factory import Asked
from osler.core.role import Seating
from osler.players.person import person_at
from osler.protocols.shared.model.grounded import GroundedPatient
from osler.protocols.shared.model.patient import ModelPatient
from osler.protocols.ward_round.forms import FORMS
from osler.protocols.ward_round.model.players import (
    ModelExpert,
    ModelSpecialist,
    ModelStudent,
    ModelSupervisor,
    ModelTutor,
)
from osler.protocols.ward_round.players.patient import RoundPatient


def model_player(asked: Asked, seating: Seating) -> Player:
    """Return the player `model:NAME` for a seat of a ward round."""
    models = seating.models
    client, name = models.client(asked.argument), asked.argument
    serving, eyes = models.endpoint(name).serving, models.has_eyes(name)
    match asked.seat:
        case "tutor":
            return ModelTutor(client, name, moves=seating.config.moves, eyes=eyes, serving=serving)
        case "patient":
            return RoundPatient(GroundedPatient(ModelPatient(client, name, serving=serving)))
        case "specialist":
            return ModelSpecialist(client, name, serving=serving)
        case "supervisor":
            return ModelSupervisor(client, name, serving=serving)
        case "expert":
            return ModelExpert(client, name, serving=serving)
    return ModelStudent(client, name, asked.seat, eyes=eyes, serving=serving)


def person(asked: Asked, seating: Seating) -> Player:
    """Return a person as tutor or student."""
    return person_at(seating.channel, FORMS)
