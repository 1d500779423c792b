"""Bundles made for tests of the FHIR importer, each with what it must and must not tell, by another table.

The table here was written after the specification's value sets, for each type of resource by itself, and not
after the importer's own: `now` and `before` are told, `no` is not, `ask` is not told and named in a flag.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

from osler.cases.importers.json_paths import Leaf

Resource = dict[str, Any]
VISIT = datetime(2024, 3, 1, 21, 40, tzinfo=timezone(timedelta(hours=-5)))
VISIT_ENDS = VISIT + timedelta(hours=4)

# kind -> status element -> code -> what it asserts
STATUSES: dict[str, dict[str, dict[str, str]]] = {
    "Condition": {
        "clinicalStatus": {
            "active": "now", "recurrence": "now", "relapse": "now",
            "inactive": "before", "remission": "before", "resolved": "before",
            "unknown": "ask", "novel": "ask",
        },
        "verificationStatus": {
            "confirmed": "now", "unconfirmed": "ask", "provisional": "ask", "differential": "ask",
            "refuted": "no", "entered-in-error": "no", "novel": "ask",
        },
    },
    "AllergyIntolerance": {
        "clinicalStatus": {"active": "now", "inactive": "before", "resolved": "before", "novel": "ask"},
        "verificationStatus": {
            "confirmed": "now", "unconfirmed": "ask", "presumed": "ask",
            "refuted": "no", "entered-in-error": "no", "novel": "ask",
        },
    },
    "MedicationRequest": {
        "status": {
            "active": "now", "completed": "before", "stopped": "before", "ended": "before", "on-hold": "no",
            "cancelled": "no", "draft": "no", "entered-in-error": "no", "unknown": "ask", "novel": "ask",
            "": "ask",
        },
        "intent": {
            "order": "now", "original-order": "now", "reflex-order": "now", "filler-order": "now",
            "instance-order": "now", "proposal": "no", "plan": "no", "option": "no", "novel": "ask",
        },
    },
    "MedicationStatement": {
        "status": {
            "active": "now", "recorded": "now", "completed": "before", "stopped": "before", "intended": "no",
            "on-hold": "no", "not-taken": "no", "draft": "no", "entered-in-error": "no",
            "unknown": "ask", "novel": "ask",
            "": "ask",
        },
    },
    "MedicationAdministration": {
        "status": {
            "in-progress": "now", "completed": "before", "stopped": "before", "not-done": "no",
            "on-hold": "no",
            "entered-in-error": "no", "unknown": "ask", "novel": "ask",
            "": "ask",
        },
    },
    "MedicationDispense": {
        "status": {
            "completed": "before", "preparation": "no", "in-progress": "no", "cancelled": "no",
            "on-hold": "no", "declined": "no", "entered-in-error": "no", "stopped": "ask",
            "unknown": "ask", "novel": "ask",
            "": "ask",
        },
    },
    "Procedure": {
        "status": {
            "completed": "before", "preparation": "no", "in-progress": "no", "not-done": "no",
            "on-hold": "no", "stopped": "no", "suspended": "no", "aborted": "no", "entered-in-error": "no",
            "unknown": "ask", "novel": "ask",
            "": "ask",
        },
    },
    "Immunization": {
        "status": {
            "completed": "before", "not-done": "no", "entered-in-error": "no", "novel": "ask", "": "ask",
        },
    },
    "FamilyMemberHistory": {
        "status": {
            "partial": "now", "completed": "now", "entered-in-error": "no", "health-unknown": "no",
            "novel": "ask", "": "ask",
        },
    },
    "Observation": {
        "status": {
            "final": "now", "amended": "now", "corrected": "now", "registered": "no", "cancelled": "no",
            "entered-in-error": "no", "preliminary": "ask", "unknown": "ask", "novel": "ask",
            "": "ask",
        },
    },
    "DiagnosticReport": {
        "status": {
            "final": "now", "amended": "now", "corrected": "now", "appended": "now", "modified": "now",
            "registered": "no", "cancelled": "no", "entered-in-error": "no",
            "partial": "ask", "preliminary": "ask", "unknown": "ask", "novel": "ask",
            "": "ask",
        },
    },
}  # fmt: skip
USUAL = {
    "Condition": {"clinicalStatus": "active", "verificationStatus": "confirmed"},
    "AllergyIntolerance": {"clinicalStatus": "active", "verificationStatus": "confirmed"},
    "MedicationRequest": {"status": "active", "intent": "order"},
    "MedicationStatement": {"status": "active"},
    "MedicationAdministration": {"status": "completed"},
    "MedicationDispense": {"status": "completed"},
    "Procedure": {"status": "completed"},
    "Immunization": {"status": "completed"},
    "FamilyMemberHistory": {"status": "completed"},
    "Observation": {"status": "final"},
    "DiagnosticReport": {"status": "final"},
}
# The words that stand in the place of a name and name nothing.
NOTHING = {
    "AllergyIntolerance": (
        "No known allergies",
        "Nil known",
        "NKDA",
        "No information about allergies",
        "Unknown",
    ),
    "MedicationStatement": (
        "No known medications",
        "None",
        "Not on any medication",
        "No current medications",
    ),
    "Procedure": ("No known procedures", "No information about past history of procedures"),
    "Condition": ("No known problems", "No current problems or disability", "No information about problems"),
}
_IPS = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"


class Made(NamedTuple):
    """A bundle, the names that a seat must be able to find out, those that none may, and those in flags."""

    bundle: dict[str, Any]
    told: frozenset[str]
    untold: frozenset[str]
    flagged: frozenset[str]


def bundle_of(*resources: Resource) -> dict[str, Any]:
    """A bundle of a patient, a visit of four hours that ends in a confirmed illness, and these resources."""
    base: list[Resource] = [
        {"resourceType": "Patient", "id": "p1", "gender": "female", "birthDate": "1961-05-04"},
        {
            "resourceType": "Encounter",
            "id": "e1",
            "status": "finished",
            "class": {"code": "EMER"},
            "period": {"start": VISIT.isoformat(), "end": VISIT_ENDS.isoformat()},
            "reasonCode": [{"text": "Chest pain"}],
        },
        {
            "resourceType": "Condition",
            "id": "c1",
            **coded("Condition", USUAL["Condition"]),
            "code": {"text": "Pulmonary embolism (disorder)"},
            "encounter": {"reference": "Encounter/e1"},
            "onsetDateTime": VISIT.isoformat(),
        },
    ]
    return {"resourceType": "Bundle", "entry": [{"resource": one} for one in (*base, *resources)]}


def coded(kind: str, statuses: dict[str, str]) -> Resource:
    """Status elements of a type of resource in R4's form; an empty one is left out."""
    concepts = kind in ("Condition", "AllergyIntolerance")
    return {
        element: {"coding": [{"code": code}]} if concepts else code
        for element, code in statuses.items()
        if code
    }


