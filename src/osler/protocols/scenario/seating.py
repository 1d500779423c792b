"""Language models and people in the seats of scenarios; a separate module, as a client imports slowly."""

from __future__ import annotations

from osler.core.contract import Player
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.errors import BadInput
from osler.players.model.player import seated
from osler.players.person import person_at
from osler.protocols.scenario.forms import FORMS
from osler.protocols.scenario.model.players import ModelController, ModelExaminee, ModelPatientSeat


def model_player(asked: PlayerRequest, seating: Seating) -> Player:
    """Return the player `model:NAME` for a seat of a scenario."""
    match asked.seat:
        case "examinee":
            return seated(ModelExaminee, asked, seating, pictures=True)
        case "patient":
            return seated(ModelPatientSeat, asked, seating)
        case "controller":
            return seated(ModelController, asked, seating)
    raise BadInput(f"no model can sit as {asked.seat}")


def person(asked: PlayerRequest, seating: Seating) -> Player:
    """Return a person as the examinee."""
    return person_at(seating.channel, FORMS)
