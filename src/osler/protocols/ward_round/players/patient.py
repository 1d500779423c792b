"""The built-in bedside patient: the consultation's patient, given the group's questions as one."""

from __future__ import annotations

from typing import Final

from osler.core.contract import Own, Request
from osler.core.events import Event, Said
from osler.protocols.shared.patient import PatientReply, PatientTurn, PatientView
from osler.protocols.shared.players.patient import answer
from osler.protocols.ward_round.events import Line


class BaselineRoundPatient:
    """The built-in bedside patient, which answers all questions of a round at once. Stateless."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: PatientTurn) -> PatientReply:
        """Give one answer to all questions since its last one."""
        return answer(as_consultation(request))


def as_consultation(request: Request[PatientView]) -> Request[PatientView]:
    """Convert the request into one of a consultation: each batch of questions becomes one utterance of the
    doctor."""
    feed: list[Event | Own] = []
    asked: list[Line] = []
    for item in request.feed:
        if type(item) is Line and item.part == "question":
            asked.append(item)
        elif type(item) is Own:
            feed += [*_said(asked), item]
            asked = []
    return request._replace(feed=(*feed, *_said(asked)))


def _said(asked: list[Line]) -> list[Said]:
    if not asked:
        return []
    words = " ".join(dict.fromkeys(line.text for line in asked))
    return [Said(minute=asked[0].minute, to=("patient",), by="doctor", text=words)]
