"""The diagnosis of a FHIR record: which condition is asked for, and the visit at which it was seen.

It is a confirmed illness before one that is only suspected, an illness before a symptom, and never what is
said of somebody's work, home or school.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from osler.cases.importers.fhir_absences import wording_of
from osler.cases.importers.fhir_record import Record, Resource, without_kind
from osler.cases.importers.fhir_statuses import verdict_of
from osler.cases.importers.fhir_times import OPEN_VISIT, Interval, visit_of
from osler.cases.importers.fhir_values import codes, concept_names
from osler.errors import BadCase

# Categories of US Core and the Gravity project, and the general word for them all.
_SOCIAL_CATEGORIES: Final = frozenset(
    "sdoh social-history social-determinant-of-health food-insecurity housing-instability homelessness "
    "inadequate-housing transportation-insecurity financial-insecurity material-hardship employment-status "
    "educational-attainment veteran-status social-connection intimate-partner-violence elder-abuse "
    "personal-health-literacy health-insurance-coverage-status medical-cost-burden digital-literacy "
    "digital-access utility-insecurity incarceration-status language-access stress".split()
)
_SOCIAL_TAGS: Final = frozenset(("social concept", "person", "occupation", "life style"))
# ICD-10 Z55 to Z65: problems of schooling, work, housing, money and family.
_SOCIAL_ICD: Final = re.compile(r"z(?:5[5-9]|6[0-5])(?:\.?\w*)")
_SOCIAL_WORDS: Final = re.compile(
    r"(?:(?:full|part)[- ]time |self[- ]|un|under)?employ(?:ment|ed|ment status)(?: .*)?|"
    r"not in (?:the )?labou?r (?:force|market)|retired(?: .*)?|unable to work|out of work|student|"
    r"(?:received |has )?(?:a )?(?:higher|primary|secondary|high school|tertiary|further|no formal)"
    r"[- ](?:education|school)\b.*|educat(?:ion|ed)\b.*|only received .*|received certificate of .*|"
    r"(?:school|college|university) (?:attend|leav)\w+.*|stress|stress at (?:work|home)|"
    r"social (?:isolation|problem|migrant)|limited social contact|lives? (?:alone|with .*)|"
    r"home ?less(?:ness)?|(?:unsatisfactory )?housing\b.*|lack of access to .*|"
    r"(?:lack of )?(?:access to )?transport(?:ation)?\b.*|food insecurity|poverty|"
    r"has a criminal record|victim of .*|reports? of violence in the environment|refugee\b.*|"
    r"(?:was )?in (?:the )?prison|serv(?:ing|ed) in (?:the )?(?:military|armed).*|"
    r"(?:military|armed forces) .*|veteran\b.*|risk activity involvement|medication review due|"
    r"(?:low|no|insufficient) income|(?:no|lack of|insufficient) (?:health )?insurance\b.*|"
    r"(?:married|single|divorced|widowed)(?: person)?|"
    r"(?:financial|marital) (?:problem|conflict|difficult)\w*.*",
    re.IGNORECASE,
)
_DISORDER: Final = frozenset(("disorder", "morphologic abnormality"))


class DiagnosisChoice(NamedTuple):
    """The condition chosen as the diagnosis, its encounter, the visit, its day, and a doubt about the choice.

    The last four are empty where they are not known or there is none.
    """

    condition: Resource
    encounter: Resource | None
    visit: Interval | None
    day: str
    doubt: str = ""


def is_social(condition: Resource) -> bool:
    """Whether a condition is about work, schooling, housing, money or company rather than about health."""
    if condition.tags & _DISORDER:
        return False
    category = codes(condition.data.get("category"))
    code = codes(condition.data.get("code"))
    return (
        bool(category & _SOCIAL_CATEGORIES or condition.tags & _SOCIAL_TAGS)
        or any(_SOCIAL_ICD.fullmatch(one) for one in code)
        or any(
            _SOCIAL_WORDS.fullmatch(without_kind(name)) for name in concept_names(condition.data.get("code"))
        )
    )


def is_active(condition: Resource) -> bool:
    """Whether a condition is neither inactive, in remission, resolved nor abated."""
    return verdict_of("Condition", {**condition.data, "verificationStatus": None}).asserts != "past"


def chosen_of(record: Record) -> DiagnosisChoice:
    """Choose the diagnosis. Raises BadCase where no condition can be one."""
    types = [one for one in record.of_type("Condition") if concept_names(one.data.get("code"))]
    if not types:
        raise BadCase("it has no Condition that says what it is")
    possible = [one for one in types if _may_be_asked(record, one)]
    if not possible:
        raise BadCase(
            "none of its Conditions is there: they are refuted, entered in error, absent or unknown"
        )
    clinical = [one for one in possible if not is_social(one)]
    if not clinical:
        raise BadCase("its Conditions are about work, home or school, and none is an illness")
    sure = [one for one in clinical if not _doubt(record, one)]
    choice = _latest(record, sure or clinical)
    return choice._replace(doubt=_doubt(record, choice.condition))


def _may_be_asked(record: Record, condition: Resource) -> bool:
    if record.verdict(condition).asserts == "not told":
        return False
    return wording_of("Condition", condition.data.get("code")).presence in ("stated", "suspected")


def _doubt(record: Record, condition: Resource) -> str:
    """Return the reason for doubting that the patient has this condition; empty if there is none."""
    verdict = record.verdict(condition)
    if not verdict.is_told:
        return verdict.why
    if wording_of("Condition", condition.data.get("code")).presence == "suspected":
        return "its name says that it is only suspected"
    return "another resource refutes it" if record.is_refuted_elsewhere(condition) else ""


def _latest(record: Record, conditions: list[Resource]) -> DiagnosisChoice:
    """The illness of the last encounter that has one; without such an encounter, the latest active one."""
    paths = {one.path for one in conditions}
    encounters = [one for one in record.of_type("Encounter") if record.verdict(one).asserts != "not told"]
    for encounter in sorted(encounters, key=_order, reverse=True):
        here = record.conditions_at.get(encounter.path, ())
        resources = [one for one in here if one.path in paths and one.is_disorder]
        if resources:
            return _at(record, max(resources, key=lambda one: (is_active(one), _order(one))), encounter)
    condition = max(conditions, key=lambda one: (one.is_disorder, is_active(one), _order(one)))
    return _at(record, condition, record.encounter_of(condition))


def _order(resource: Resource) -> tuple[float, str]:
    return (resource.when.first.timestamp() if resource.when else float("-inf"), resource.day)


def _at(record: Record, condition: Resource, encounter: Resource | None) -> DiagnosisChoice:
    if encounter is not None and encounter.when is not None:
        visit = visit_of(encounter.data.get("period"), record.zone) or encounter.when
        return DiagnosisChoice(condition, encounter, visit, encounter.day)
    if condition.when is not None:
        return DiagnosisChoice(condition, encounter, _for_a_day(condition.when), condition.day)
    last = max(record.resources, key=_order)
    return DiagnosisChoice(condition, encounter, last.when, last.day)


def _for_a_day(when: Interval) -> Interval:
    return Interval(when.first, max(when.last, when.first + OPEN_VISIT))
