"""What a patient can tell of a FHIR resource: history, allergies, medicines, procedures, family.

A statement says no more than the resource does: what is over is told as over, an absence as an absence, and
what is not so, not known or not understood is not told, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final, NamedTuple

from osler.cases.importers.fhir_absences import Wording, wording_of
from osler.cases.importers.fhir_diagnosis import DiagnosisChoice, is_social
from osler.cases.importers.fhir_record import Record, Resource, without_kind
from osler.cases.importers.fhir_statuses import Verdict, state_of, verdict_of
from osler.cases.importers.fhir_values import codes, concept, listed, quantity
from osler.knowledge.vocabulary import Topic
from osler.text.topics import topic_of_statement

_ALLERGY: Final = re.compile(
    r"^(?:allergy|allergic(?: reaction)?|hypersensitivity|intolerance) (?:to|caused by) ", re.IGNORECASE
)
# How long after the visit a result that its encounter ordered may come: a culture takes so long.
TURNAROUND: Final = timedelta(days=14)
# An order of the visit may bear the date of the day before, and a date may be of any time zone.
_ORDER_SLACK: Final = timedelta(hours=48)
_ZONES: Final = timedelta(hours=14)
_BY_ACCOUNT: Final = ("MedicationStatement", "MedicationUsage")
_DRUG_VERBS: Final = {
    "MedicationRequest": ("Takes", "Took"),
    "MedicationStatement": ("Takes", "Took"),
    "MedicationUsage": ("Takes", "Took"),
    "MedicationAdministration": ("Was given", "Was given"),
    "MedicationDispense": ("Was dispensed", "Was dispensed"),
}


class Statement(NamedTuple):
    """A statement of the patient: its words and topic, and whether it denies something.

    `denies` is the type of resource whose whole kind it denies, such as all allergies; else it is empty.
    """

    text: str
    topic: Topic
    absent: bool = False
    denies: str = ""


class Unsaid(NamedTuple):
    """The reason why a resource is untold; `is_doubtful` if it may be true and the report has to name it."""

    why: str
    is_doubtful: bool = False


class _Context(NamedTuple):
    record: Record
    chosen: DiagnosisChoice
    verdict: Verdict


def statement_of(resource: Resource, record: Record, choice: DiagnosisChoice) -> Statement | Unsaid:
    """The patient's statement about a resource other than an observation, or why there is none."""
    speak = _SPEAKERS.get(resource.kind)
    verdict = record.verdict(resource)
    if not verdict.is_told and (speak or resource.kind == "Encounter"):
        return Unsaid(verdict.why, is_doubtful=verdict.asserts == "flagged")
    if speak is None:
        return Unsaid(
            "" if resource.kind in ("Encounter", "Medication") else "this type of resource is not told"
        )
    if record.is_refuted_elsewhere(resource):
        return Unsaid("another resource refutes it", is_doubtful=True)
    if is_later(resource, record, choice):
        return Unsaid("it is later than the visit")
    return speak(resource, _Context(record, choice, verdict))


def is_later(resource: Resource, record: Record, choice: DiagnosisChoice) -> bool:
    """Whether a resource began after the visit, or long after if it is of the visit's encounter."""
    when, visit = record.when_of(resource), choice.visit
    if visit is None or when is None or not when.is_after(visit):
        return False
    return not belongs(resource, record, choice) or when.first > visit.last + TURNAROUND


def belongs(resource: Resource, record: Record, choice: DiagnosisChoice) -> bool:
    """Whether a resource refers to the visit's encounter, itself or through the request it is based on."""
    encounter = record.encounter_of(resource)
    return choice.encounter is not None and encounter is not None and encounter.path == choice.encounter.path


def _is_new(resource: Resource, context: _Context) -> bool:
    """Whether something was done or prescribed at the visit or after, or may have been."""
    when, visit = context.record.when_of(resource), context.chosen.visit
    if resource.kind in _BY_ACCOUNT and not any(key.startswith("effective") for key in resource.data):
        return False  # it is dated by when the patient said so
    is_of_visit = belongs(resource, context.record, context.chosen)
    if when is None or visit is None:
        return is_of_visit
    slack = _ORDER_SLACK if is_of_visit else _ZONES if when.is_dated_only else timedelta(0)
    return not when.is_before(visit) or when.last + slack > visit.first


def _dated(resource: Resource, context: _Context) -> str:
    """The date in brackets; the day of birth, which nobody may see, in words."""
    if not resource.day:
        return ""
    return " (at birth)" if resource.day == context.record.born else f" ({resource.day})"


def _condition(resource: Resource, context: _Context) -> Statement | Unsaid:
    wording = wording_of("Condition", resource.data.get("code"))
    name = without_kind(concept(resource.data.get("code")))
    if unsaid := _unsaid(wording, name):
        return unsaid
    if wording.presence == "absent":
        return _denial(wording, "past_medical", "Condition")
    encounter = context.chosen.encounter
    is_illness = resource.is_disorder and not is_social(resource)
    at_visit = encounter is not None and context.record.seen_at(resource, encounter)
    if at_visit and not is_illness and not is_social(resource):
        return Unsaid("it is of the visit itself")
    heading: Topic = "past_medical" if is_illness else "home"
    recorded = _dated(resource, context).strip(" ()")
    if recorded:
        recorded = recorded if recorded == "at birth" else f"recorded {recorded}"
    details = ", ".join(filter(None, (state_of(resource.data), recorded)))
    topic = heading if heading == "past_medical" else topic_of_statement(name, heading)
    return Statement(f"{name} ({details})" if details else name, topic)


