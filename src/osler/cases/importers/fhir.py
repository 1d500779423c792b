"""Importer of FHIR R4 bundles (one patient each, as Synthea writes them).

The diagnosis is the condition seen at the last encounter that has one; without such an encounter, the latest
active condition. What was known before is history; of repeated observations, prescriptions and procedures up
to then, the last is kept. Anything prescribed, done or found after is withheld. Each resource has one holder.
Names, numbers, addresses and the birth date are removed (de-identification), and the case says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from osler.cases.door_note import person_words
from osler.cases.importers.build_case import Said, facts_of, first_words, leaks_seen, valid_case
from osler.cases.importers.demographics import OLDEST, PARENT_SPEAKS_UNDER_YEARS
from osler.cases.importers.fhir_observations import findings_and_habits
from osler.cases.importers.fhir_record import ADMINISTRATIVE, Record, Resource, without_kind
from osler.cases.importers.fhir_values import (
    age_between,
    codes,
    concept,
    concept_names,
    day,
    listed,
    mapping,
    quantity,
    words_within,
)
from osler.cases.importers.json_paths import words_of
from osler.cases.importers.leaks import plain
from osler.cases.importers.reading import each_record
from osler.cases.importers.report import Rejected
from osler.cases.model import Case, Diagnosis, Fact, Finding, Opening, Provenance, Sex, Task, Withheld
from osler.errors import BadCase
from osler.knowledge.vocabulary import Topic
from osler.text.topics import topic_of_statement

NAME: Final = "fhir"
LOOKS_LIKE: Final = re.compile(rb'"resourceType"\s*:\s*"Bundle"')
QUESTION: Final = "What is the most likely diagnosis?"
# Synthea writes tens of megabytes for a long life; a whole bundle is held in memory.
MAX_BUNDLE_BYTES: Final = 64_000_000
LEFT_OUT: Final = "left out: it says who the patient is"
_LONGEST: Final = 2000
_DATED: Final = re.compile(r" \(\d{4}[-\d]{0,6}\)$")
_SEXES: Final[dict[str, Sex]] = {"male": "male", "female": "female"}
_UNSURE: Final = frozenset(("refuted", "entered-in-error"))
_OVER: Final = frozenset(("inactive", "resolved", "remission"))
_STOPPED: Final = frozenset(("stopped", "completed", "cancelled", "ended", "not-taken"))
_VOID: Final = frozenset(("entered-in-error", "cancelled", "not-done", "draft", "proposed"))


class Chosen(NamedTuple):
    """The condition chosen as the diagnosis, its encounter, and the day; empty where unknown."""

    condition: Resource
    encounter: Resource | None
    when: str


class Holders:
    """The resources sorted by holder; `hidden` keeps the path and the words of those that no seat gets."""

    def __init__(self, answer: tuple[str, ...], private: frozenset[str]) -> None:
        self.complaint: list[tuple[str, str]] = []
        self._told: dict[str, tuple[Said, Resource]] = {}
        self.hidden: list[Withheld] = []
        self._names = tuple(f" {plain(name)} " for name in answer if plain(name))
        said = "|".join(re.escape(word) for word in sorted(private))
        self._private = re.compile(rf"(?<!\w)(?:{said})(?!\w)", re.IGNORECASE) if said else None

    @property
    def told(self) -> list[Said]:
        """The patient's statements, in order."""
        return [said for said, _ in self._told.values()]

    def names_the_answer(self, text: str) -> bool:
        told = f" {plain(text)} "
        return any(name in told for name in self._names)

    def is_private(self, text: str) -> bool:
        return self._private is not None and self._private.search(text) is not None

    def tell(self, text: str, topic: Topic, resource: Resource, *, absent: bool = False) -> None:
        """Add a statement unless it is private or names the answer; keep only the last of repeated ones."""
        if self.is_private(text) or self.names_the_answer(text):
            self.hide(resource, _summary(resource))
            return
        undated = _DATED.sub("", text)
        said = (Said(f"{text}.", topic, resource.path, absent), resource)
        before = self._told.get(undated, said)
        older, self._told[undated] = sorted((before, said), key=lambda one: one[1].day)
        if before is not said:
            self.hide(older[1], _summary(older[1]))

    def hide(self, resource: Resource, text: str) -> None:
        self.hidden.append(
            Withheld(text=LEFT_OUT if self.is_private(text) else text[:_LONGEST], source=resource.path)
        )


def read(path: Path, prefix: str) -> Iterator[Case | Rejected]:
    """Read each bundle of a file as a case, or reject it with a reason."""
    return each_record(
        path,
        lambda record: import_bundle(record.value, record.number, path.name, prefix),
        MAX_BUNDLE_BYTES,
    )


