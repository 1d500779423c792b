"""What the status elements of a FHIR resource assert: one table, from the value sets of the specification.

Each row gives, for types of resource and one element of theirs, what its codes assert. A resource asserts the
most guarded of what its elements do, so a row never has to repeat another: a confirmed allergy that is
resolved is past, an active order not to perform is not told.

`present` and `past` can be told; `not told` is not so, or does not concern the patient; `flagged` may be so,
or cannot be understood: it is not told either, and the report says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

from osler.cases.importers.fhir_values import Json, codes, listed

Assertion = Literal["present", "past", "not told", "flagged"]

# From the freest to the most guarded.
_GUARDED: Final[tuple[Assertion, ...]] = ("present", "past", "flagged", "not told")
NONE_GIVEN: Final = ""
"""The code that stands for an element that is missing."""


class Row(NamedTuple):
    """A row of the table: types of resource, an element, its codes, what they assert, and the value set."""

    kinds: str
    element: str
    codes: tuple[str, ...]
    asserts: Assertion
    value_set: str


def _row(kinds: str, element: str, codes_: str, asserts: Assertion, value_set: str) -> Row:
    return Row(
        kinds, element, tuple(NONE_GIVEN if one == "-" else one for one in codes_.split()), asserts, value_set
    )


_ORDERS: Final = "MedicationRequest"
_TAKEN: Final = "MedicationStatement MedicationUsage"
_TIMED: Final = "MedicationAdministration"
_NOT_DONE: Final = "notDone notPerformed notGiven wasNotGiven"
# In the codes, `-` is a missing element. Where the specification requires a status, a missing one is flagged.
TABLE: Final[tuple[Row, ...]] = (
    _row("Condition", "clinicalStatus", "- active recurrence relapse", "present", "condition-clinical"),
    _row("Condition", "clinicalStatus", "inactive remission resolved", "past", "condition-clinical"),
    _row("Condition", "clinicalStatus", "unknown", "flagged", "condition-clinical (R5)"),
    _row("Condition", "verificationStatus", "- confirmed", "present", "condition-ver-status"),
    _row(
        "Condition",
        "verificationStatus",
        "unconfirmed provisional differential",
        "flagged",
        "condition-ver-status",
    ),
    _row("Condition", "verificationStatus", "unknown", "flagged", "condition-ver-status (DSTU2, STU3)"),
    _row("Condition", "verificationStatus", "refuted entered-in-error", "not told", "condition-ver-status"),
    _row("AllergyIntolerance", "clinicalStatus", "- active", "present", "allergyintolerance-clinical"),
    _row("AllergyIntolerance", "clinicalStatus", "inactive resolved", "past", "allergyintolerance-clinical"),
    _row(
        "AllergyIntolerance",
        "verificationStatus",
        "- confirmed",
        "present",
        "allergyintolerance-verification",
    ),
    _row(
        "AllergyIntolerance",
        "verificationStatus",
        "unconfirmed presumed",
        "flagged",
        "allergyintolerance-verification (presumed: R5)",
    ),
    _row(
        "AllergyIntolerance",
        "verificationStatus",
        "refuted entered-in-error",
        "not told",
        "allergyintolerance-verification",
    ),
    _row(
        "AllergyIntolerance", "status", "- active confirmed", "present", "allergy-intolerance-status (DSTU2)"
    ),
    _row("AllergyIntolerance", "status", "inactive resolved", "past", "allergy-intolerance-status (DSTU2)"),
    _row("AllergyIntolerance", "status", "unconfirmed", "flagged", "allergy-intolerance-status (DSTU2)"),
    _row(
        "AllergyIntolerance",
        "status",
        "refuted entered-in-error",
        "not told",
        "allergy-intolerance-status (DSTU2)",
    ),
    _row(_ORDERS, "status", "active", "present", "medicationrequest-status"),
    _row(_ORDERS, "status", "completed stopped ended", "past", "medicationrequest-status (ended: R5)"),
    # Cancelled is withdrawn before any was taken; on hold is not taken at present.
    _row(
        _ORDERS, "status", "on-hold cancelled draft entered-in-error", "not told", "medicationrequest-status"
    ),
    _row(_ORDERS, "status", "- unknown", "flagged", "medicationrequest-status"),
    _row(
        _ORDERS,
        "intent",
        "- order original-order reflex-order filler-order instance-order",
        "present",
        "medicationrequest-intent",
    ),
    _row(_ORDERS, "intent", "proposal plan option directive", "not told", "medicationrequest-intent"),
    _row(_ORDERS, "doNotPerform", "- false", "present", "MedicationRequest.doNotPerform"),
    _row(_ORDERS, "doNotPerform", "true", "not told", "MedicationRequest.doNotPerform"),
    _row(_TAKEN, "status", "active recorded", "present", "medication-statement-status (recorded: R5)"),
    _row(_TAKEN, "status", "completed stopped", "past", "medication-statement-status"),
    _row(
        _TAKEN,
        "status",
        "intended on-hold not-taken draft entered-in-error",
        "not told",
        "medication-statement-status",
    ),
    _row(_TAKEN, "status", "- unknown", "flagged", "medication-statement-status"),
    _row(_TAKEN, "wasNotTaken", "- false", "present", "MedicationStatement.wasNotTaken (DSTU2)"),
    _row(_TAKEN, "wasNotTaken", "true", "not told", "MedicationStatement.wasNotTaken (DSTU2)"),
    _row(_TAKEN, "taken", "- y", "present", "medication-statement-taken (STU3)"),
    _row(_TAKEN, "taken", "n", "not told", "medication-statement-taken (STU3)"),
    _row(_TAKEN, "taken", "unk na", "flagged", "medication-statement-taken (STU3)"),
    _row(
        _TAKEN,
        "adherence",
        "- taking taking-as-directed taking-not-as-directed",
        "present",
        "medication-statement-adherence (R5)",
    ),
    _row(
        _TAKEN,
        "adherence",
        "stopped stopped-as-directed stopped-not-as-directed",
        "past",
        "medication-statement-adherence (R5)",
    ),
    _row(
        _TAKEN,
        "adherence",
        "not-taking not-taking-as-directed on-hold on-hold-as-directed on-hold-not-as-directed",
        "not told",
        "medication-statement-adherence (R5)",
    ),
    _row(_TAKEN, "adherence", "unknown", "flagged", "medication-statement-adherence (R5)"),
    _row(_TIMED, "status", "in-progress", "present", "medication-admin-status"),
    _row(_TIMED, "status", "completed stopped", "past", "medication-admin-status"),
    _row(_TIMED, "status", "not-done on-hold entered-in-error", "not told", "medication-admin-status"),
    _row(_TIMED, "status", "- unknown", "flagged", "medication-admin-status"),
    _row("MedicationDispense", "status", "completed", "past", "medicationdispense-status"),
    _row(
        "MedicationDispense",
        "status",
        "preparation in-progress cancelled on-hold declined entered-in-error",
        "not told",
        "medicationdispense-status",
    ),
    # Stopped after some were handed over, or before any.
    _row("MedicationDispense", "status", "- stopped unknown", "flagged", "medicationdispense-status"),
    _row("Medication", "status", "- active inactive", "present", "medication-status"),
    _row("Medication", "status", "entered-in-error", "not told", "medication-status"),
    _row("Procedure", "status", "completed", "past", "event-status"),
    _row(
        "Procedure",
        "status",
        "preparation in-progress not-done on-hold stopped suspended aborted entered-in-error",
        "not told",
        "event-status (suspended, aborted: STU3 and DSTU2)",
    ),
    _row("Procedure", "status", "- unknown", "flagged", "event-status"),
    _row("Immunization", "status", "completed", "past", "immunization-status"),
    _row(
        "Immunization",
        "status",
        "not-done in-progress on-hold stopped entered-in-error",
        "not told",
        "immunization-status (medication-admin-status: DSTU2)",
    ),
    _row("Immunization", "status", "-", "flagged", "immunization-status"),
    _row(
        f"Procedure Immunization {_TIMED}",
        _NOT_DONE,
        "- false",
        "present",
        "notDone and its kin (DSTU2, STU3)",
    ),
    _row(
        f"Procedure Immunization {_TIMED}", _NOT_DONE, "true", "not told", "notDone and its kin (DSTU2, STU3)"
    ),
    _row("FamilyMemberHistory", "status", "partial completed", "present", "history-status"),
    _row("FamilyMemberHistory", "status", "entered-in-error health-unknown", "not told", "history-status"),
    _row("FamilyMemberHistory", "status", "-", "flagged", "history-status"),
    _row("FamilyMemberHistory", "notDone", "- false", "present", "FamilyMemberHistory.notDone (STU3)"),
    _row("FamilyMemberHistory", "notDone", "true", "not told", "FamilyMemberHistory.notDone (STU3)"),
    _row(
        "Observation",
        "status",
        "final amended corrected appended",
        "present",
        "observation-status (appended: R6)",
    ),
    _row(
        "Observation",
        "status",
        "registered cancelled entered-in-error specimen-in-process cannot-be-obtained",
        "not told",
        "observation-status (the last two: R6)",
    ),
    _row("Observation", "status", "- preliminary unknown", "flagged", "observation-status"),
    _row(
        "DiagnosticReport",
        "status",
        "final amended corrected appended modified",
        "present",
        "diagnostic-report-status (modified: R5)",
    ),
    _row(
        "DiagnosticReport",
        "status",
        "registered cancelled entered-in-error",
        "not told",
        "diagnostic-report-status",
    ),
    _row(
        "DiagnosticReport", "status", "- partial preliminary unknown", "flagged", "diagnostic-report-status"
    ),
    _row(
        "Encounter",
        "status",
        "- arrived triaged in-progress onleave on-hold discharged finished completed unknown",
        "present",
        "encounter-status (on-hold, discharged, completed: R5)",
    ),
    _row(
        "Encounter",
        "status",
        "planned cancelled discontinued entered-in-error",
        "not told",
        "encounter-status (discontinued: R5)",
    ),
)
# A modifier that changes the meaning and that nobody here understands: such a resource must not be told.
_MODIFIERS: Final = ("modifierExtension", "implicitRules")
_NO_RISK: Final = "no-known-reaction-risk"


class Verdict(NamedTuple):
    """An assertion and the status that makes it, in words; there are none where it is simply present."""

    asserts: Assertion
    why: str = ""

    @property
    def is_told(self) -> bool:
        """Whether it can be told, as present or as past."""
        return self.asserts in ("present", "past")


def _by_element() -> Mapping[str, Mapping[str, Mapping[str, Assertion]]]:
    table: dict[str, dict[str, dict[str, Assertion]]] = {}
    for row in TABLE:
        for kind in row.kinds.split():
            for element in row.element.split():
                table.setdefault(kind, {}).setdefault(element, {}).update(
                    dict.fromkeys(row.codes, row.asserts)
                )
    return table


_ELEMENTS: Final = _by_element()


def verdict_of(kind: str, data: Json) -> Verdict:
    """The most guarded verdict of a resource's status elements and modifiers."""
    return max(_verdicts(kind, data), key=lambda one: _GUARDED.index(one.asserts), default=Verdict("present"))


