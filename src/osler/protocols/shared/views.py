"""The view of the patient's seat, built from a case; see `osler.protocols.consultation.views`."""

from __future__ import annotations

from functools import cache

from osler.cases.expected_findings import unwritten
from osler.cases.identity import identity_of
from osler.cases.model import Case, once_a_case
from osler.knowledge.findings import finding, findings
from osler.knowledge.formulary import formulary
from osler.knowledge.vocabulary import Persona, Unknown
from osler.protocols.shared.patient import PatientFact, PatientView
from osler.text.findings_in_text import mentions

_ASKS_THE_CASE: tuple[Unknown, ...] = ("standard", "synthesize")
"""Policies under which a symptom may be denied only where the case was not obliged to mention it."""

_OF_EVERYBODY = frozenset({"Vital signs", "Temperature", "Pulse", "General examination"})
"""Examinations that are made of everybody, so that one without a sign tells nothing."""


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
        noticed=tuple(sorted(_affirmed(case, examined=True))),
        identity=identity_of(case),
    )


def _unsure_of(case: Case) -> tuple[str, ...]:
    left_out = [finding.id for finding in unwritten(case) if finding.order is None]
    hinted = _affirmed(case, examined=False) | _might_be_seen(case)
    return tuple(dict.fromkeys((*left_out, *sorted(hinted - _affirmed(case, examined=True)))))


def _might_be_seen(case: Case) -> set[str]:
    """The symptoms that an examination in the case could show, of which its result says nothing."""
    held = {held.id: formulary().find(held.name) for held in case.findings if held.kind == "examination"}
    examined = frozenset(entry.name for entry in held.values() if entry)
    said = {id for found in case.findings if found.id in held for id in mentions(found.result)}
    return {id for id, orders in _seen_by().items() if not orders.isdisjoint(examined)} - said


@cache
def _seen_by() -> dict[str, frozenset[str]]:
    """For each symptom, the examinations whose signs imply it."""
    found: dict[str, set[str]] = {}
    for sign in findings():
        entry = formulary().find(sign.order) if sign.kind == "sign" and sign.order else None
        for id in sign.implies if entry and entry.name not in _OF_EVERYBODY else ():
            if entry and finding(id).kind == "symptom":
                found.setdefault(id, set()).add(entry.name)
    return {id: frozenset(names) for id, names in found.items()}


def _affirmed(case: Case, *, examined: bool) -> set[str]:
    """The symptoms that the results of examinations, or of tests, affirm."""
    return {
        id
        for held in case.findings
        if (held.kind == "examination") == examined
        for id, present in mentions(held.result).items()
        if present and finding(id).kind == "symptom"
    }
