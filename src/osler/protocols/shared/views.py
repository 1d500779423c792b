"""The view of the patient's seat, built from a case; see `osler.protocols.consultation.views`."""

from __future__ import annotations

from functools import cache

from osler.cases.expected_findings import unwritten
from osler.cases.identity import identity_of
from osler.cases.model import CARD, Case, Fact, once_a_case
from osler.knowledge.findings import finding, findings
from osler.knowledge.formulary import formulary
from osler.knowledge.vocabulary import TOPICS, Persona, Topic, Unknown
from osler.protocols.shared.patient import PatientFact, PatientView
from osler.text.findings_in_text import mentions
from osler.text.records.speech_ability import knows

_ASKS_THE_CASE: tuple[Unknown, ...] = ("standard", "synthesize")
"""Policies under which a symptom may be denied only where the case was not obliged to mention it."""

_OF_EVERYBODY = frozenset({"Vital signs", "Temperature", "Pulse", "General examination"})
"""Examinations that are made of everybody, so that one without a sign tells nothing."""


@once_a_case
def patient_view(
    case: Case,
    *,
    persona: Persona,
    unknown: Unknown,
    note_shown: bool = True,
    tells_all: bool = False,
) -> PatientView:
    """The patient's view: every fact the speaker knows, leaving out those that are only in the record.

    Of a symptom that stands in the door note alone the speaker is unsure where the note is not shown.
    """
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
        unsure_of=_unsure_of(case, note_shown) if unknown in _ASKS_THE_CASE else (),
        noticed=tuple(sorted(_affirmed(case, examined=True))),
        unsure_topics=_unsure_topics(case) if unknown in _ASKS_THE_CASE else (),
        identity=identity_of(case),
        tells_all=tells_all,
    )


def _unsure_of(case: Case, note_shown: bool) -> tuple[str, ...]:
    left_out = [finding.id for finding in unwritten(case) if finding.order is None]
    hinted = _affirmed(case, examined=False) | _might_be_seen(case) | _recorded(case, note_shown)
    hinted |= _felt_by_another(case)
    return tuple(dict.fromkeys((*left_out, *sorted(hinted - _affirmed(case, examined=True)))))


def _recorded(case: Case, note_shown: bool) -> set[str]:
    """The symptoms of which the notes alone say that they are there."""
    unseen = [] if note_shown else [case.opening.door_note]
    unseen += [held.text for held in case.withheld if held.source.endswith(CARD)]
    notes = " . ".join((*unseen, *(fact.text for fact in _notes(case))))
    own = " . ".join(f"{fact.text} {fact.spoken or ''}" for fact in case.facts if fact.known_by != "record")
    told = mentions(f"{case.opening.words} . {own}")
    return {id for id, present in mentions(notes).items() if present and finding(id).kind == "symptom"} - {
        *told
    }


def _felt_by_another(case: Case) -> set[str]:
    """The symptoms that nobody but the patient can deny, where a companion speaks in an imported case; a
    library's companion was written to know what they deny."""
    if not _is_companion(case):
        return set()
    told = mentions(
        " . ".join(f"{fact.text} {fact.spoken or ''}" for fact in case.facts if fact.known_by != "record")
    )
    felt = {
        one.id for one in findings() if one.kind == "symptom" and not knows(case.speaker, "systems", one.name)
    }
    return felt - {*told}


def _is_companion(case: Case) -> bool:
    return case.speaker not in ("patient", "parent") and any(fact.source for fact in case.facts)


def _unsure_topics(case: Case) -> tuple[Topic, ...]:
    """The subjects of which the notes say that something is so, and the speaker nothing; and those of which a
    companion knows nothing."""
    own = {fact.topic for fact in case.facts if fact.known_by != "record"}
    noted = [fact.topic for fact in _notes(case)]
    noted += [topic for topic in TOPICS if _is_companion(case) and not knows(case.speaker, topic, "")]
    return tuple(dict.fromkeys(topic for topic in noted if topic not in own))


def _notes(case: Case) -> list[Fact]:
    """Return what only the notes say of a patient; a library's patient was written to know what they
    deny."""
    return [fact for fact in case.facts if fact.known_by == "record" and fact.source and not fact.absent]


def _might_be_seen(case: Case) -> set[str]:
    """The symptoms that an examination in the case could show, of which its result says nothing."""
    held = {held.id: formulary().find(held.name) for held in case.findings if held.kind == "examination"}
    examined = frozenset(entry.name for entry in held.values() if entry)
    ids = {id for found in case.findings if found.id in held for id in mentions(found.result)}
    return {id for id, orders in _seen_by().items() if not orders.isdisjoint(examined)} - ids


@cache
def _seen_by() -> dict[str, frozenset[str]]:
    """For each symptom, the examinations whose signs imply it."""
    result: dict[str, set[str]] = {}
    for sign in findings():
        entry = formulary().find(sign.order) if sign.kind == "sign" and sign.order else None
        for id in sign.implies if entry and entry.name not in _OF_EVERYBODY else ():
            if entry and finding(id).kind == "symptom":
                result.setdefault(id, set()).add(entry.name)
    return {id: frozenset(names) for id, names in result.items()}


def _affirmed(case: Case, *, examined: bool) -> set[str]:
    """The symptoms that the results of examinations, or of tests, affirm."""
    return {
        id
        for held in case.findings
        if (held.kind == "examination") == examined
        for id, present in mentions(held.result).items()
        if present and finding(id).kind == "symptom"
    }
