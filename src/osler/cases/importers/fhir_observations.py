"""The observations and reports of a FHIR record as findings, and its statements on habits and home."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from osler.cases.importers.fhir_record import Record, Resource, without_kind
from osler.cases.importers.fhir_values import codes, concept, concept_names, is_abnormal, listed, observed
from osler.cases.importers.findings import kind_of
from osler.cases.importers.json_paths import words_of
from osler.cases.model import Finding
from osler.knowledge.vocabulary import FindingKind

_VOID: Final = frozenset(("entered-in-error", "cancelled"))
_BEDSIDE: Final = frozenset(("vital-signs", "vital signs", "exam", "physical exam", "physical findings"))
_SOCIAL: Final = frozenset(("social-history", "social history"))
_HABIT: Final = re.compile(
    r"tobacco|smok|alcohol use|drug use|housing|employment|education level|marital", re.IGNORECASE
)
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


def findings_and_habits(
    record: Record, encounter: Resource | None, when: str, private: Callable[[str], bool]
) -> tuple[tuple[Finding, ...], list[tuple[str, Resource]], list[Resource]]:
    """The latest value of each observation up to `when`: findings, habits as words, unused resources.

    Values of the encounter itself take precedence. A panel's name orders all its members.
    """
    latest: dict[str, Resource] = {}
    unused: list[Resource] = []
    for found in record.of_type("Observation"):
        name, told = concept(found.data.get("code")), observed(found.data)
        usable = name and told and not codes(found.data.get("status")) & _VOID
        if not usable or (when and found.day > when) or private(f"{name} {told}"):
            unused.append(found)
            continue
        before = latest.get(name)
        if before is None or _rank(found, record, encounter) >= _rank(before, record, encounter):
            latest[name] = found
            unused += [before] if before else []
        else:
            unused.append(found)
    panels, reports, left = _reports(record, when, private)
    habits = [(_habit_words(found), found) for found in latest.values() if _is_habit(found)]
    shown = [found for found in latest.values() if not _is_habit(found)]
    findings = [_finding(found, panels.get(found.path, ()), record, encounter) for found in shown]
    findings += reports
    numbered = tuple(one.model_copy(update={"id": f"e{n}"}) for n, one in enumerate(findings, start=1))
    return numbered, habits, [*unused, *left]


def _rank(found: Resource, record: Record, encounter: Resource | None) -> tuple[bool, str]:
    return encounter is not None and record.resolve(found.data.get("encounter")) == encounter, found.day


def _is_habit(found: Resource) -> bool:
    social = codes(found.data.get("category")) & _SOCIAL
    return bool(social) or _HABIT.search(concept(found.data.get("code"))) is not None


def _habit_words(found: Resource) -> str:
    return f"{concept(found.data.get('code'))}: {without_kind(observed(found.data))}"


def _finding(found: Resource, panels: tuple[str, ...], record: Record, encounter: Resource | None) -> Finding:
    full = concept(found.data.get("code"))
    name = orderable(full)
    bedside = codes(found.data.get("category")) & _BEDSIDE
    vital = codes(found.data.get("category")) & {"vital-signs", "vital signs"}
    kind: FindingKind = "examination" if bedside else kind_of(name, "test")
    others = (full, *concept_names(found.data.get("code")), _ALSO.get(name.lower(), ""), *panels)
    aliases = dict.fromkeys(one for one in (*others, "Vital signs" if vital else "") if one and one != name)
    abnormal = is_abnormal(found.data)
    at_visit = encounter is not None and record.resolve(found.data.get("encounter")) == encounter
    taken = f" (taken {found.day})" if found.day and not at_visit else ""
    return Finding(
        id=found.path,
        kind=kind,
        name=name,
        aliases=tuple(aliases),
        result=f"{without_kind(observed(found.data))}{taken}",
        abnormal=abnormal,
        key=bool(abnormal),
        source=found.path,
    )


def orderable(name: str) -> str:
    """The orderable form of a LOINC long name: `Glucose [Mass/volume] in Urine by ...` -> `Urine glucose`."""
    found = _LONG_NAME.fullmatch(name)
    if not found:
        return name
    where = re.split(r"\s+by\s|\s+--", found["where"] or "")[0].strip()
    what = found["what"].strip()
    if not where or _USUAL_PLACES.search(where):
        return what
    return f"{where} {what[:1].lower()}{what[1:]}"


def _reports(
    record: Record, when: str, private: Callable[[str], bool]
) -> tuple[dict[str, tuple[str, ...]], list[Finding], list[Resource]]:
    """The panel names of each member by its path, reports with a conclusion, and the other reports."""
    panels: dict[str, tuple[str, ...]] = {}
    findings: list[Finding] = []
    left: list[Resource] = []
    for report in record.of_type("DiagnosticReport"):
        name = concept(report.data.get("code"))
        conclusion = words_of(report.data.get("conclusion"))
        late = bool(when) and report.day > when
        void = bool(codes(report.data.get("status")) & _VOID)
        if not late and not void and name:
            for reference in listed(report.data.get("result")):
                if member := record.resolve(reference):
                    names = (*panels.get(member.path, ()), name, orderable(name))
                    panels[member.path] = tuple(dict.fromkeys(names))
        if conclusion and name and not late and not void and not private(f"{name} {conclusion}"):
            findings.append(
                Finding(
                    id=report.path,
                    kind=kind_of(orderable(name), "test"),
                    name=orderable(name),
                    aliases=(name,) if name != orderable(name) else (),
                    result=conclusion,
                    source=report.path,
                )
            )
        else:
            left.append(report)
    return panels, findings, left
