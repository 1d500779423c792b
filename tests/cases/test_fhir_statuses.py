"""What is not so, not known or not understood in a FHIR record is not told; each status by itself."""

from __future__ import annotations

from typing import Any

import pytest

from osler.cases.importers.fhir import import_bundle
from osler.cases.importers.report import serious_flags
from osler.cases.model import Case
from tests.cases.fhir_bundles import STATUSES, USUAL, bundle_of, coded, resource
from tests.cases.importing import shown

NAME = "Zarquonine"
CELLS = [
    (kind, element, code, asserts)
    for kind, elements in STATUSES.items()
    for element, meanings in elements.items()
    for code, asserts in meanings.items()
]
# How a statement about something present begins, and about something past.
NOW = {
    "Condition": (f"{NAME} (active", f"{NAME} (recurrence", f"{NAME} (relapse"),
    "AllergyIntolerance": ("Allergic to ",),
    "MedicationRequest": ("Takes ",),
    "MedicationStatement": ("Takes ",),
    "MedicationUsage": ("Takes ",),
    "MedicationAdministration": ("Was given ",),
    "FamilyMemberHistory": ("Aunt: ",),
}
BEFORE = {
    "Condition": (f"{NAME} (inactive", f"{NAME} (in remission", f"{NAME} (resolved"),
    "AllergyIntolerance": ("Former allergy, ",),
    "MedicationRequest": ("Took ",),
    "MedicationStatement": ("Took ",),
    "MedicationAdministration": ("Was given ",),
    "MedicationDispense": ("Was dispensed ",),
    "Procedure": ("Underwent: ",),
    "Immunization": ("Vaccinated: ",),
}


def outcome(case: Case, kind: str) -> str:
    """What the case makes of the thing named: now, before, no or ask."""
    facts = [fact.text for fact in case.facts if NAME in fact.text]
    if any(NAME in finding.name for finding in case.findings):
        return "now"
    if facts:
        assert len(facts) == 1
        return (
            "now" if facts[0].startswith(NOW.get(kind, ())) else f"before {facts[0].startswith(BEFORE[kind])}"
        )
    assert NAME not in shown(case)
    assert any(NAME in leaf.text for leaf in case.withheld)
    return "ask" if any("entry[3].resource" in flag for flag in serious_flags(case)) else "no"


@pytest.mark.parametrize(("kind", "element", "code", "asserts"), CELLS)
def test_a_status_is_told_as_the_specification_means_it(
    kind: str, element: str, code: str, asserts: str
) -> None:
    one = resource(kind, NAME)
    del one[element]
    case = import_bundle(bundle_of({**one, **coded(kind, {element: code})}), 1, "t")
    expected = "before True" if asserts == "before" else asserts
    if kind == "MedicationAdministration" and asserts == "before":
        expected = "now"  # it is told in the same words: was given
    assert outcome(case, kind) == expected


@pytest.mark.parametrize(
    ("kind", "elements", "asserts"),
    [
        ("MedicationRequest", {"doNotPerform": True}, "no"),
        ("MedicationRequest", {"doNotPerform": False}, "now"),
        ("MedicationStatement", {"wasNotTaken": True}, "no"),
        ("MedicationStatement", {"taken": "y"}, "now"),
        ("MedicationStatement", {"taken": "n"}, "no"),
        ("MedicationStatement", {"taken": "unk"}, "ask"),
        ("MedicationStatement", {"adherence": {"code": {"coding": [{"code": "not-taking"}]}}}, "no"),
        ("MedicationStatement", {"adherence": {"code": {"coding": [{"code": "stopped"}]}}}, "before True"),
        ("MedicationStatement", {"adherence": {"code": {"coding": [{"code": "taking"}]}}}, "now"),
        ("MedicationAdministration", {"wasNotGiven": True}, "no"),
        ("Procedure", {"notDone": True}, "no"),
        ("Procedure", {"notPerformed": True}, "no"),
        ("Immunization", {"notGiven": True}, "no"),
        ("Immunization", {"wasNotGiven": True}, "no"),
        ("FamilyMemberHistory", {"notDone": True}, "no"),
        ("Condition", {"clinicalStatus": "active", "verificationStatus": "provisional"}, "ask"),
        ("Condition", {"abatementDateTime": "2020-01-01"}, "before True"),
        ("Condition", {"abatementBoolean": False}, "now"),
        ("Condition", {"verificationStatus": 7}, "ask"),
        ("Condition", {"verificationStatus": {"extension": [{"valueCode": "unknown"}]}}, "ask"),
        ("Condition", {"verificationStatus": ["confirmed", "refuted"]}, "no"),
        ("MedicationUsage", {"status": "draft"}, "no"),
        ("MedicationUsage", {"status": "recorded"}, "now"),
        ("Condition", {"modifierExtension": [{"url": "http://example.org/not"}]}, "ask"),
        ("AllergyIntolerance", {"verificationStatus": {"coding": [{"display": "Refuted"}]}}, "no"),
        ("AllergyIntolerance", {"status": "refuted"}, "no"),
        ("AllergyIntolerance", {"clinicalStatus": {"text": " Active "}}, "now"),
        (
            "AllergyIntolerance",
            {"extension": [{"url": "exposureRisk", "valueCode": "no-known-reaction-risk"}]},
            "no",
        ),
    ],
)  # fmt: skip
def test_what_negates_or_modifies_a_resource_is_heeded(
    kind: str, elements: dict[str, Any], asserts: str
) -> None:
    base = (
        {**resource("MedicationStatement", NAME), "resourceType": kind} if kind == "MedicationUsage" else {}
    )
    case = import_bundle(bundle_of({**(base or resource(kind, NAME)), **elements}), 1, "t")
    assert outcome(case, kind) == asserts


