"""A language model as the bedside patient: the consultation's patient, given the group's questions as one."""

from __future__ import annotations

from osler.players.round.patient import as_consultation
from osler.seats.contract import Player, Replied, Request
from osler.seats.patient import PatientReply, PatientView


class RoundPatient:
    """An adapter that lets any consultation patient, grounded or not, answer a group of students."""

    def __init__(self, inner: Player) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The inner player's name."""
        return self._inner.name

    @property
    def durable(self) -> bool:
        """Whether replies must be stored at once: as for the inner player."""
        return self._inner.durable

    async def reply(self, request: Request[PatientView], /) -> PatientReply | Replied:
        """Give one answer to all questions since its last one."""
        answer: PatientReply | Replied = await self._inner.reply(as_consultation(request))  # type: ignore[assignment]
        return answer
