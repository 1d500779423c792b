"""A panel of consultants of several specialties, asked concurrently, whose advice is merged into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner, InnerQuestion
from osler.core.contract import NoUsableReply, Request
from osler.knowledge.conditions import diagnosis_key
from osler.protocols.consultation.seats import CONSULTANT, Advice, ConsultantView, SpecialistView

_MOST_WORDS: Final = 4000


class Panel:
    """One consultant for each of `specialties`, named in its view. Each sees what a single consultant would
    see, and none sees the others' advice."""

    def __init__(self, consultant: AnyPlayer, specialties: Sequence[str]) -> None:
        self._consultant, self._specialties = consultant, tuple(specialties)
        self.name, self.durable = f"{consultant.name} of {', '.join(specialties)}", consultant.durable

    @property
    def fingerprint(self) -> str:
        """The consultant's own fingerprint; the specialties are part of the name."""
        return str(getattr(self._consultant, "fingerprint", ""))

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel:
        """Merge all consultants' advice. Raises NoUsableReply if none gave any."""
        specialties = [
            InnerQuestion(
                self._consultant, request._replace(view=_view(request.view, each)), CONSULTANT.reply
            )
            for each in self._specialties
        ]
        said = zip(self._specialties, await inner.ask_all(specialties), strict=True)
        advices = {specialty: advice for specialty, advice in said if isinstance(advice, Advice)}
        if not advices:
            raise NoUsableReply("no consultant gave advice", again=False)
        return together(advices)


def together(advices: dict[str, Advice]) -> Advice:
    """Merge advice by specialty: all notes; the first question asked; a recommendation to conclude if all
    recommend it; the diagnosis suggested most often, ties going to the first."""
    share = _MOST_WORDS // len(advices)
    notes = [f"{specialty.capitalize()}: {advice.note}"[: share - 1] for specialty, advice in advices.items()]
    questions = [advice.next_question for advice in advices.values() if advice.next_question]
    suggested = [advice.diagnosis_suggestion for advice in advices.values() if advice.diagnosis_suggestion]
    keys = [diagnosis_key(name) for name in suggested]
    return Advice(
        note="\n".join(notes),
        next_question=questions[0] if questions else None,
        recommend_finalize=all(advice.recommend_finalize for advice in advices.values()),
        diagnosis_suggestion=suggested[keys.index(max(keys, key=keys.count))] if keys else None,
    )


def _view(view: ConsultantView, specialty: str) -> SpecialistView:
    given = {name: getattr(view, name) for name in ConsultantView.model_fields}
    return SpecialistView(**given, specialty=specialty)