def _verdicts(kind: str, data: Json) -> Iterator[Verdict]:
    for element, meanings in _ELEMENTS.get(kind, {}).items():
        yield _of_element(element, data, meanings)
    for modifier in _MODIFIERS:
        if data.get(modifier):
            yield Verdict("flagged", f"its {modifier} may change its meaning and is not understood")
    if kind == "AllergyIntolerance" and _NO_RISK in _exposure_risks(data):
        yield Verdict("not told", f"its exposure risk is {_NO_RISK}")
    if kind == "Condition" and _has_abated(data):
        yield Verdict("past", "it has abated")


def _of_element(element: str, data: Json, meanings: Mapping[str, Assertion]) -> Verdict:
    value = data.get(element)
    if element == "adherence" and isinstance(value, Mapping):
        value = value.get("code")
    if isinstance(value, bool):
        value = "true" if value else "false"
    given = {one.strip() for one in codes(value)} or {NONE_GIVEN}
    known = [(code, meanings[code]) for code in sorted(given) if code in meanings]
    if not known:
        shown = ", ".join(sorted(given))[:60]
        return Verdict("flagged", f"{element} {shown!r} is no code that is known")
    code, asserts = max(known, key=lambda one: _GUARDED.index(one[1]))
    return Verdict(asserts, f"{element} is {code!r}" if code else f"it has no {element}")


def _exposure_risks(data: Json) -> frozenset[str]:
    risks: set[str] = set()
    for extension in listed(data.get("extension")):
        for part in (extension, *listed(extension.get("extension"))):
            risks |= codes(part.get("valueCodeableConcept")) | codes(part.get("valueCode"))
    return frozenset(risks)


def _has_abated(data: Json) -> bool:
    for key, value in data.items():
        if key.startswith("abatement"):
            return value not in (None, False, "", "false", [], {})
    return False


_STATES: Final = {"remission": "in remission"}


def state_of(data: Json) -> str:
    """The clinical status of a condition or an allergy in words; empty where the source gives none."""
    if _has_abated(data):
        return "resolved"
    given = codes(data.get("clinicalStatus")) | codes(data.get("status"))
    known = [code for code in _ELEMENTS["Condition"]["clinicalStatus"] if code and code in given]
    return _STATES.get(known[-1], known[-1]) if known else ""