def resource(kind: str, name: str, day: str = "2019-02-03", **elements: Any) -> Resource:
    """A resource of this type about `name`, dated; its status is the usual one unless given."""
    named = {"text": name}
    kinds: dict[str, Resource] = {
        "Condition": {"code": named, "onsetDateTime": day},
        "AllergyIntolerance": {"code": named, "recordedDate": day},
        "MedicationRequest": {"medicationCodeableConcept": named, "authoredOn": day},
        "MedicationStatement": {"medicationCodeableConcept": named, "effectiveDateTime": day},
        "MedicationAdministration": {"medicationCodeableConcept": named, "effectiveDateTime": day},
        "MedicationDispense": {"medicationCodeableConcept": named, "whenHandedOver": day},
        "Procedure": {"code": named, "performedDateTime": day},
        "Immunization": {"vaccineCode": named, "occurrenceDateTime": day},
        "FamilyMemberHistory": {
            "relationship": {"text": "Aunt"},
            "condition": [{"code": named}],
            "date": day,
        },
        "Observation": {
            "code": named,
            "effectiveDateTime": day,
            "valueQuantity": {"value": 1.5, "unit": "mmol/L"},
        },
        "DiagnosticReport": {"code": named, "effectiveDateTime": day, "conclusion": "Nothing to see."},
    }
    return {"resourceType": kind, **coded(kind, USUAL[kind]), **kinds[kind], **elements}


def made(seed: int) -> Made:
    """A bundle by chance: statuses, absences, times and zones, versions, missing fields."""
    rng = random.Random(seed)
    told, untold, flagged = set[str](), set[str](), set[str]()
    resources: list[Resource] = []
    for n in range(rng.randint(1, 12)):
        name = f"Thing{seed}q{n}z"
        one, asserts = rng.choice((_by_status, _by_time, _denied, _nameless))(rng, name)
        resources.append(one)
        if asserts in ("now", "before"):
            told.add(name)
        elif asserts in ("no", "ask"):
            untold.add(name)
        if asserts == "ask":
            flagged.add(name)
    version = rng.choice((_r4, _r4, _stu3, _dstu2, _r5))
    bundle = bundle_of(*resources)
    bundle["entry"] = [{"resource": version(entry["resource"])} for entry in bundle["entry"]]
    first, *others = bundle["entry"]
    rng.shuffle(others)
    bundle["entry"] = [first, *others]
    return Made(bundle, frozenset(told), frozenset(untold), frozenset(flagged))


def _by_status(rng: random.Random, name: str) -> tuple[Resource, str]:
    kind = rng.choice(sorted(STATUSES))
    element = rng.choice(sorted(STATUSES[kind]))
    code, asserts = rng.choice(sorted(STATUSES[kind][element].items()))
    one = resource(kind, name)
    del one[element]
    return {**one, **coded(kind, {element: code})}, asserts


