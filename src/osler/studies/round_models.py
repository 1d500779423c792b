"""Language models and people in the seats of ward rounds; a separate module, as a client imports slowly."""

from __future__ import annotations

from osler.core.factory import Asked
from osler.core.role import Seating
from osler.players.model.grounded import GroundedPatient
from osler.players.model.patient import ModelPatient
from osler.players.model.round.patient import RoundPatient
from osler.players.model.round.reviewers import ModelExpert, ModelSpecialist, ModelSupervisor
from osler.players.model.round.student import ModelStudent
from osler.players.model.round.tutor import ModelTutor
from osler.players.person import person_at
from osler.players.round.person import FORMS
from osler.seats.contract import Player


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
