"""The views of the teaching ward round and its exam: what each seat may see of a case.

Students never see the answer, the steps or the case's title, and no result that names the answer is on their
chart; they see the options of a choice question only in the exam. The expert sees nothing of the case. The
exam's questions and its answer key are built separately: the items go to the students, the key stays with the
judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from osler.cases.answers import answer_of, names_the_answer
from osler.cases.model import Case, Finding, SocraticStep, TeachingPlan, once_a_case
from osler.cases.pictures import images_of
from osler.core.pictures import Picture
from osler.errors import BadCase
from osler.knowledge.vocabulary import FindingKind
from osler.protocols.ward_round.events import ExamItem
from osler.protocols.ward_round.seats import (
    ChartEntry,
    ExpertView,
    ImageView,
    SpecialistView,
    StepView,
    StudentProfile,
    StudentView,
    SupervisorView,
    TutorView,
)

CASE_ITEM: Final = "case"

_UNFOLDS: Final = ("examination", "test", "image")

COMPLAINT: Final = "Presenting complaint"


class Keyed(NamedTuple):
    """The answer key of one item.

    `step` counts from 1 and is 0 for the case's own question; `choices` is the number of options, 0 for a
    free-text answer.
    """

    answer: str
    step: int
    choices: int


def teaching_plan(case: Case) -> TeachingPlan:
    """The case's teaching plan. Raises BadCase where there is none."""
    if case.teaching is None or not case.teaching.steps:
        raise BadCase(
            "the case has no steps to teach by", where=case.id, hint="use a case with a teaching plan"
        )
    return case.teaching


@once_a_case
def _open_findings(case: Case) -> tuple[Finding, ...]:
    """The findings that do not name the answer, which students may read."""
    return tuple(f for f in case.findings if not names_the_answer(case, f"{f.name} {f.result}"))


def student_view(
    case: Case,
    cohort: Sequence[StudentProfile],
    index: int,
    *,
    max_rounds: int,
    patient: bool,
    expert: bool,
    all_hear_expert: bool = False,
) -> StudentView:
    """The view of one student, without any result. Without a patient, the presenting complaint is on the
    chart."""
    complaint = ChartEntry(name=COMPLAINT, result=case.opening.words)
    return StudentView(
        **_bedside(case, (), max_rounds),
        chart=() if patient else (complaint,),
        you=cohort[index],
        peers=tuple(student.name for n, student in enumerate(cohort) if n != index),
        has_patient=patient,
        has_expert=expert,
        all_hear_expert=all_hear_expert and expert and len(cohort) > 1,
    )


class Sheet(NamedTuple):
    """A result that is added to the students' chart, under the name that the tutor knows an image by."""

    name: str
    kind: FindingKind
    result: str
    picture: Picture | None


