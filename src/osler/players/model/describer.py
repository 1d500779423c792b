"""A language model as the describer of pictures for a doctor that cannot see: it names no disease."""

from __future__ import annotations

from typing import Any

from osler.models.types import Output
from osler.players.model import consultation as lines
from osler.players.model.claims import illnesses
from osler.players.model.player import ModelPlayer
from osler.players.model.seat import ModelSeat
from osler.seats.contract import Request
from osler.seats.describer import DescriberView, Description, picture_of
from osler.seats.events import Seat

_LONGEST_NOTE = 4000


class ModelDescriber(ModelPlayer[DescriberView, Description]):
    """A model in the describer's seat. It answers in plain words."""

    seat: Seat = "describer"
    reads: ModelSeat = lines.DESCRIBER_SEAT

    def _output(self) -> Output | None:
        return None

    def _read(self, request: Request[DescriberView], value: Any, /) -> Description:
        text = str(value).strip()
        if not text or len(text) > _LONGEST_NOTE:
            raise ValueError("describe the picture in two to six sentences")
        if named := illnesses(text) - illnesses(picture_of(request).name):
            raise ValueError(f"name no disease: say what is to be seen instead of {sorted(named)[0]!r}")
        return Description(text=text)
