"""Prompt text for a patient's facts and demographics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from osler.knowledge.vocabulary import Told
from osler.players.model.neutral_names import Names
from osler.protocols.shared.patient import PatientFact
from osler.text.hostile import one_line

OPEN: Final[frozenset[Told]] = frozenset({"volunteered", "asked"})


def fact_line(fact: PatientFact, names: Names) -> str:
    """Render a fact after its neutral name, in the speaker's own words if the case has them."""
    return f"{names.name(fact.id)} {one_line(fact.spoken or fact.text)}"


def fact_lines(facts: Iterable[PatientFact], names: Names) -> str:
    """Render facts as lines between tags."""
    return "\n".join(("<facts>", *(fact_line(fact, names) for fact in facts), "</facts>"))


def who(age_years: float | None, sex: str | None) -> str:
    """Age and sex in words; empty if neither is known. Below two years the age is in months."""
    if age_years is None:
        return sex or ""
    age = f"{round(age_years * 12)} months old" if age_years < 2 else f"{age_years:g} years old"
    return f"{age}, {sex}" if sex else age
