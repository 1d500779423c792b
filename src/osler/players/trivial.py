"""Trivial doctors for validity checks: what they score is the floor that any sense must beat."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

import numpy as np

from osler.knowledge.conditions import Knowledge, knowledge
from osler.seats.consultation_events import WorkingDiagnosis
from osler.seats.doctor import Ask, DoctorTurn, DoctorView, Finalize


class NullDoctor:
    """Never orders and never concludes: says "Hm." every turn, the last chance included."""

    name: Final = "null"
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> Ask:
        """The same words, whatever is asked."""
        return Ask(question="Hm.")


class AlwaysConclude:
    """Concludes at once with the commonest condition for the age and sex; of options, takes the first key."""

    name: Final = "always-conclude"
    durable: Final = False

    def __init__(self, knowing: Knowledge | None = None) -> None:
        self._knowing = knowing

    async def reply(self, request: DoctorTurn) -> Finalize:
        """A conclusion from age and sex alone."""
        return commonest(request.view, self._knowing)


def commonest(view: DoctorView, knowing: Knowledge | None = None) -> Finalize:
    """The conclusion of one who knows age and sex and no more; of options, the first key."""
    diagnosis = _commonest(knowing or knowledge(), view.age_years, view.sex)
    options = view.task.options
    return Finalize(
        diagnosis=diagnosis,
        answer=min(options) if options else None,
        working_diagnoses=(WorkingDiagnosis(name=diagnosis),),
    )


@lru_cache(maxsize=1024)
def _commonest(knowing: Knowledge, age_years: float | None, sex: Literal["female", "male"] | None) -> str:
    return knowing.conditions[int(np.argmax(knowing.prior(age_years, sex)))].name
