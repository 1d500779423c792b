"""A language model as the patient at the bedside: the consultation's patient, who hears the group's questions
as one."""

from __future__ import annotations

from osler.players.round.patient import as_consultation
from osler.seats.contract import Player, Replied, Request
from osler.seats.patient import PatientReply, PatientView


class RoundPatient:
    """Any patient of a consultation, grounded or not, put before a group of students."""

    def __init__(self, inner: Player) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The inner player's name."""
        return self._inner.name

    @property
    def durable(self) -> bool:
        """As the inner player."""
        return self._inner.durable

    async def reply(self, request: Request[PatientView], /) -> PatientReply | Replied:
        """One answer to the questions put since its last."""
        answer: PatientReply | Replied = await self._inner.reply(as_consultation(request))  # type: ignore[assignment]
        return answer
