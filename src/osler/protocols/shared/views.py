"""The view of the patient's seat, built from a case; see `osler.protocols.consultation.views`."""

from __future__ import annotations

from osler.cases.expected_findings import unwritten
from osler.cases.model import Case, once_a_case
from osler.knowledge.vocabulary import Persona, Unknown
from osler.protocols.shared.patient import PatientFact, PatientView

_ASKS_THE_CASE: tuple[Unknown, ...] = ("standard", "synthesize")
"""Policies under which a symptom may be denied only where the case was not obliged to mention it."""


@once_a_case
def patient_view(case: Case, *, persona: Persona, unknown: Unknown) -> PatientView:
    """The patient's view: every fact the speaker knows, leaving out those that are only in the record."""
    facts = tuple(
        PatientFact(
            id=fact.id,
            topic=fact.topic,
            text=fact.text,
            spoken=fact.spoken,
            told=fact.told,
            absent=fact.absent,
        )
        for fact in case.facts
        if fact.known_by != "record"
    )
    return PatientView(
        speaker=case.speaker,
        persona=persona,
        age_years=case.age_years,
        sex=case.sex,
        opening=case.opening.words,
        facts=facts,
        unknown=unknown,
        unsure_of=_unsure_of(case) if unknown in _ASKS_THE_CASE else (),
    )


def _unsure_of(case: Case) -> tuple[str, ...]:
    return tuple(finding.id for finding in unwritten(case) if finding.order is None)