def import_bundle(bundle: Mapping[str, object], number: int, origin: str, prefix: str = NAME) -> Case:
    """One bundle as a case with the id `<prefix>-<number>`. Raises BadCase, saying why, if it is not one."""
    record = Record.of(bundle)
    patient = record.patient
    chosen = _chosen(record)
    names = concept_names(chosen.condition.data.get("code"))
    answer = without_kind(names[0])
    synonyms = tuple(
        dict.fromkeys(name for full in names for name in (without_kind(full), full) if name != answer)
    )
    holders = Holders((answer, *synonyms), record.private)
    _patient(patient, holders)
    holders.hide(chosen.condition, _summary(chosen.condition))
    findings, habits, unused = findings_and_habits(record, chosen.encounter, chosen.when, holders.is_private)
    for said, resource in habits:
        holders.tell(said, _habit(said), resource)
    for resource in unused:
        holders.hide(resource, _summary(resource))
    used = {patient.path, chosen.condition.path, *(one.source for one in findings)}
    used |= {resource.path for _, resource in habits} | {resource.path for resource in unused}
    for resource in record.resources:
        if resource.path not in used:
            _place(resource, record, chosen, holders)
    age = age_between(day(patient.data.get("birthDate")), chosen.when)
    age = age if age is not None and age <= OLDEST else None
    sex = _SEXES.get(words_of(patient.data.get("gender")).lower())
    speaker = "parent" if age is not None and age < PARENT_SPEAKS_UNDER_YEARS else "patient"
    opening = Opening(
        door_note=person_words(age, sex),
        words=first_words("; ".join(_small(text) for text, _ in holders.complaint), speaker),
        sources=(*([f"{patient.path}.gender"] if sex else []), *(path for _, path in holders.complaint)),
    )
    facts = facts_of(holders.told, speaker)
    _hide_unread(record, opening, facts, findings, holders)
    notes = [
        *(["note: the source gives no age"] if age is None else []),
        *(["note: the source gives no sex"] if sex is None else []),
        *(["note: no primary symptom"] if not holders.complaint else []),
        *(["note: no examination or test findings"] if not findings else []),
        f"note: {len(holders.hidden)} resources and identifying fields are withheld",
    ]
    return valid_case(
        id=f"{prefix}-{number:04d}",
        task=Task(kind="diagnosis", question=QUESTION, answer=answer, accepts=synonyms),
        age_years=age,
        sex=sex,
        speaker=speaker,
        opening=opening,
        facts=facts,
        findings=findings,
        diagnosis=Diagnosis(name=answer, synonyms=synonyms),
        withheld=tuple(holders.hidden),
        provenance=Provenance(
            origin=origin, record=str(number), flags=(*leaks_seen(answer, opening, facts, findings), *notes)
        ),
    )


def _chosen(record: Record) -> Chosen:
    """Choose the diagnosis: a disorder before a finding or a situation, an active one before a past one."""
    conditions = [
        found
        for found in record.of_type("Condition")
        if concept_names(found.data.get("code")) and not codes(found.data.get("verificationStatus")) & _UNSURE
    ]
    if not conditions:
        raise BadCase("it has no Condition that says what it is")
    usable = {found.path for found in conditions}
    encounters = sorted(record.of_type("Encounter"), key=lambda found: found.day)
    for encounter in reversed(encounters):
        here = record.conditions_at.get(encounter.path, ())
        seen = [found for found in here if found.path in usable and found.is_disorder]
        if seen:
            found = max(seen, key=lambda one: (_active(one), one.day))
            return Chosen(found, encounter, encounter.day or found.day)
    found = max(conditions, key=lambda one: (one.is_disorder, _active(one), one.day))
    encounter_of = record.resolve(found.data.get("encounter"))
    when = found.day or max((one.day for one in record.resources), default="")
    return Chosen(found, encounter_of, encounter_of.day or when if encounter_of else when)


def _active(condition: Resource) -> bool:
    return not codes(condition.data.get("clinicalStatus")) & _OVER and not condition.data.get(
        "abatementDateTime"
    )


def _patient(patient: Resource, holders: Holders) -> None:
    """Sort the patient's own fields: all but sex and marital status are left out, the age is kept."""
    married = concept(patient.data.get("maritalStatus"))
    for key, value in patient.data.items():
        field = patient._replace(path=f"{patient.path}.{key}")
        if key == "maritalStatus" and married and len(married) > 1:
            holders.tell(f"Marital status: {married}", "home", field)
        elif key == "gender" and words_of(value).lower() in _SEXES:
            continue
        elif key in ("resourceType", "gender", "maritalStatus"):
            holders.hide(field, "; ".join((key, *words_within({key: value}), words_of(value))))
        else:
            holders.hidden.append(Withheld(text=LEFT_OUT, source=field.path))


