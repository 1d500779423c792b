"""The views of a case: the only place that decides what each seat may see of it.

A view never carries the case's id, title, diagnosis, answer, management or teaching plan. Facts that are only
in the medical record are not the speaker's: they are looked up as the finding "Medical records".
"""

from __future__ import annotations

import re
from typing import Final, Literal

from osler.cases.door_note import Shown, door_note
from osler.cases.model import Case, Fact, once_a_case
from osler.knowledge.catalogue import RECORDS
from osler.knowledge.vocabulary import NOBODY
from osler.protocols.consultation.seats import (
    ConsultantView,
    DoctorView,
    ExaminationView,
    FindingView,
    SummarizerView,
    SynthesizerView,
    TaskView,
    ToldView,
)

_DENIES: Final = re.compile(
    r"\b(?:no|not|never|none|nothing|neither|nor|without|den(?:y|ies|ied)|negative|nil)\b|n't\b",
    re.IGNORECASE,
)
_ENDS: Final = (".", "!", "?", ";")


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
    opening: Shown = "objective",
    allowed_tests: tuple[str, ...] | None = None,
) -> DoctorView:
    """The doctor's view: what is known before the first word. `allowed_tests` is no part of the case."""
    return DoctorView(
        door_note=door_note(case, opening),
        patient_opening=case.opening.words,
        age_years=case.age_years,
        sex=case.sex,
        task=task_view(case, options_shown=options_shown),
        max_total_turns=max_turns,
        max_tests_per_visit=max_tests_per_visit,
        max_visits=max_visits,
        has_consultant=has_consultant,
        allowed_tests=allowed_tests,
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
def consultant_view(case: Case, *, options_shown: bool, opening: Shown = "objective") -> ConsultantView:
    """The consultant's view: what a consultant starts from."""
    return ConsultantView(
        door_note=door_note(case, opening),
        patient_opening=case.opening.words,
        age_years=case.age_years,
        sex=case.sex,
        task=task_view(case, options_shown=options_shown),
    )


@once_a_case
def told_view(
    case: Case,
    *,
    options_shown: bool,
    told: Literal["vignette", "statement", "record", "summary"],
    opening: Shown = "objective",
) -> ToldView:
    """The view of a doctor who is told of the patient and only concludes. A summary stands alone: nothing
    that was known before it is shown beside it, but for age and sex."""
    alone = told == "summary"
    return ToldView(
        door_note="" if alone else door_note(case, opening),
        patient_opening="" if alone else case.opening.words,
        age_years=case.age_years,
        sex=case.sex,
        task=task_view(case, options_shown=options_shown),
        max_total_turns=1,
        max_tests_per_visit=0,
        max_visits=1,
        has_consultant=False,
        told=told,
    )


def told_facts(case: Case) -> tuple[Fact, ...]:
    """The facts that a history tells: all but those that stand in the notes alone."""
    return tuple(fact for fact in case.facts if fact.known_by != "record")


@once_a_case
def history(case: Case) -> str:
    """The history in full, as the record would have it: the patient's first words, and every fact that the
    patient or another speaker knows, whatever it would take to be told it in a consultation."""
    facts = [_stated(fact) for fact in told_facts(case)]
    first = f'In the words of the {case.speaker}: "{case.opening.words}"'
    if case.speaker == NOBODY:
        first = case.opening.words
    return "\n".join([first, " ".join(["History:", *facts])] if facts else [first])


@once_a_case
def vignette(case: Case) -> str:
    """The whole case as one text, as it would be written for an examination: the history, what the notes say,
    and what examinations and tests show; drawn pictures by their reports. Image files have none, and are
    shown beside it."""
    parts = {
        "From the notes": [_stated(fact) for fact in case.facts if fact.known_by == "record"],
        "On examination": [
            _ended(f"{one.name}: {one.result}") for one in case.findings if one.kind == "examination"
        ],
        "Results": [
            _ended(f"{one.name}: {one.result}") for one in case.findings if one.kind != "examination"
        ],
    }
    found = [" ".join([f"{title}:", *lines]) for title, lines in parts.items() if lines]
    return "\n".join([history(case), *found])


def _stated(fact: Fact) -> str:
    denied = fact.absent and not _DENIES.search(fact.text)
    return _ended(f"No: {fact.text}" if denied else fact.text)


def _ended(text: str) -> str:
    text = text.strip()
    return text if text.endswith(_ENDS) else f"{text}."


@once_a_case
def summarizer_view(case: Case, *, opening: Shown = "objective") -> SummarizerView:
    """The summarizer's view: what stood on the door."""
    return SummarizerView(door_note=door_note(case, opening), age_years=case.age_years, sex=case.sex)


@once_a_case
def synthesizer_view(case: Case) -> SynthesizerView:
    """The view of whoever makes up results: age and sex."""
    return SynthesizerView(age_years=case.age_years, sex=case.sex)