@once_a_case
def chart_by_round(case: Case, *, rounds: int) -> tuple[tuple[Sheet, ...], ...]:
    """The results that students see, by the round in which they are added: examinations in the first, tests
    and then images spread over the rest. Results that name the answer are left out."""
    images = {finding.id: ident for ident, finding in images_of(case).items()}
    findings = sorted(_open_findings(case), key=lambda finding: _UNFOLDS.index(finding.kind))
    first = [finding for finding in findings if finding.kind == "examination"]
    later = [finding for finding in findings if finding.kind != "examination"]
    parts = [first, *([] for _ in range(rounds - 1))]
    after = parts[1:] or parts
    for at, finding in enumerate(later):
        after[at * len(after) // len(later)].append(finding)
    return tuple(tuple(_sheet(finding, images.get(finding.id)) for finding in part) for part in parts)


def _sheet(finding: Finding, image: str | None) -> Sheet:
    # An image without a name of its own is called "Image 1" where the others are "ECG (image-1)".
    own = image is None or finding.name.casefold() == image.replace("-", " ")
    name = finding.name if own else f"{finding.name} ({image})"
    return Sheet(name, finding.kind, finding.result, finding.picture)


def tutor_view(
    case: Case,
    plan: TeachingPlan,
    cohort: Sequence[StudentProfile],
    *,
    max_rounds: int,
    max_drafts: int,
    private_thought: bool,
) -> TutorView:
    """The tutor's view: everything that helps to teach the case, following `plan`."""
    images = images_of(case)
    return TutorView(
        **_bedside(case, case.findings, max_rounds),
        chart=_chart(case.findings),
        students=tuple(student.name for student in cohort),
        options=case.task.options,
        answer=answer_of(case),
        steps=tuple(
            StepView(
                number=n,
                key_question=step.key_question,
                summary=step.summary,
                image=_image_of(step, images),
            )
            for n, step in enumerate(plan.steps, 1)
        ),
        max_drafts=max_drafts,
        private_thought=private_thought,
    )


@once_a_case
def specialist_view(case: Case, *, strict: bool = False) -> SpecialistView:
    """The specialist's view: what facts are checked against."""
    others = case.diagnosis.alternatives if case.diagnosis else ()
    return SpecialistView(
        answer=answer_of(case),
        alternatives=tuple(other.name for other in others),
        facts=(case.opening.words, *(fact.text for fact in case.facts)),
        chart=_chart(case.findings),
        images=tuple(one for one in _shown(case) if one.picture is not None),
        strict=strict,
    )


def supervisor_view(cohort: Sequence[StudentProfile], *, strict: bool = False) -> SupervisorView:
    """The supervisor's view: the students, and nothing of the case."""
    return SupervisorView(students=tuple(student.name for student in cohort), strict=strict)


def expert_view() -> ExpertView:
    """The expert's view: nothing of the case."""
    return ExpertView()


@once_a_case
def exam_items(case: Case, *, with_steps: bool) -> tuple[ExamItem, ...]:
    """The exam: the case's own question, the steps' key questions (`with_steps`) and the sibling questions.

    A question that names the answer is left out, because students also sit the exam before the first round.
    """
    plan, task = teaching_plan(case), case.task
    options = task.options if task.kind == "choice" else None
    own = ExamItem(id=CASE_ITEM, question=task.question, options=options)
    items: list[ExamItem] = []
    if with_steps:
        items += [
            ExamItem(id=f"step-{n}", question=step.key_question) for n, step in enumerate(plan.steps, 1)
        ]
    items += [
        ExamItem(id=f"sibling-{n}", question=each.stem, options=each.options)
        for n, each in enumerate(plan.siblings, 1)
    ]
    return (own, *(item for item in items if not names_the_answer(case, _all_of(item))))


def _all_of(item: ExamItem) -> str:
    return " ".join((item.question, *(item.options or {}).values()))


@once_a_case
def exam_key(case: Case) -> dict[str, Keyed]:
    """The right answer of every item that `exam_items` may hold, by its id."""
    plan, task = teaching_plan(case), case.task
    choices = len(task.options) if task.kind == "choice" and task.options else 0
    key = {CASE_ITEM: Keyed(task.answer, 0, choices)}
    key |= {f"step-{n}": Keyed(step.summary, n, 0) for n, step in enumerate(plan.steps, 1)}
    key |= {
        f"sibling-{n}": Keyed(each.answer, each.step + 1, len(each.options))
        for n, each in enumerate(plan.siblings, 1)
    }
    return key


def _bedside(case: Case, findings: Sequence[Finding], max_rounds: int) -> dict[str, Any]:
    """The fields shared by the students' and the tutor's views."""
    return {
        "door_note": case.opening.door_note,
        "question": case.task.question,
        "images": _shown(case) if findings else (),
        "max_rounds": max_rounds,
    }


def _shown(case: Case) -> tuple[ImageView, ...]:
    """The case's images under the ids that every seat uses for them."""
    return tuple(
        ImageView(id=ident, name=finding.name, picture=finding.picture)
        for ident, finding in images_of(case).items()
    )


def _image_of(step: SocraticStep, images: Mapping[str, Finding]) -> str | None:
    """The id of the image that a step is about; the plan names it by its finding or by an imported file."""
    if step.image is None:
        return None
    return next(
        (ident for ident, f in images.items() if step.image == f.id or f.result.endswith(step.image)), None
    )


def _chart(findings: Sequence[Finding]) -> tuple[ChartEntry, ...]:
    return tuple(ChartEntry(name=finding.name, result=finding.result) for finding in findings)
