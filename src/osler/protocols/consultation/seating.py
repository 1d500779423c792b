"""Language models and people in the seats of consultations; a separate module, as a client imports slowly."""

from __future__ import annotations

from osler.core.composite import AnyPlayer
from osler.core.contract import Player
from osler.core.factory import Asked
from osler.core.role import Seating
from osler.errors import BadInput
from osler.players.person import person_at
from osler.protocols.consultation.forms import FORMS
from osler.protocols.consultation.model.players import (
    ModelConsultant,
    ModelDescriber,
    ModelDoctor,
    ModelExamination,
)
from osler.protocols.shared.model.grounded import GroundedPatient
from osler.protocols.shared.model.patient import ModelPatient
from osler.protocols.shared.model.second_reader import SecondReader


def model_player(asked: Asked, seating: Seating) -> Player:
    """Return the player `model:NAME` for a seat of a consultation."""
    models, config = seating.models, seating.config
    client, name = models.client(asked.argument), asked.argument
    serving, eyes = models.endpoint(name).serving, models.has_eyes(name)
    match asked.seat:
        case "doctor":
            return ModelDoctor(client, name, moves=config.moves, eyes=eyes, serving=serving)
        case "patient":
            return GroundedPatient(ModelPatient(client, name, serving=serving), second_reader(seating))
        case "examination":
            return ModelExamination(client, name, serving=serving)
        case "consultant":
            return ModelConsultant(client, name, eyes=eyes, serving=serving)
        case "describer":
            return ModelDescriber(client, name, eyes=True, serving=serving)
    raise BadInput(f"no model can sit as {asked.seat}")


def second_reader(seating: Seating) -> SecondReader | None:
    """Return the model that also checks the patient's answers, if the run names one."""
    named = seating.config.second_reader
    if named is None:
        return None
    name = named.removeprefix("model:")
    return SecondReader(seating.models.client(name), name)


def person(asked: Asked, seating: Seating) -> AnyPlayer:
    """Return a person for a seat of a consultation; a patient is grounded in its facts if the run says so."""
    sitting = person_at(seating.channel, FORMS)
    if asked.seat == "patient" and seating.config.ground:
        return GroundedPatient(sitting, second_reader(seating))
    return sitting
