"""The patient whose answers are held to its facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from osler.players.model.grounding import ungrounded
from osler.players.model.patient import doctor_said
from osler.players.model.second_reader import SecondReader
from osler.seats.contract import Own, Player, Replied, Request, Unanswered
from osler.seats.events import NOT_VALID, Noticed, json_of
from osler.seats.patient import PATIENT, PatientReply, PatientView

Refused = tuple[dict[str, str], ...]
Used = tuple[dict[str, str | int | None], ...]


class _Checked(NamedTuple):
    """An answer, its parts that no fact holds, and what was refused and used to get it."""

    answer: PatientReply
    wrong: tuple[str, ...]
    refused: Refused
    used: Used


class GroundedPatient:
    """A patient whose answers are held to its facts: a model, or a person who writes freely.

    An answer that asserts more is asked for once more, with a note of what was wrong; if the second does so
    too, `Unanswered`, which the table ends as a simulator fault. The `second` reader is asked as well where
    the words alone show nothing.
    """

    def __init__(self, inner: Player, second: SecondReader | None = None) -> None:
        self._inner, self._second = inner, second

    @property
    def name(self) -> str:
        """The inner player's name, marked as checked, and by whom."""
        return f"{self._inner.name}:grounded{'' if self._second is None else f'+{self._second.name}'}"

    @property
    def durable(self) -> bool:
        """As the inner player, unless a model reads it."""
        return self._inner.durable or self._second is not None

    async def reply(self, request: Request[PatientView]) -> Replied:
        """The inner player's answer, if its facts hold it; a fabrication is among what was refused."""
        first = await self._ask(request, (), ())
        if not first.wrong:
            return Replied(first.answer, first.refused, first.used)
        # As the table would say it, so that any player understands and the prompt grows at its end.
        minute = max((item.minute for item in request.feed if not isinstance(item, Own)), default=0)
        note = Noticed(minute=minute, to=("patient",), text=f"{NOT_VALID}: {_note(first.wrong)}")
        noted = request._replace(feed=(*request.feed, note))
        refused = (*first.refused, _refused(first))
        again = await self._ask(noted, refused, first.used)
        if not again.wrong:
            return Replied(again.answer, again.refused, again.used)
        raise Unanswered(
            f"the patient asserted what no fact holds: {again.wrong[0][:200]!r}",
            (*again.refused, _refused(again)),
            again.used,
            again=False,
        )

    async def _ask(self, request: Request[PatientView], refused: Refused, used: Used) -> _Checked:
        """One answer and what is wrong with it; what was refused and used before stays on record."""
        try:
            said = await self._inner.reply(request)
            replied = said if isinstance(said, Replied) else Replied(said)
            refused, used = (*refused, *replied.refused), (*used, *replied.used)
            answer = PATIENT.reply.validate_python(replied.reply)
            heard = doctor_said(request)
            wrong = ungrounded(answer.answer, request.view, heard[-1], said=heard)
            if not wrong and self._second is not None:
                wrong, read = await self._second.unsupported(answer.answer, request)
                used = (*used, *read)
        except Unanswered as error:
            refused, used = (*refused, *error.refused), (*used, *error.used)
            raise Unanswered(str(error), refused, used, again=error.again) from None
        return _Checked(answer, wrong, refused, used)


def _refused(checked: _Checked) -> dict[str, str]:
    return {"at": "grounding", "error": _note(checked.wrong)[:500], "reply": json_of(checked.answer)[:4000]}


def _note(wrong: Sequence[str]) -> str:
    quoted = "; ".join(repr(sentence[:200]) for sentence in wrong[:3])
    return f"your facts do not say this: {quoted}. Say only what they hold, or that you do not know"
