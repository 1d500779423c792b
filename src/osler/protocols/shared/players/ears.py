"""Wider ears for the built-in patient: a model hears which fact was asked for, the built-in voice tells it.

`--patient baseline+ears:model:NAME`. Whether the words ask for anything is decided without the model, and so
are gates, risk and consent; the model only chooses among facts that may be told, and none of them. It says
nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from osler.core.composite import AnyPlayer, Inner
from osler.core.deliberation import Choice, choice_of
from osler.core.role import Wrapper
from osler.errors import BadInput
from osler.players.wrappers.asking import asked, fingerprint_of, thinker_of
from osler.protocols.shared.patient import PatientFact, PatientReply, PatientTurn
from osler.protocols.shared.players.patient import (
    BaselinePatient,
    answer_of_kind,
    likeliest_facts,
    telling_of,
)

NOTHING: Final = "(none of these: that was not asked, or I do not know)"
_OFFERED: Final = 8
"""The most facts that the model chooses among, the likeliest by the built-in reader first."""


class Ears:
    """A built-in patient whose questions a model hears as well (`+ears:model:NAME`)."""

    def __init__(self, patient: AnyPlayer, members: Sequence[AnyPlayer]) -> None:
        self._patient, self._model = patient, thinker_of(members[0])
        self.name = f"{patient.name}+ears:{self._model.name}"
        self.durable = True

    @property
    def fingerprint(self) -> str:
        """See `fingerprint_of`."""
        return fingerprint_of(self._model, "listen", "ears")

    async def compose(self, request: PatientTurn, inner: Inner, /) -> PatientReply:
        """The built-in answer; where it is in doubt about a question, the fact that the model hears."""
        kind, reply = answer_of_kind(request)
        if kind not in _IN_DOUBT:
            return reply
        facts = likeliest_facts(request, _OFFERED)
        if not facts:
            return reply
        fact = await self._heard(request, facts, inner)
        return reply if fact is None else telling_of(fact, request)

    async def _heard(
        self, request: PatientTurn, facts: Sequence[PatientFact], inner: Inner
    ) -> PatientFact | None:
        texts = [*(fact.spoken or fact.text for fact in facts), NOTHING]
        question = asked(self._model, request, "patient", "listen", texts, choice_of(len(texts)))
        (choice,) = await inner.ask_all([question])
        chosen = choice.chosen - 1 if isinstance(choice, Choice) else len(facts)
        return facts[chosen] if chosen < len(facts) else None


_IN_DOUBT: Final = frozenset({"not_understood", "dont_know", "denial"})


def _ears(patient: AnyPlayer, members: Sequence[AnyPlayer]) -> Ears:
    if not isinstance(patient, BaselinePatient) or len(members) != 1:
        raise _wrong()
    return Ears(patient, members)


def _none(patient: AnyPlayer, number: int) -> AnyPlayer:
    raise _wrong()


def _wrong() -> BadInput:
    return BadInput(
        "+ears takes one model, for the built-in patient",
        where="--patient",
        hint="write baseline+ears:model:NAME",
    )


EARS: Final = Wrapper("+ears", _none, team=_ears, unweighed="the model's call at each question in doubt")
