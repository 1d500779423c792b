"""The grounded patient, whose answers are checked against its facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from osler.core.contract import Own, Player, Replied, Request, Unanswered
from osler.core.events import NOT_VALID, Noticed, json_of
from osler.protocols.shared.model.grounding import ungrounded
from osler.protocols.shared.model.patient import doctor_said
from osler.protocols.shared.model.second_reader import SecondReader
from osler.protocols.shared.patient import PATIENT, PatientReply, PatientView

Refused = tuple[dict[str, str], ...]
Used = tuple[dict[str, str | int | None], ...]


class _Checked(NamedTuple):
    """An answer, its sentences that no fact supports, and the refused replies and usage it took."""

    answer: PatientReply
    wrong: tuple[str, ...]
    refused: Refused
    used: Used


class GroundedPatient:
    """A patient whose answers are checked against its facts: a model, or a person who writes freely.

    After an answer that asserts more, the patient is asked once more, with a note of what was wrong; if that
    answer fails too, it raises `Unanswered`, which the table turns into a simulator fault. The `second`
    reader is consulted if the lexical check finds nothing.
    """

    def __init__(self, inner: Player, second: SecondReader | None = None) -> None:
        self._inner, self._second = inner, second

    @property
    def name(self) -> str:
        """The inner player's name, marked as grounded, with the second reader's name."""
        return f"{self._inner.name}:grounded{'' if self._second is None else f'+{self._second.name}'}"

    @property
    def durable(self) -> bool:
        """Whether replies must be stored at once: as for the inner player, and always with a second
        reader."""
        return self._inner.durable or self._second is not None

    async def reply(self, request: Request[PatientView]) -> Replied:
        """Return the inner player's answer if its facts support it; fabrications are listed as refused."""
        first = await self._ask(request, (), ())
        if not first.wrong:
            return Replied(first.answer, first.refused, first.used)
        # In the table's own wording, so that any player understands it and the prompt grows only at its end.
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
        """Get one answer and check it; earlier refusals and usage are carried along for the record."""
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
