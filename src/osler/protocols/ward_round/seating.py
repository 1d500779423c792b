"""Language models and people in the seats of ward rounds; a separate module, as a client imports slowly."""

from __future__ import annotations

from osler.core.contract import Player
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.players.model.player import seated
from osler.players.person import person_at
from osler.protocols.shared.model.grounded import grounded
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


def model_player(asked: PlayerRequest, seating: Seating) -> Player:
    """Return the player `model:NAME` for a seat of a ward round."""
    match asked.seat:
        case "tutor":
            return seated(ModelTutor, asked, seating, pictures=True, moves=seating.config.moves)
        case "patient":
            patient = seated(ModelPatient, asked, seating)
            return RoundPatient(grounded(patient, patient.language))
        case "specialist":
            return seated(ModelSpecialist, asked, seating, pictures=True)
        case "supervisor":
            return seated(ModelSupervisor, asked, seating)
        case "expert":
            return seated(ModelExpert, asked, seating)
    return seated(ModelStudent, asked, seating, pictures=True, seat=asked.seat)


def person(asked: PlayerRequest, seating: Seating) -> Player:
    """Return a person as tutor or student."""
    return person_at(seating.channel, FORMS)
