"""The library of 300 patients and 300 students that ships with Osler.

It is not stored: the builder generates it from seed 1 on first use, in well under a second, so that it has a
single source; a test pins its bytes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from osler.cases.personas.patients import build_patients
from osler.cases.personas.people import PatientPersona, StudentPersona
from osler.cases.personas.students import build_students

SEED: Final = 1
PATIENTS: Final = 300
STUDENTS: Final = 300


@lru_cache(maxsize=1)
def patients() -> tuple[PatientPersona, ...]:
    """The library's patients, `patient-001` to `patient-300`."""
    return build_patients(PATIENTS, SEED)


@lru_cache(maxsize=1)
def students() -> tuple[StudentPersona, ...]:
    """The library's students, by first name."""
    return build_students(STUDENTS, SEED)


def patient(persona_id: str) -> PatientPersona | None:
    """The library's patient with this id, if there is one."""
    return next((each for each in patients() if each.persona_id == persona_id), None)
