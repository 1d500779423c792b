"""Trivial baselines of the doctor, for validity checks: any sensible player must beat their score."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

import numpy as np

from osler.knowledge.conditions import Knowledge, knowledge
from osler.seats.consultation_events import WorkingDiagnosis
from osler.seats.doctor import Ask, DoctorTurn, DoctorView, Finalize


class NullDoctor:
    """The null doctor: never orders or concludes, and says "Hm." every turn, including the last chance."""

    name: Final = "null"
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> Ask:
        """Say the same words, whatever is asked."""
        return Ask(question="Hm.")


class AlwaysConclude:
    """A doctor that concludes at once with the commonest condition for the age and sex; with options, it
    takes the first key."""

    name: Final = "always-conclude"
    durable: Final = False

    def __init__(self, knowing: Knowledge | None = None) -> None:
        self._knowing = knowing

    async def reply(self, request: DoctorTurn) -> Finalize:
        """Conclude from age and sex alone."""
        return commonest(request.view, self._knowing)


def commonest(view: DoctorView, knowing: Knowledge | None = None) -> Finalize:
    """Conclude from age and sex alone, with the commonest condition; with options, the first key."""
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
