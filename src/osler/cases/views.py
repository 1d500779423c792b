"""The views of a case: the only place that decides what each seat may see of it.

A view never carries the case's id, title, diagnosis, answer, management or teaching plan. Facts that are only
in the medical record are not the speaker's: they are looked up as the finding "Medical records".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from osler.cases.model import Case
from osler.knowledge.conditions import likely_findings
from osler.knowledge.findings import Finding
from osler.knowledge.reading import mentions
from osler.seats.consultant import ConsultantView
from osler.seats.doctor import DoctorView, TaskView
from osler.seats.examination import ExaminationView, FindingView
from osler.seats.patient import PatientFact, PatientView, Persona, Unknown

RECORDS = "Medical records"
_KEPT = 256
_ASKS_THE_CASE: tuple[Unknown, ...] = ("standard", "synthesize")
"""Policies under which a symptom may be denied only where the case was not obliged to mention it."""
_P = ParamSpec("_P")
_T = TypeVar("_T")


def once_a_case(
    build: Callable[Concatenate[Case, _P], _T],
) -> Callable[Concatenate[Case, _P], _T]:
    """Memoize a view builder by the case's content, so that repeats of a case share the result.

    The last few hundred results are kept.
    """
    kept: dict[tuple[object, ...], _T] = {}

    def built(case: Case, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        key = (case.content_hash, *args, *kwargs.values())
        if (found := kept.get(key)) is None:
            if len(kept) >= _KEPT:
                kept.clear()
            found = kept[key] = build(case, *args, **kwargs)
        return found

    return built


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
def patient_view(case: Case, *, persona: Persona, unknown: Unknown) -> PatientView:
    """The patient's view: every fact the speaker knows, leaving out those that are only in the record."""
    facts = tuple(
        PatientFact(
            id=fact.id,
            topic=fact.topic,
            text=fact.text,
            spoken=fact.spoken,
            told=fact.told,
            absent=fact.absent,
        )
        for fact in case.facts
        if fact.known_by != "record"
    )
    return PatientView(
        speaker=case.speaker,
        persona=persona,
        age_years=case.age_years,
        sex=case.sex,
        opening=case.opening.words,
        facts=facts,
        unknown=unknown,
        unsure_of=_unsure_of(case) if unknown in _ASKS_THE_CASE else (),
    )


def _unsure_of(case: Case) -> tuple[str, ...]:
    return tuple(finding.id for finding in unwritten(case) if finding.order is None)


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


def likely(case: Case) -> tuple[Finding, ...]:
    """Findings that the diagnosis makes likely."""
    return likely_findings(case.diagnosis.name if case.diagnosis else case.task.answer)


@once_a_case
def unwritten(case: Case) -> tuple[Finding, ...]:
    """Findings that the diagnosis makes likely and the case does not mention.

    No player may deny these or call them normal: the case ought to have said.
    """
    ought = likely(case)
    if not ought:
        return ()
    written = [case.opening.words, case.opening.door_note]
    written += [fact.text for fact in case.facts] + [finding.result for finding in case.findings]
    mentioned = set[str]().union(*(mentions(text) for text in written))
    return tuple(finding for finding in ought if finding.id not in mentioned)
