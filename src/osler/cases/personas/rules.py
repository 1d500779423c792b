"""Named consistency rules for personas: the builder satisfies them, the audit checks any library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from osler.cases.personas.patient_rules import PATIENT_RULES
from osler.cases.personas.people import PatientPersona, Persona
from osler.cases.personas.rule import Breach, Rule
from osler.cases.personas.student_rules import STUDENT_RULES

P = TypeVar("P", bound=Persona)


def breaches(persona: Persona) -> Iterator[Breach]:
    """Every rule that a persona violates."""
    if isinstance(persona, PatientPersona):
        yield from _broken(persona, PATIENT_RULES)
    else:
        yield from _broken(persona, STUDENT_RULES)


def _broken(persona: P, rules: Sequence[Rule[P]]) -> Iterator[Breach]:
    for rule in rules:
        if what := rule.broken(persona):
            yield Breach(persona.id, rule.name, what)