def _place(resource: Resource, record: Record, chosen: Chosen, holders: Holders) -> None:
    """Give a resource other than an observation to its one holder."""
    if resource.kind in ADMINISTRATIVE:
        holders.hidden.append(
            Withheld(text=f"{resource.kind}: left out, it is administrative", source=resource.path)
        )
        return
    told = _told(resource, record, chosen)
    later = chosen.when and resource.day > chosen.when
    if told is None or later or codes(resource.data.get("status")) & _VOID:
        reason = _reason(resource, chosen, holders)
        if reason:
            holders.complaint.append((reason, resource.path))
        else:
            holders.hide(resource, _summary(resource))
        return
    text, topic, absent = told
    holders.tell(text, topic, resource, absent=absent)


def _reason(resource: Resource, chosen: Chosen, holders: Holders) -> str:
    """The reason for the visit: the encounter's, or a symptom recorded at it; never the answer."""
    if chosen.encounter is None:
        return ""
    text = ""
    if resource.path == chosen.encounter.path:
        text = concept(resource.data.get("reasonCode"))
    elif resource.kind == "Condition" and not resource.is_disorder:
        text = concept(resource.data.get("code"))
    return "" if holders.names_the_answer(text) or holders.is_private(text) else without_kind(text)


def _told(resource: Resource, record: Record, chosen: Chosen) -> tuple[str, Topic, bool] | None:
    """The patient's statement about a resource, its topic, and whether it is a negative; else `None`."""
    data, when = resource.data, f" ({resource.day})" if resource.day else ""
    name = without_kind(concept(data.get("code")))
    new = bool(chosen.when) and resource.day >= chosen.when
    if resource.kind == "Condition":
        if not name or codes(data.get("verificationStatus")) & _UNSURE:
            return None
        same_visit = chosen.encounter is not None and record.seen_at(resource, chosen.encounter)
        if same_visit and not resource.is_disorder:
            return None
        heading: Topic = "past_medical" if resource.is_disorder else "home"
        state = "active" if _active(resource) else "resolved"
        recorded = f", recorded {resource.day}" if resource.day else ""
        return f"{name} ({state}{recorded})", _about(name, heading), False
    if resource.kind == "AllergyIntolerance":
        none = bool(re.match(r"no known\b", name, re.IGNORECASE))
        reactions = [
            concept(one) for part in listed(data.get("reaction")) for one in listed(part.get("manifestation"))
        ]
        told = f"Allergic to {re.sub(r'^allergy to ', '', name, flags=re.IGNORECASE)}" + (
            f": {', '.join(filter(None, reactions))}" if any(reactions) else ""
        )
        return (name if none else told, "allergies", none) if name else None
    if resource.kind in ("MedicationRequest", "MedicationStatement"):
        drug = concept(data.get("medicationCodeableConcept"))
        if not drug and (found := record.resolve(data.get("medicationReference"), data)):
            drug = concept(found.data.get("code"))
        past = bool(codes(data.get("status")) & _STOPPED)
        verb = "Took" if past else "Takes"
        return (f"{verb} {drug}{when}", "medications", False) if drug and not new else None
    if resource.kind == "Immunization":
        vaccine = concept(data.get("vaccineCode"))
        return (f"Vaccinated: {vaccine}{when}", "immunization", False) if vaccine else None
    if resource.kind == "Procedure":
        return (f"Underwent: {name}{when}", "past_surgical", False) if name and not new else None
    if resource.kind == "FamilyMemberHistory":
        relative = concept(data.get("relationship")) or "A relative"
        illnesses = [
            concept(one.get("code")) + (f" (at {onset})" if (onset := quantity(one.get("onsetAge"))) else "")
            for one in listed(data.get("condition"))
        ]
        return (
            (f"{relative}: {', '.join(filter(None, illnesses))}", "family", False) if any(illnesses) else None
        )
    return None


def _small(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _about(text: str, heading: Topic) -> Topic:
    return heading if heading == "past_medical" else topic_of_statement(text, heading)


def _habit(text: str) -> Topic:
    if re.search(r"tobacco|smok", text, re.IGNORECASE):
        return "tobacco"
    return topic_of_statement(text, "home")


def _hide_unread(
    record: Record, opening: Opening, facts: tuple[Fact, ...], findings: tuple[Finding, ...], holders: Holders
) -> None:
    """Withhold the words of a resource that did not make it into its holder's text."""
    told = dict.fromkeys(opening.sources, opening.words)
    told |= {fact.source or "": fact.text for fact in facts}
    told |= {found.source or "": " ".join((found.name, *found.aliases, found.result)) for found in findings}
    for resource in record.resources:
        if text := told.get(resource.path):
            heard = f" {plain(text)} "
            words = dict.fromkeys(words_within(resource.data))
            unread = [word for word in words if f" {plain(without_kind(word))} " not in heard]
            if unread:
                holders.hide(resource._replace(path=f"{resource.path}[unread]"), "; ".join(unread))


def _summary(resource: Resource) -> str:
    """The words of a resource that is withheld from every seat."""
    told = dict.fromkeys(words_within(mapping(resource.data)))
    return "; ".join((resource.kind, *told))
