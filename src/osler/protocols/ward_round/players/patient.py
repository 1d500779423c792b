"""The bedside patient: any patient of a consultation, given the group's questions as one."""

from __future__ import annotations

from osler.core.composite import AnyPlayer
from osler.core.contract import OwnReply, Player, ReplyWithUsage, Request
from osler.core.events import Event, Noticed, Said
from osler.protocols.shared.claimed_facts import checked_patient
from osler.protocols.shared.patient import PatientReply, PatientView, doctor_said
from osler.protocols.ward_round.events import RoundLine


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

    async def reply(self, request: Request[PatientView], /) -> PatientReply | ReplyWithUsage:
        """Give one answer to all questions since its last one."""
        answer: PatientReply | ReplyWithUsage = await self._inner.reply(as_consultation(request))  # type: ignore[assignment]
        return answer


def checked_round_patient(player: AnyPlayer) -> AnyPlayer:
    """A round's patient whose answers are read as those to the group's questions."""
    return checked_patient(player, _asked_so_far)


def _asked_so_far(request: Request[PatientView]) -> list[str]:
    return doctor_said(as_consultation(request))


def as_consultation(request: Request[PatientView]) -> Request[PatientView]:
    """Convert the request into one of a consultation: each batch of questions becomes one utterance of the
    doctor, and notices stay."""
    feed: list[Event | OwnReply] = []
    lines: list[RoundLine] = []
    for item in request.feed:
        if type(item) is RoundLine and item.part == "question":
            lines.append(item)
        elif type(item) is OwnReply or type(item) is Noticed:
            feed += [*_said(lines), item]
            lines = []
    return request._replace(feed=(*feed, *_said(lines)))


def _said(lines: list[RoundLine]) -> list[Said]:
    if not lines:
        return []
    words = " ".join(dict.fromkeys(line.text for line in lines))
    return [Said(minute=lines[0].minute, to=("patient",), by="doctor", text=words)]