def _by_time(rng: random.Random, name: str) -> tuple[Resource, str]:
    """An observation some time before or after the end of the visit, in any zone, perhaps of the visit."""
    gap = timedelta(minutes=rng.choice((-100_000, -3000, -200, -10, 10, 200, 3000, 100_000)))
    zone = timezone(timedelta(minutes=30 * rng.randint(-24, 28)))
    when = (VISIT_ENDS + gap).astimezone(zone if rng.random() < 0.8 else UTC)
    text = when.isoformat() if rng.random() < 0.8 else when.isoformat(timespec="milliseconds")
    one = resource("Observation", name, text.replace("+00:00", "Z"))
    is_of_visit = rng.random() < 0.3
    if is_of_visit:
        one["encounter"] = {"reference": "Encounter/e1"}
    return one, "now" if gap < timedelta(0) or (is_of_visit and gap < timedelta(days=14)) else "no"


def _denied(rng: random.Random, name: str) -> tuple[Resource, str]:
    kind = rng.choice(sorted(NOTHING))
    text = rng.choice(NOTHING[kind])
    one = resource(kind, text, id=name)
    if rng.random() < 0.3:
        codes = {"AllergyIntolerance": "no-allergy-info", "Condition": "no-known-problems"}
        code = codes.get(kind, "no-known-procedures" if kind == "Procedure" else "no-known-medications")
        key = "code" if kind != "MedicationStatement" else "medicationCodeableConcept"
        one[key] = {"coding": [{"system": _IPS, "code": code, "display": text}]}
    return one, "nothing"


def _nameless(rng: random.Random, name: str) -> tuple[Resource, str]:
    """A resource with codes only, or with an element missing."""
    one = resource(rng.choice(sorted(STATUSES)), name)
    if rng.random() < 0.5:
        key = next(
            key for key in ("code", "vaccineCode", "medicationCodeableConcept", "relationship") if key in one
        )
        one[key] = {"coding": [{"system": "http://loinc.org", "code": f"c{name}"}]}
    else:
        del one[rng.choice([key for key in one if key != "resourceType"])]
    return one, "nothing"


def _r4(one: Resource) -> Resource:
    return one


def _renamed(one: Resource, names: dict[str, str]) -> Resource:
    return {names.get(key, key): value for key, value in one.items()}


def _stu3(one: Resource) -> Resource:
    flat = {
        key: value["coding"][0]["code"] if key in ("clinicalStatus", "verificationStatus") else value
        for key, value in one.items()
    }
    names = {"encounter": "context", "reasonCode": "reason"}
    if one["resourceType"] == "Immunization":
        names["occurrenceDateTime"] = "date"
    return _renamed(flat, names)


def _dstu2(one: Resource) -> Resource:
    if one["resourceType"] == "AllergyIntolerance":
        # One status says both.
        states = [
            one[key]["coding"][0]["code"] for key in ("clinicalStatus", "verificationStatus") if key in one
        ]
        odd = [state for state in states if state not in ("active", "confirmed")]
        rest = {
            key: value for key, value in one.items() if key not in ("clinicalStatus", "verificationStatus")
        }
        return _renamed({**rest, "status": (odd or ["active"])[0]}, {"code": "substance"})
    flat = {**_stu3(one)}
    names = {"context": "encounter", "authoredOn": "dateWritten"}
    if one["resourceType"] == "MedicationRequest" and "intent" not in one:
        flat["resourceType"] = "MedicationOrder"
    return _renamed(flat, names)


def _r5(one: Resource) -> Resource:
    named = {**one}
    if drug := named.pop("medicationCodeableConcept", None):
        named["medication"] = {"concept": drug}
    if one["resourceType"] == "Encounter":
        named["reason"] = [{"value": [{"concept": reason}]} for reason in named.pop("reasonCode")]
        return _renamed(named, {"period": "actualPeriod"})
    if one["resourceType"] == "Procedure":
        return _renamed(named, {"performedDateTime": "occurrenceDateTime"})
    return named


def coded_elements(bundle: dict[str, Any]) -> Iterator[Leaf]:
    """Every concept and coding of the clinical resources: its path and its words, else its code."""
    for n, entry in enumerate(bundle["entry"]):
        yield from _concepts(entry.get("resource"), f"entry[{n}].resource")


def _concepts(value: Any, path: str) -> Iterator[Leaf]:
    if isinstance(value, list):
        for n, one in enumerate(value):
            yield from _concepts(one, f"{path}[{n}]")
    elif isinstance(value, dict):
        for key in ("text", "display"):
            if isinstance(value.get(key), str):
                yield Leaf(f"{path}.{key}", value[key])
        if isinstance(value.get("code"), str) and not {"display", "text", "value"} & set(value):
            yield Leaf(f"{path}.code", value["code"])
        for key, one in value.items():
            if key not in ("meta", "subject", "text", "identifier") and not key.startswith("_"):
                yield from _concepts(one, f"{path}.{key}")