def test_the_state_of_a_condition_is_told_only_where_the_source_gives_it() -> None:
    one = resource("Condition", NAME)
    del one["clinicalStatus"]
    case = import_bundle(bundle_of(one), 1, "t")
    assert [fact.text for fact in case.facts] == [f"{NAME} (recorded 2019-02-03)."]


@pytest.mark.parametrize(
    "element", [{"subject": {"reference": "Patient/p2"}}, {"focus": [{"reference": "Patient/p2"}]}]
)
def test_what_is_about_somebody_else_is_not_told(element: dict[str, Any]) -> None:
    other = {**resource("Observation", NAME), **element}
    own = {**resource("Observation", "Sodium"), "subject": {"reference": "Patient/p1"}}
    assert outcome(import_bundle(bundle_of(other, own), 1, "t"), "Observation") == "ask"


def test_ids_at_odds_with_all_references_are_no_other_patient() -> None:
    astray = {"subject": {"reference": "Patient/p2"}}
    bundle = bundle_of(
        {**resource("Observation", NAME), **astray}, {**resource("Condition", "Gout"), **astray}
    )
    assert outcome(import_bundle(bundle, 1, "t"), "Observation") == "now"


@pytest.mark.parametrize("kind", ["Condition", "AllergyIntolerance"])
def test_what_another_resource_refutes_is_not_told(kind: str) -> None:
    refuted = {"verificationStatus": {"coding": [{"code": "refuted"}]}}
    case = import_bundle(
        bundle_of(resource(kind, NAME), {**resource(kind, NAME, "2021-01-01"), **refuted}), 1, "t"
    )
    assert NAME not in shown(case)
    assert any("another resource refutes it" in flag for flag in serious_flags(case))
    earlier = {**resource(kind, NAME, "2012-01-01"), **refuted}
    assert NAME in shown(import_bundle(bundle_of(resource(kind, NAME), earlier), 1, "t"))


def test_of_two_versions_of_a_resource_the_later_counts() -> None:
    void = coded("AllergyIntolerance", {"verificationStatus": "entered-in-error"})
    old = resource("AllergyIntolerance", NAME, id="a", meta={"lastUpdated": "2020-01-01T00:00:00Z"})
    new = {**old, **void, "meta": {"lastUpdated": "2020-02-01T00:00:00Z"}}
    for order in ((old, new), (new, old)):
        assert NAME not in shown(import_bundle(bundle_of(*order), 1, "t"))


def test_an_encounter_that_did_not_take_place_is_no_visit() -> None:
    planned = {
        "resourceType": "Encounter", "id": "e2", "status": "cancelled",
        "period": {"start": "2025-01-01T10:00:00Z"}, "reasonCode": [{"text": "Tiredness"}],
    }  # fmt: skip
    condition = {**resource("Condition", "Gout"), "encounter": {"reference": "Encounter/e2"}}
    case = import_bundle(bundle_of(planned, condition), 1, "t")
    assert case.task.answer == "Pulmonary embolism"
    assert "tiredness" not in shown(case).lower()


def test_the_table_of_the_tests_has_every_kind() -> None:
    assert set(USUAL) == set(STATUSES)
