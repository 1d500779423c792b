"""The observations and reports of a FHIR record as findings, and its statements on habits and home."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from osler.cases.importers.fhir_diagnosis import DiagnosisChoice
from osler.cases.importers.fhir_record import Record, Resource, without_kind
from osler.cases.importers.fhir_statements import Unsaid, belongs, is_later
from osler.cases.importers.fhir_values import (
    codes,
    concept,
    concept_names,
    is_abnormal,
    listed,
    observed,
)
from osler.cases.importers.findings import kind_of
from osler.cases.importers.json_paths import words_of
from osler.cases.model import Finding
from osler.knowledge.vocabulary import FindingKind

_BEDSIDE: Final = frozenset(("vital-signs", "vital signs", "exam", "physical exam", "physical findings"))
_SOCIAL: Final = frozenset(("social-history", "social history"))
_HABIT: Final = re.compile(
    r"tobacco|smok|alcohol use|drug use|housing|employment|education level|marital", re.IGNORECASE
)
_OF_DEATH: Final = re.compile(r"cause of death|death certificate|certificate of death|autopsy", re.IGNORECASE)
# LOINC's long names: `Hemoglobin [Mass/volume] in Blood by Automated count`.
_LONG_NAME: Final = re.compile(
    r"(?P<what>[^\[]{2,120}?)\s*\[[^\]]{0,80}\]"
    r"(?:\s+in\s+(?P<where>[^\[]{1,80}?))?(?:\s+by\s.*)?"
)
_USUAL_PLACES: Final = re.compile(r"\b(?:blood|serum|plasma|red blood cells)\b", re.IGNORECASE)
_ALSO: Final = {
    "leukocytes": "White cell count",
    "erythrocytes": "Red cell count",
    "platelets": "Platelet count",
    "urea nitrogen": "Urea",
    "carbon dioxide, total": "Bicarbonate",
    "body weight": "Weight",
    "body height": "Height",
    "heart rate": "Pulse",
    "hemoglobin a1c/hemoglobin.total": "HbA1c",
}


class Observed(NamedTuple):
    """The observations of a record: findings, habits in words, and what is not told, with the reason."""

    findings: tuple[Finding, ...]
    habits: list[tuple[str, Resource]]
    unused: list[tuple[Resource, Unsaid]]


def observations_of(record: Record, choice: DiagnosisChoice) -> Observed:
    """The latest value of each observation up to the end of the visit, and the reports with a conclusion.

    Values of the visit itself take precedence. A panel's name orders all its members.
    """
    panels, reports, unused = _reports(record, choice)
    reported = _members_at_visit(record, choice)
    latest: dict[str, Resource] = {}
    for one in record.of_type("Observation"):
        if unsaid := _unsaid(one, record, choice, reported=one.path in reported):
            unused.append((one, unsaid))
            continue
        name = concept(one.data.get("code"))
        before = latest.get(name)
        if before is None or _rank(one, record, choice) >= _rank(before, record, choice):
            latest[name] = one
            unused += [(before, _SUPERSEDED)] if before else []
        else:
            unused.append((one, _SUPERSEDED))
    habits = [(_habit_words(one), one) for one in latest.values() if _is_habit(one)]
    resources = [one for one in latest.values() if not _is_habit(one)]
    findings = [_finding(one, panels.get(one.path, ()), record, choice) for one in resources]
    findings += reports
    numbered = tuple(one.model_copy(update={"id": f"e{n}"}) for n, one in enumerate(findings, start=1))
    return Observed(numbered, habits, unused)


_SUPERSEDED: Final = Unsaid("another value of it is told")


def _unsaid(one: Resource, record: Record, choice: DiagnosisChoice, *, reported: bool) -> Unsaid | None:
    """Return why an observation is untold, else `None`. `reported` is one in a report of the visit."""
    verdict = record.verdict(one)
    name, value = concept(one.data.get("code")), observed(one.data)
    if not verdict.is_told:
        return Unsaid(verdict.why, is_doubtful=verdict.asserts == "flagged")
    if not name:
        return Unsaid("it has no name in words")
    if _OF_DEATH.search(name):
        return Unsaid("it is about the patient's death")
    if not value:
        return Unsaid("it has no value that can be told in words")
    if not reported and is_later(one, record, choice):
        return Unsaid("it is later than the visit")
    return Unsaid("") if _names_patient(one, f"{name} {value}", record) else None


def _names_patient(one: Resource, text: str, record: Record) -> bool:
    """Whether what would be told of an observation or a report says who the patient is."""
    parts = (one.data, *listed(one.data.get("component")))
    prose = [str(part.get(key)) for part in parts for key in ("valueString", "conclusion") if part.get(key)]
    return record.identity.is_in_term(text) or any(map(record.identity.is_in_prose, prose))


def _rank(one: Resource, record: Record, choice: DiagnosisChoice) -> tuple[bool, float]:
    when = record.when_of(one)
    return belongs(one, record, choice), when.first.timestamp() if when else float("-inf")


def _is_habit(resource: Resource) -> bool:
    social = codes(resource.data.get("category")) & _SOCIAL
    return bool(social) or _HABIT.search(concept(resource.data.get("code"))) is not None


def _habit_words(resource: Resource) -> str:
    return f"{concept(resource.data.get('code'))}: {without_kind(observed(resource.data))}"


def _finding(resource: Resource, panels: tuple[str, ...], record: Record, choice: DiagnosisChoice) -> Finding:
    full = concept(resource.data.get("code"))
    name = orderable(full)
    bedside = codes(resource.data.get("category")) & _BEDSIDE
    vital = codes(resource.data.get("category")) & {"vital-signs", "vital signs"}
    kind: FindingKind = "examination" if bedside else kind_of(name, "test")
    others = (full, *concept_names(resource.data.get("code")), _ALSO.get(name.lower(), ""), *panels)
    aliases = dict.fromkeys(one for one in (*others, "Vital signs" if vital else "") if one and one != name)
    abnormal = is_abnormal(resource.data)
    day = "at birth" if resource.day == record.born else resource.day
    text = f" (taken {day})" if day and not belongs(resource, record, choice) else ""
    return Finding(
        id=resource.path,
        kind=kind,
        name=name,
        aliases=tuple(aliases),
        result=f"{without_kind(observed(resource.data))}{text}",
        abnormal=abnormal,
        key=bool(abnormal),
        source=resource.path,
    )


def orderable(name: str) -> str:
    """The orderable form of a LOINC long name: `Glucose [Mass/volume] in Urine by ...` -> `Urine glucose`."""
    match = _LONG_NAME.fullmatch(name)
    if not match:
        return name
    where = re.split(r"\s+by\s|\s+--", match["where"] or "")[0].strip()
    what = match["what"].strip()
    if not where or _USUAL_PLACES.search(where):
        return what
    return f"{where} {what[:1].lower()}{what[1:]}"


def _reports(
    record: Record, choice: DiagnosisChoice
) -> tuple[dict[str, tuple[str, ...]], list[Finding], list[tuple[Resource, Unsaid]]]:
    """The panel names of each member by its path, reports with a conclusion, and the other reports."""
    panels: dict[str, tuple[str, ...]] = {}
    findings: list[Finding] = []
    left: list[tuple[Resource, Unsaid]] = []
    for report in record.of_type("DiagnosticReport"):
        name = concept(report.data.get("code"))
        conclusion = words_of(report.data.get("conclusion"))
        verdict = record.verdict(report)
        if not verdict.is_told:
            left.append((report, Unsaid(verdict.why, is_doubtful=verdict.asserts == "flagged")))
        elif is_later(report, record, choice):
            left.append((report, Unsaid("it is later than the visit")))
        elif not name:
            left.append((report, Unsaid("it has no name in words")))
        else:
            for reference in listed(report.data.get("result")):
                if member := record.resolve(reference):
                    names = (*panels.get(member.path, ()), name, orderable(name))
                    panels[member.path] = tuple(dict.fromkeys(names))
            if conclusion and not _names_patient(report, name, record):
                findings.append(_reported(report, name, conclusion))
            else:
                left.append((report, Unsaid("")))
    return panels, findings, left


def _members_at_visit(record: Record, choice: DiagnosisChoice) -> frozenset[str]:
    """The paths of the observations in reports of the visit's encounter."""
    return frozenset(
        member.path
        for report in record.of_type("DiagnosticReport")
        if belongs(report, record, choice)
        for reference in listed(report.data.get("result"))
        if (member := record.resolve(reference))
    )


def _reported(report: Resource, name: str, conclusion: str) -> Finding:
    return Finding(
        id=report.path,
        kind=kind_of(orderable(name), "test"),
        name=orderable(name),
        aliases=(name,) if name != orderable(name) else (),
        result=conclusion,
        source=report.path,
    )
