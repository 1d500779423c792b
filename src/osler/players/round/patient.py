"""The built-in patient at the bedside: the consultation's patient, who hears the group's questions as one."""

from __future__ import annotations

from typing import Final

from osler.players.baseline.patient import answer
from osler.seats.contract import Own, Request
from osler.seats.events import Event, Said
from osler.seats.patient import PatientReply, PatientTurn, PatientView
from osler.seats.round_events import Line


class BaselineRoundPatient:
    """Answers all questions of a round in one breath. Keeps nothing between calls."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: PatientTurn) -> PatientReply:
        """One answer to the questions put since its last."""
        return answer(as_consultation(request))


def as_consultation(request: Request[PatientView]) -> Request[PatientView]:
    """The same request as a consultation: each batch of questions is said in one breath by the doctor."""
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
