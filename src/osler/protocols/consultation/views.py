"""The views of a case: the only place that decides what each seat may see of it.

A view never carries the case's id, title, diagnosis, answer, management or teaching plan. Facts that are only
in the medical record are not the speaker's: they are looked up as the finding "Medical records".
"""

from __future__ import annotations

from osler.cases.model import Case, once_a_case
from osler.protocols.consultation.seats import (
    ConsultantView,
    DoctorView,
    ExaminationView,
    FindingView,
    TaskView,
)

RECORDS = "Medical records"


def task_view(case: Case, *, options_shown: bool) -> TaskView:
    """The case's question, with its options only where the run shows them."""
    task = case.task
    return TaskView(kind=task.kind, question=task.question, options=task.options if options_shown else None)


@once_a_case
def doctor_view(
    case: Case,
    *,
    options_shown: bool,
    max_turns: int,
    max_tests_per_visit: int | None,
    max_visits: int,
    has_consultant: bool,
) -> DoctorView:
    """The doctor's view: what is known before the first word."""
    return DoctorView(
        door_note=case.opening.door_note,
        patient_opening=case.opening.words,
        age_years=case.age_years,
        sex=case.sex,
        task=task_view(case, options_shown=options_shown),
        max_total_turns=max_turns,
        max_tests_per_visit=max_tests_per_visit,
        max_visits=max_visits,
        has_consultant=has_consultant,
    )


@once_a_case
def examination_view(case: Case) -> ExaminationView:
    """The examination service's view: every result of the case, and the facts that are only in the record."""
    findings = [
        FindingView(id=f.id, kind=f.kind, name=f.name, aliases=f.aliases, result=f.result)
        for f in case.findings
    ]
    findings += [
        FindingView(id=fact.id, kind="test", name=RECORDS, aliases=("old notes", "records"), result=fact.text)
        for fact in case.facts
        if fact.known_by == "record"
    ]
    return ExaminationView(findings=tuple(findings))


@once_a_case
def consultant_view(case: Case, *, options_shown: bool) -> ConsultantView:
    """The consultant's view: what a consultant starts from."""
    return ConsultantView(
        door_note=case.opening.door_note,
        patient_opening=case.opening.words,
        age_years=case.age_years,
        sex=case.sex,
        task=task_view(case, options_shown=options_shown),
    )
