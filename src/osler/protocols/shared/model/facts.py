"""Prompt text for a patient's facts and demographics."""

from __future__ import annotations

from typing import Final

from osler.knowledge.vocabulary import Told
from osler.protocols.shared.patient import PatientFact
from osler.text.hostile import block, neutral

OPEN: Final[frozenset[Told]] = frozenset({"volunteered", "asked"})


def fact_line(fact: PatientFact) -> str:
    """Render a fact for the patient's prompt, its id first."""
    own_words = f" {block('in_your_words', fact.spoken)}" if fact.spoken else ""
    return f"{neutral(fact.id)}: {block('fact', fact.text)}{own_words}"


def spoken_line(fact: PatientFact) -> str:
    """Render a fact of one person among several, its id first, in their own words if the case has them."""
    return (
        f"{neutral(fact.id)}: {block('in_your_words' if fact.spoken else 'fact', fact.spoken or fact.text)}"
    )


def who(age_years: float | None, sex: str | None) -> str:
    """Age and sex in words; empty if neither is known. Below two years the age is in months."""
    if age_years is None:
        return sex or ""
    age = f"{round(age_years * 12)} months old" if age_years < 2 else f"{age_years:g} years old"
    return f"{age}, {sex}" if sex else age
