"""Language models and people in the seats of consultations; a separate module, as a client imports slowly."""

from __future__ import annotations

from typing import cast

from osler.core.composite import AnyPlayer
from osler.core.contract import Player
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.errors import BadInput
from osler.players.model.player import seated
from osler.players.person import person_at
from osler.protocols.consultation.forms import FORMS
from osler.protocols.consultation.memory.embedder import EmbedderSeat
from osler.protocols.consultation.model.players import (
    ModelConsultant,
    ModelDescriber,
    ModelDoctor,
    ModelExamination,
    ModelSummarizer,
    ModelSynthesizer,
)
from osler.protocols.shared.model.grounded import grounded
from osler.protocols.shared.model.patient import ModelPatient
from osler.protocols.shared.model.second_reader import SecondReader
from osler.text.languages import played_in


def model_player(asked: PlayerRequest, seating: Seating) -> Player:
    """Return the player `model:NAME` for a seat of a consultation."""
    match asked.seat:
        case "doctor":
            config = seating.config
            how = {"moves": config.moves, "coaching": config.coaching}
            how["told"] = config.settings.format_arm != "multi"
            return seated(ModelDoctor, asked, seating, pictures=True, **how)
        case "patient":
            patient = seated(ModelPatient, asked, seating)
            return grounded(patient, patient.language, second_reader(seating))
        case "examination":
            return seated(ModelExamination, asked, seating)
        case "consultant":
            return seated(ModelConsultant, asked, seating, pictures=True)
        case "describer":
            return seated(ModelDescriber, asked, seating, eyes=True)
        case "summarizer":
            return seated(ModelSummarizer, asked, seating)
        case "synthesizer":
            return seated(ModelSynthesizer, asked, seating)
        case "embedder":  # no seat: `osler.protocols.consultation.memory.embedder`
            endpoint = seating.models.endpoint(asked.argument)
            found = EmbedderSeat(endpoint.name, endpoint.serving, seating.models.client(asked.argument))
            return cast(Player, found)
    raise BadInput(f"no model can sit as {asked.seat}")


def second_reader(seating: Seating) -> SecondReader | None:
    """Return the model that also checks the patient's answers, if the run names one."""
    named = seating.config.second_reader
    if named is None:
        return None
    name = named.removeprefix("model:")
    return SecondReader(seating.models.client(name), name)


def person(asked: PlayerRequest, seating: Seating) -> AnyPlayer:
    """Return a person for a seat of a consultation; a patient is grounded in its facts if the run says so."""
    sitting = person_at(seating.channel, FORMS)
    if asked.seat == "patient" and seating.config.ground:
        return grounded(sitting, played_in(seating.config.settings, asked.case), second_reader(seating))
    return sitting
