"""The grounded patient, whose answers are checked against its facts."""

from __future__ import annotations

from collections.abc import Sequence

from osler.core.contract import NoUsableReply, Player, ReplyWithUsage, Request
from osler.core.events import json_of
from osler.protocols.shared.model.grounding import ungrounded
from osler.protocols.shared.model.second_reader import SecondReader
from osler.protocols.shared.patient import PATIENT, PatientView, doctor_said
from osler.text.languages import ENGLISH


class GroundedPatient:
    """A patient whose answers are checked against its facts: a model, or a person who writes freely.

    An answer that asserts more is refused, and the table asks again until its attempts are used up, which is
    a simulator fault. The `second` reader is consulted if the `lexical` check, which reads English alone,
    finds nothing.
    """

    def __init__(self, inner: Player, second: SecondReader | None = None, *, lexical: bool = True) -> None:
        self._inner, self._second, self._lexical = inner, second, lexical

    @property
    def name(self) -> str:
        """The inner player's name, marked as grounded, with the second reader's name."""
        lexical = ":grounded" if self._lexical else ""
        return f"{self._inner.name}{lexical}{'' if self._second is None else f'+{self._second.name}'}"

    @property
    def durable(self) -> bool:
        """Whether replies must be stored at once: as for the inner player, and always with a second
        reader."""
        return self._inner.durable or self._second is not None

    @property
    def thinker(self) -> Player:
        """The player inside, whose opinions are no answers and are not checked."""
        return self._inner

    async def reply(self, request: Request[PatientView]) -> ReplyWithUsage:
        """Return the inner player's answer if its facts support it.

        Raises NoUsableReply for one they do not: the table asks again, and says what was wrong with it.
        """
        said = await self._inner.reply(request)
        replied = said if isinstance(said, ReplyWithUsage) else ReplyWithUsage(said)
        answer = PATIENT.reply.validate_python(replied.reply)
        used, calls, heard = replied.used, replied.calls, doctor_said(request)
        wrong = ungrounded(answer.answer, request.view, heard[-1], said=heard) if self._lexical else ()
        if not wrong and self._second is not None:
            try:
                wrong, spent, call = await self._second.unsupported(answer.answer, request)
            except NoUsableReply as error:
                error.noted = replied.noted
                error.used, error.calls = (*used, *error.used), (*calls, *error.calls)
                raise
            used, calls = (*used, spent), (*calls, call)
        if wrong:
            raise NoUsableReply(
                _note(wrong),
                by="grounding",
                cause="grounding",
                said=json_of(answer),
                noted=replied.noted,
                used=used,
                calls=calls,
            )
        return ReplyWithUsage(answer, replied.noted, used, calls)


def grounded(inner: Player, language: str, second: SecondReader | None = None) -> Player:
    """The patient with its answers checked as far as they can be in a language."""
    if language != ENGLISH and second is None:
        return inner
    return GroundedPatient(inner, second, lexical=language == ENGLISH)


def _note(wrong: Sequence[str]) -> str:
    quoted = "; ".join(repr(sentence[:200]) for sentence in wrong[:3])
    return f"your facts do not say this: {quoted}. Say only what they hold, or that you do not know"
