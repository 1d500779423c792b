"""Versions of FHIR: which one a bundle is written in, and the names that R4 has for what others call it.

DSTU2, STU3, R4 and R5 differ, in what is read here, by names of elements and by one level of nesting. A
resource of another version gets R4's names; what has none stays as it is, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from osler.cases.importers.fhir_values import Json, listed, mapping
from osler.cases.importers.json_paths import words_of
from osler.errors import BadCase

READ: Final = {"1.0": "DSTU2", "3.0": "STU3", "4.0": "R4", "4.3": "R4B", "5.0": "R5"}
_OLDER_OR_NEWER: Final = {"0": "DSTU1", "1.4": "a draft of STU3", "6": "R6"}
# A profile of the base specification names its version: `http://hl7.org/fhir/3.0/StructureDefinition/Patient`.
_VERSIONED: Final = re.compile(
    r"https?://hl7\.org/fhir/(\d+\.\d+)(?:\.\d+)?(?:/|$)|https?://hl7\.org/fhir/(DSTU2|STU3|R4B?|R5|R6)(?:/|$)"
)
_TYPES: Final = {
    "MedicationOrder": "MedicationRequest",
    "ProcedureRequest": "ServiceRequest",
    "DiagnosticOrder": "ServiceRequest",
}
# Type of resource ("" is any), name in R4, names in other versions.
_NAMES: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    ("", "encounter", ("context",)),
    ("", "subject", ("patient",)),
    ("Condition", "recordedDate", ("assertedDate", "dateRecorded", "dateAsserted")),
    ("AllergyIntolerance", "code", ("substance",)),
    ("AllergyIntolerance", "recordedDate", ("assertedDate",)),
    ("MedicationRequest", "authoredOn", ("dateWritten",)),
    ("MedicationAdministration", "effectiveDateTime", ("effectiveTimeDateTime", "occurenceDateTime")),
    ("MedicationAdministration", "effectivePeriod", ("effectiveTimePeriod", "occurencePeriod")),
    ("Immunization", "occurrenceDateTime", ("date",)),
    ("Procedure", "performedDateTime", ("occurrenceDateTime",)),
    ("Procedure", "performedPeriod", ("occurrencePeriod",)),
    ("Encounter", "period", ("actualPeriod",)),
    ("Encounter", "reasonCode", ("reason",)),
    ("Encounter", "reasonReference", ("indication",)),
)  # fmt: skip
# What only one version has: a type of resource, or an element of a type.
_DSTU2: Final = frozenset(
    "MedicationOrder DiagnosticOrder Condition.patient Encounter.patient Immunization.wasNotGiven "
    "MedicationStatement.wasNotTaken Procedure.notPerformed AllergyIntolerance.substance "
    "MedicationOrder.dateWritten DiagnosticReport.codedDiagnosis Encounter.indication "
    "Observation.comments".split()
)
_STU3: Final = frozenset(
    "ProcedureRequest Condition.context Condition.assertedDate Observation.context Procedure.context "
    "MedicationRequest.context DiagnosticReport.context Immunization.notGiven Procedure.notDone "
    "MedicationStatement.taken AllergyIntolerance.assertedDate FamilyMemberHistory.notDone "
    "Observation.comment".split()
)
_R5: Final = frozenset(
    "MedicationUsage Encounter.actualPeriod MedicationStatement.adherence MedicationRequest.medication "
    "MedicationStatement.medication MedicationAdministration.medication MedicationDispense.medication "
    "Procedure.occurrenceDateTime Procedure.occurrencePeriod MedicationAdministration.occurenceDateTime "
    "Condition.participant Encounter.subjectStatus Encounter.virtualService".split()
)


def refuse_unread(bundle: Mapping[str, object]) -> None:
    """Raise BadCase, with the version's name, where a bundle says it is of a version that is not read."""
    entries = listed(bundle.get("entry"))
    if entries and any("content" in one for one in entries) and not any("resource" in one for one in entries):
        raise BadCase(f"this is FHIR DSTU1 or an Atom feed; {_those_read()} are read")
    for stated in _stated(bundle):
        short = ".".join(stated.split(".")[:2])
        if stated not in READ.values() and short not in READ:
            name = _OLDER_OR_NEWER.get(short) or _OLDER_OR_NEWER.get(stated.split(".")[0]) or ""
            raise BadCase(f"this is FHIR {name or stated[:20]}; {_those_read()} are read")


def _those_read() -> str:
    *some, last = READ.values()
    return f"{', '.join(some)} and {last}"


def version_of(bundle: Mapping[str, object]) -> str:
    """The version of a bundle, as it says itself or by its elements; R4 where nothing differs."""
    for stated in _stated(bundle):
        return READ.get(".".join(stated.split(".")[:2]), stated)
    counts = dict.fromkeys(("DSTU2", "STU3", "R5"), 0)
    for entry in listed(bundle.get("entry")):
        data = mapping(entry.get("resource"))
        kind = words_of(data.get("resourceType"))
        names = {kind, *(f"{kind}.{key}" for key in data)}
        for version, own in (("DSTU2", _DSTU2), ("STU3", _STU3), ("R5", _R5)):
            counts[version] += not names.isdisjoint(own)
    best = max(counts, key=lambda version: counts[version])
    return best if counts[best] else "R4"


def _stated(bundle: Mapping[str, object]) -> Iterator[str]:
    """The versions that a bundle and its resources state."""
    if text := words_of(bundle.get("fhirVersion")):
        yield text
    for data in (bundle, *(mapping(entry.get("resource")) for entry in listed(bundle.get("entry")))):
        if text := words_of(data.get("fhirVersion")):
            yield text
        profiles = mapping(data.get("meta")).get("profile")
        for profile in profiles if isinstance(profiles, list) else [profiles]:
            if match := _VERSIONED.match(words_of(profile)):
                yield match[1] or match[2]


def as_r4(data: Json) -> tuple[str, Json]:
    """The type of a resource and its elements by R4's names. An element that R4's own name holds is kept."""
    kind = words_of(data.get("resourceType"))
    kind = _TYPES.get(kind, kind)
    renamed = dict(data)
    for of, name, others in _NAMES:
        if of not in ("", kind) or kind == "Patient":
            continue
        for other in others:
            if other in renamed and name not in renamed:
                renamed[name] = renamed.pop(other)
    if isinstance(drug := renamed.get("medication"), Mapping) and kind.startswith("Medication"):
        renamed.setdefault("medicationCodeableConcept", mapping(drug.get("concept")))
        renamed.setdefault("medicationReference", mapping(drug.get("reference")))
        del renamed["medication"]
    if kind == "Encounter" and any(
        "value" in one or "use" in one for one in listed(renamed.get("reasonCode"))
    ):
        values = [value for one in listed(renamed["reasonCode"]) for value in listed(one.get("value"))]
        renamed["reasonCode"], renamed["reasonUse"] = (
            values,
            [one.get("use") for one in listed(renamed["reasonCode"])],
        )
        given = [mapping(value.get("reference")) for value in values if value.get("reference")]
        renamed["reasonReference"] = [*listed(renamed.get("reasonReference")), *given]
    return kind, renamed
