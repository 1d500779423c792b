"""The note on the door: all of it, or only who is waiting."""

from __future__ import annotations

from typing import Final, Literal

from osler.cases.model import Case, Sex

Shown = Literal["objective", "complaint"]
"""The beginning that a doctor is given besides the patient's first words: the source's whole note, or the
demographics alone, so that everything else has to be asked for."""
_YOUNG_YEARS: Final = 2
_YOUNG_DAYS: Final = 28
_CHILD_YEARS: Final = 18


def door_note(case: Case, opening: Shown) -> str:
    """The note on the door of a case, as a run's `opening` shows it."""
    return case.opening.door_note if opening == "objective" else person_words(case.age_years, case.sex)


def person_words(years: float | None, sex: Sex | None) -> str:
    """The waiting patient in words, for the door note: "52-year-old woman", "7-month-old boy"."""
    if years is None:
        return f"A {sex} patient is waiting." if sex else "A patient is waiting to be seen."
    days = round(years * 365.25)
    age = f"{int(years)}-year-old" if years >= _YOUNG_YEARS else f"{round(years * 12)}-month-old"
    age = f"{days}-day-old" if days < _YOUNG_DAYS else age
    child = years < _CHILD_YEARS
    noun = {"female": "girl" if child else "woman", "male": "boy" if child else "man", None: "patient"}[sex]
    return f"{age} {noun}."