def _allergy(resource: Resource, context: _Context) -> Statement | Unsaid:
    wording = wording_of("AllergyIntolerance", resource.data.get("code"))
    reactions = [
        text
        for part in listed(resource.data.get("reaction"))
        for one in listed(part.get("manifestation"))
        if (text := concept(one))
    ]
    name = without_kind(concept(resource.data.get("code"))) or _substance(resource)
    if unsaid := _unsaid(wording, name):
        return unsaid
    if wording.presence == "absent":
        return _denial(wording, "allergies", "AllergyIntolerance")
    name = _ALLERGY.sub("", name)
    is_intolerance = "intolerance" in codes(resource.data.get("type"))
    if context.verdict.asserts == "past":
        former = "Former intolerance" if is_intolerance else "Former allergy"
        return Statement(f"{former}, {state_of(resource.data) or 'resolved'}: {name}", "allergies")
    begins = "Intolerant of" if is_intolerance else "Allergic to"
    return Statement(f"{begins} {name}" + (f": {', '.join(reactions)}" if reactions else ""), "allergies")


def _substance(resource: Resource) -> str:
    """The substance of the first reaction, where the allergy itself has no name."""
    concepts = (concept(part.get("substance")) for part in listed(resource.data.get("reaction")))
    return without_kind(next(filter(None, concepts), ""))


def _medicine(resource: Resource, context: _Context) -> Statement | Unsaid:
    code: object = resource.data.get("medicationCodeableConcept")
    if not concept(code) and (
        held := context.record.resolve(resource.data.get("medicationReference"), resource.data)
    ):
        verdict = context.record.verdict(held) if held.path else verdict_of(held.kind, held.data)
        if not verdict.is_told:
            return Unsaid(f"its Medication: {verdict.why}", is_doubtful=verdict.asserts == "flagged")
        code = held.data.get("code")
    if not concept(code):
        code = resource.data.get("medicationReference")  # by its display
    wording = wording_of(resource.kind, code)
    if unsaid := _unsaid(wording, concept(code)):
        return unsaid
    if wording.presence == "absent":
        return _denial(wording, "medications", "medicines")
    if _is_new(resource, context):
        return Unsaid("it was prescribed or given at the visit, or may have been")
    now, before = _DRUG_VERBS[resource.kind]
    verb = before if context.verdict.asserts == "past" else now
    return Statement(f"{verb} {concept(code)}{_dated(resource, context)}", "medications")


def _immunization(resource: Resource, context: _Context) -> Statement | Unsaid:
    wording = wording_of("Immunization", resource.data.get("vaccineCode"))
    vaccine = concept(resource.data.get("vaccineCode"))
    if unsaid := _unsaid(wording, vaccine):
        return unsaid
    if wording.presence == "absent":
        return _denial(wording, "immunization", "Immunization")
    return Statement(f"Vaccinated: {vaccine}{_dated(resource, context)}", "immunization")


def _procedure(resource: Resource, context: _Context) -> Statement | Unsaid:
    wording = wording_of("Procedure", resource.data.get("code"))
    name = without_kind(concept(resource.data.get("code")))
    if unsaid := _unsaid(wording, name):
        return unsaid
    if wording.presence == "absent":
        return _denial(wording, "past_surgical", "Procedure")
    if _is_new(resource, context):
        return Unsaid("it was done at the visit, or may have been")
    return Statement(f"Underwent: {name}{_dated(resource, context)}", "past_surgical")


def _family(resource: Resource, context: _Context) -> Statement | Unsaid:
    relative = concept(resource.data.get("relationship")) or "A relative"
    illnesses: list[str] = []
    denied: list[str] = []
    for one in listed(resource.data.get("condition")):
        wording = wording_of("FamilyMemberHistory", one.get("code"))
        name = without_kind(concept(one.get("code")))
        onset = quantity(one.get("onsetAge")) or quantity(one.get("onsetQuantity"))
        if wording.presence == "stated" and name:
            illnesses.append(f"{name} (at {onset})" if onset else name)
        elif wording.presence == "absent":
            denied.append(wording.words)
    if illnesses:
        return Statement(f"{relative}: {', '.join(illnesses)}", "family")
    if denied:
        return Statement(f"{relative}: {', '.join(denied)}", "family", absent=True)
    return Unsaid("it names no illness that the relative has")


def _unsaid(wording: Wording, name: str) -> Unsaid | None:
    if wording.presence == "unknown":
        return Unsaid("it says that nothing is known")
    if wording.presence == "suspected":
        return Unsaid("its name says that it is only suspected", is_doubtful=True)
    if wording.presence == "stated" and not name:
        return Unsaid("it has no name in words")
    return None


def _denial(wording: Wording, topic: Topic, kind: str) -> Statement:
    return Statement(wording.words, topic, absent=True, denies=kind if wording.is_general else "")


_SPEAKERS: Final[Mapping[str, Callable[[Resource, _Context], Statement | Unsaid]]] = {
    "Condition": _condition,
    "AllergyIntolerance": _allergy,
    **dict.fromkeys(_DRUG_VERBS, _medicine),
    "Immunization": _immunization,
    "Procedure": _procedure,
    "FamilyMemberHistory": _family,
}
