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
NONE_GIVEN: Final = "-"
"""The code that stands for an element that is missing."""


class Row(NamedTuple):
    """A row of the table: types of resource, elements of theirs, a value set, its codes by what they say.

    Codes are parted by blanks; `-` is an element that is missing.
    """

    kinds: str
    elements: str
    value_set: str
    present: str = ""
    past: str = ""
    flagged: str = ""
    not_told: str = ""


_STATEMENTS: Final = "MedicationStatement MedicationUsage"
_NOT_DONE: Final = "notDone notPerformed notGiven wasNotGiven"
# Where the specification requires a status, a missing one is flagged.
TABLE: Final[tuple[Row, ...]] = (
    Row(
        "Condition", "clinicalStatus", "condition-clinical (unknown: R5)",
        present="- active recurrence relapse", past="inactive remission resolved", flagged="unknown",
    ),
    Row(
        "Condition", "verificationStatus", "condition-ver-status (unknown: DSTU2, STU3)",
        present="- confirmed", flagged="unconfirmed provisional differential unknown",
        not_told="refuted entered-in-error",
    ),
    Row(
        "AllergyIntolerance", "clinicalStatus", "allergyintolerance-clinical",
        present="- active", past="inactive resolved",
    ),
    Row(
        "AllergyIntolerance", "verificationStatus", "allergyintolerance-verification (presumed: R5)",
        present="- confirmed", flagged="unconfirmed presumed", not_told="refuted entered-in-error",
    ),
    Row(
        "AllergyIntolerance", "status", "allergy-intolerance-status (DSTU2)",
        present="- active confirmed", past="inactive resolved", flagged="unconfirmed",
        not_told="refuted entered-in-error",
    ),
    # Cancelled is withdrawn before any was taken; on hold is not taken at present.
    Row(
        "MedicationRequest", "status", "medicationrequest-status (ended: R5)",
        present="active", past="completed stopped ended", flagged="- unknown",
        not_told="on-hold cancelled draft entered-in-error",
    ),
    Row(
        "MedicationRequest", "intent", "medicationrequest-intent",
        present="- order original-order reflex-order filler-order instance-order",
        not_told="proposal plan option directive",
    ),
    Row(
        "MedicationRequest", "doNotPerform", "MedicationRequest.doNotPerform",
        present="- false", not_told="true",
    ),
    Row(
        _STATEMENTS, "status", "medication-statement-status (recorded, draft: R5)",
        present="active recorded", past="completed stopped", flagged="- unknown",
        not_told="intended on-hold not-taken draft entered-in-error",
    ),
    Row(
        _STATEMENTS, "wasNotTaken", "MedicationStatement.wasNotTaken (DSTU2)",
        present="- false", not_told="true",
    ),
    Row(
        _STATEMENTS, "taken", "medication-statement-taken (STU3)",
        present="- y", flagged="unk na", not_told="n",
    ),
    Row(
        _STATEMENTS, "adherence", "medication-statement-adherence (R5)",
        present="- taking taking-as-directed taking-not-as-directed",
        past="stopped stopped-as-directed stopped-not-as-directed", flagged="unknown",
        not_told="not-taking not-taking-as-directed on-hold on-hold-as-directed on-hold-not-as-directed",
    ),
    Row(
        "MedicationAdministration", "status", "medication-admin-status",
        present="in-progress", past="completed stopped", flagged="- unknown",
        not_told="not-done on-hold entered-in-error",
    ),
    # Stopped after some were handed over, or before any.
    Row(
        "MedicationDispense", "status", "medicationdispense-status",
        past="completed", flagged="- stopped unknown",
        not_told="preparation in-progress cancelled on-hold declined entered-in-error",
    ),
    Row(
        "Medication", "status", "medication-status",
        present="- active inactive", not_told="entered-in-error",
    ),
    Row(
        "Procedure", "status", "event-status (suspended, aborted: DSTU2, STU3)",
        past="completed", flagged="- unknown",
        not_told="preparation in-progress not-done on-hold stopped suspended aborted entered-in-error",
    ),
    Row(
        "Immunization", "status", "immunization-status (medication-admin-status: DSTU2)",
        past="completed", flagged="-", not_told="not-done in-progress on-hold stopped entered-in-error",
    ),
    Row(
        "Procedure Immunization MedicationAdministration", _NOT_DONE, "notDone and its kin (DSTU2, STU3)",
        present="- false", not_told="true",
    ),
    Row(
        "FamilyMemberHistory", "status", "history-status",
        present="partial completed", flagged="-", not_told="entered-in-error health-unknown",
    ),
    Row(
        "FamilyMemberHistory", "notDone", "FamilyMemberHistory.notDone (STU3)",
        present="- false", not_told="true",
    ),
    Row(
        "Observation", "status", "observation-status (appended and the last two: R6)",
        present="final amended corrected appended", flagged="- preliminary unknown",
        not_told="registered cancelled entered-in-error specimen-in-process cannot-be-obtained",
    ),
    Row(
        "DiagnosticReport", "status", "diagnostic-report-status (modified: R5)",
        present="final amended corrected appended modified", flagged="- partial preliminary unknown",
        not_told="registered cancelled entered-in-error",
    ),
    Row(
        "Encounter", "status", "encounter-status (on-hold, discharged, completed, discontinued: R5)",
        present="- arrived triaged in-progress onleave on-hold discharged finished completed unknown",
        not_told="planned cancelled discontinued entered-in-error",
    ),
)  # fmt: skip
# A modifier that changes the meaning and that nobody here understands: such a resource must not be told.
_MODIFIERS: Final = ("modifierExtension", "implicitRules")
_NO_RISK: Final = "no-known-reaction-risk"


_EMPTY: Final[tuple[object, ...]] = (None, "", [], {})


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
        given: tuple[tuple[Assertion, str], ...] = (
            ("present", row.present),
            ("past", row.past),
            ("flagged", row.flagged),
            ("not told", row.not_told),
        )
        meanings = {code: says for says, codes_ in given for code in codes_.split()}
        for kind in row.kinds.split():
            table.setdefault(kind, {}).update(dict.fromkeys(row.elements.split(), meanings))
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
    given = {one.strip() for one in codes(value)} or {NONE_GIVEN if value in _EMPTY else "?"}
    pairs = [(code, meanings[code]) for code in sorted(given) if code in meanings]
    if not pairs:
        shown = ", ".join(sorted(given))[:60]
        return Verdict("flagged", f"{element} {shown!r} is no code that is known")
    code, asserts = max(pairs, key=lambda one: _GUARDED.index(one[1]))
    return Verdict(asserts, f"it has no {element}" if code == NONE_GIVEN else f"{element} is {code!r}")


def _exposure_risks(data: Json) -> frozenset[str]:
    risks: set[str] = set()
    for extension in listed(data.get("extension")):
        for part in (extension, *listed(extension.get("extension"))):
            risks |= codes(part.get("valueCodeableConcept")) | codes(part.get("valueCode"))
    return frozenset(risks)


def _has_abated(data: Json) -> bool:
    for key, value in data.items():
        if key.startswith("abatement"):
            return value not in (*_EMPTY, False, "false")
    return False


_STATES: Final = {"remission": "in remission"}


def state_of(data: Json) -> str:
    """The clinical status of a condition or an allergy in words; empty where the source gives none."""
    if _has_abated(data):
        return "resolved"
    given = codes(data.get("clinicalStatus")) | codes(data.get("status"))
    known = [code for code in _ELEMENTS["Condition"]["clinicalStatus"] if code in given]
    return _STATES.get(known[-1], known[-1]) if known else ""
