"""A language model as the examination service: it says which findings an order means, never a result."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from osler.models.types import Output
from osler.players.model import consultation as lines
from osler.players.model.player import ModelPlayer
from osler.players.model.schemas import EXAMINATION_MATCH
from osler.players.model.seat import ModelSeat
from osler.seats.contract import Request
from osler.seats.events import Seat
from osler.seats.examination import EXAMINATION, ExaminationReply, ExaminationView, order_of

_MOST_PARTS: Final = 12
_LONGEST: Final = 300


class ModelExamination(ModelPlayer[ExaminationView, ExaminationReply]):
    """A model in the examination service's seat. Results are not in its prompt."""

    seat: Seat = "examination"
    reads: ModelSeat = lines.EXAMINATION_SEAT
    output: ClassVar[Output] = EXAMINATION_MATCH

    def _read(self, request: Request[ExaminationView], value: Any, /) -> ExaminationReply:
        reply = EXAMINATION.reply.validate_python(value)
        names = {found.id: found.name for found in request.view.findings}
        if strange := [item for item in reply.findings if item not in names]:
            raise ValueError(f"findings: no finding on file has the id {strange[0][:40]!r}")
        matched = reply.match_type in ("exact", "alias")
        if matched and not reply.findings:
            raise ValueError("an exact or alias match names at least one finding")
        # The doctor is shown only words of the order itself, so unclear parts must occur in it.
        order = order_of(request).name.casefold()
        return reply.model_copy(
            update={
                "findings": reply.findings if matched else (),
                "matched_test_name": names[reply.findings[0]] if matched else None,
                "unheld": tuple(part[:_LONGEST] for part in reply.unheld[:_MOST_PARTS] if part.strip()),
                "unclear": tuple(
                    part[:_LONGEST]
                    for part in reply.unclear[:_MOST_PARTS]
                    if part.strip() and part.casefold() in order
                ),
                "reason": reply.reason[:_LONGEST],
            }
        )
