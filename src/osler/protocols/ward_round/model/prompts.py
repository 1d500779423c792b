"""Prompt text of the ward round: each seat's first message, and a line for each event."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import Event, View
from osler.core.pictures import Picture
from osler.players.model.event_text import SHARED_LINES
from osler.players.model.neutral_names import Names, name_of
from osler.players.model.schemas import asked_in, closed
from osler.players.model.seat import Lines, ModelSeat, Moves
from osler.protocols.ward_round.events import (
    Claimed,
    Covered,
    ExamSet,
    Reviewed,
    RoundBegan,
    RoundLine,
    Unguided,
    Wanted,
)
from osler.protocols.ward_round.model.schemas import (
    EXPLANATIONS,
    FACT_CHECK,
    ITEMS,
    SAFETY_CHECK,
    STEPS,
    STUDENT_FORMS,
    STUDENTS,
    form_of,
    student_form,
)
from osler.protocols.ward_round.monologue import Thought, Turn, render
from osler.protocols.ward_round.seats import (
    Action,
    Analysis,
    ExamReply,
    FactCheck,
    Guidance,
    SafetyCheck,
    SpecialistView,
    StudentView,
    SupervisorView,
    TutorView,
)
from osler.text.hostile import block, neutral

_PROMPTS: Final = "osler.protocols.ward_round:prompts/"
_ACTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "analyse": f"Write your analysis for the tutor. {asked_in(STUDENT_FORMS['analyse'])}",
        "guide": "Guide the group now.",
        "revise": "Your draft was rejected. Write it again, with the thought behind it.",
        "review": "Review this draft.",
        "answer": "Answer now.",
        "exam": "Answer every item of the exam; where an item has options, with the option's letter. "
        f"{asked_in(STUDENT_FORMS['exam'])}",
    }
)

_TAGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "statement": "patient_says",
        "analysis": "analysis",
        "draft": "draft",
        "guidance": "tutor_says",
        "question": "asked_the_patient",
        "query": "asked_the_expert",
        "explanation": "expert_says",
    }
)

_BLOCK: Final = re.compile(r'<think_(\w+)(?: student_id="([^"]*)")?>(.*?)</think_\1>', re.DOTALL)


def _values(view: View, moves: Moves) -> dict[str, object]:
    """The template values of a view; with text moves a tutor writes its thought in tags, if it has any."""
    values: dict[str, object] = view.model_dump(exclude={"images"})
    # These are left out of a view where they are false.
    if isinstance(view, SpecialistView | SupervisorView):
        values["strict"] = view.strict
    if isinstance(view, StudentView):
        values["all_hear_expert"] = view.all_hear_expert
    if isinstance(view, TutorView | StudentView | SpecialistView):
        # Pictures are attached as images if the model has eyes; their data is not prompt text.
        values["images"] = [{"id": image.id, "name": image.name} for image in view.images]
    if isinstance(view, TutorView):
        steps, students = step_names(view), student_names(view.students)
        values["steps"] = [
            {**step.model_dump(), "named": steps.name(str(step.number))} for step in view.steps
        ]
        values |= {
            "text_form": moves == "text",
            "named": [(students.name(one), one) for one in view.students],
        }
    return values


def _pictures(view: TutorView | StudentView | SpecialistView) -> Iterator[Picture]:
    return (image.picture for image in view.images if image.picture is not None)


def _own_guidance(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    """Render a tutor's earlier turn as it wrote it, with the thought in the fields or tags requested."""
    assert isinstance(reply, Guidance)
    parts = _BLOCK.findall(reply.internal_monologue)
    said = {kind: neutral(words) for kind, _, words in parts if kind != "student"}
    students = [(name, neutral(words)) for kind, name, words in parts if kind == "student"]
    if moves == "text":
        if not parts:
            return neutral(reply.guidance)
        image = said.get("image")
        thought = Thought(said["history"], said["question"], tuple(students), said["group"], image)
        return render(Turn(thought, neutral(reply.guidance)))
    assert isinstance(view, TutorView)
    fields: dict[str, object] = {}
    if parts:
        names = student_names(view.students)
        named = [{"name": names.name(name), "thought": words} for name, words in students]
        looks = {"image": said["image"]} if "image" in said else {}
        fields = {"history": said["history"], "question": said["question"], "students": named}
        fields |= {"group": said["group"], **looks}
    steps = step_names(view)
    covered = [steps.name(str(number)) for number in reply.covered_steps]
    return closed("GUIDE", **fields, guidance=reply.guidance, covered_steps=covered)


def student_names(students: Sequence[str]) -> Names:
    """The neutral names of the students."""
    return Names(STUDENTS, tuple(students))


def step_names(view: TutorView) -> Names:
    """The neutral names of the steps; their ids are their numbers."""
    return Names.numbered(STEPS, len(view.steps))


def item_names(exam: ExamSet) -> Names:
    """The neutral names of an exam's items."""
    return Names(ITEMS, tuple(item.id for item in exam.items))


def _own_work(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    """Render what a student wrote earlier."""
    match reply:
        case Analysis():
            return closed("ANALYSE", analysis_for_teacher=reply.analysis_for_teacher)
        case Action():
            asked = {name: words for name, words in reply.model_dump().items() if words}
            actions = {("query_for_patient",): "ASK_PATIENT", ("query_for_expert",): "ASK_EXPERT", (): "PASS"}
            return closed(actions.get(tuple(asked), "ASK_BOTH"), **asked)
        case ExamReply():
            exam = next(item for item in reversed(before) if isinstance(item, ExamSet))
            names = item_names(exam)
            given = [{"id": names.name(item), "answer": words} for item, words in reply.answers.items()]
            return closed("ANSWER", answers=given)
    raise TypeError(f"{type(reply).__name__} is no work of a student's")


def _own_check(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    """Render an earlier verdict of a reviewer's."""
    if isinstance(reply, SafetyCheck):
        if reply.is_safe:
            return closed("APPROVE")
        said = {"feedback_and_suggestion": reply.feedback_and_suggestion}
        return closed("REJECT", **said, issue_category=reply.issue_category)
    assert isinstance(reply, FactCheck)
    covered = [name_of(STEPS, number) for number in reply.covered_steps]
    if reply.is_correct:
        return closed("APPROVE", covered_steps=covered)
    return closed("REJECT", feedback=reply.feedback, covered_steps=covered)


def _own_explanations(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    return closed("EXPLAIN", **reply.model_dump(mode="json"))


def _lines_of_student(view: StudentView) -> Lines:
    return {Wanted: lambda event: _acting(view) if event.act == "act" else _ACTS[event.act]}


def _acting(view: StudentView) -> str:
    """The line for acting, which offers those alone who are there to answer."""
    may = "You may ask now, or pass." if view.has_patient or view.has_expert else "Nobody is there to ask."
    return f"{may} {asked_in(student_form('act', view))}"


def _round(event: RoundBegan) -> str:
    return f"Round {event.round} begins; {event.rounds_left} more after it."


def _line(event: RoundLine) -> str:
    return f"{neutral(event.speaker)}: {block(_TAGS[event.part], event.text)}"


def _reviewed(event: Reviewed) -> str:
    if event.approved:
        return f"The {event.by} approves."
    return f"The {event.by} rejects it ({neutral(event.issue)}): {block('feedback', event.feedback)}"


def _claimed(event: Claimed) -> str:
    points = "\n".join(
        f"{name_of(STEPS, step.number)} {block('point', step.summary)}" for step in event.steps
    )
    text = "\n".join(block("analysis", each) for each in event.said)
    return f"The tutor claims that the group has covered these steps:\n{points}\nThe students said:\n{text}"


def _exam(event: ExamSet) -> str:
    items, names = [], item_names(event)
    for item in event.items:
        options = "".join(f"\n  {neutral(k)}: {block('option', v)}" for k, v in (item.options or {}).items())
        items.append(f"{names.name(item.id)} {block('item', item.question)}{options}")
    return "\n".join((f"The exam, {event.when} the rounds:", *items))


_LINES: Final[Lines] = {
    **SHARED_LINES,
    RoundBegan: _round,
    RoundLine: _line,
    Wanted: lambda event: _ACTS[event.act],
    Reviewed: _reviewed,
    Unguided: lambda event: f"Nothing was said to the students: {block('reason', event.reason)}",
    Claimed: _claimed,
    Covered: lambda event: f"Counted as covered so far: {', '.join(map(str, event.steps))}.",
    ExamSet: _exam,
}

TUTOR: Final = ModelSeat(
    template=f"{_PROMPTS}tutor.jinja",
    lines=_LINES,
    values=_values,
    own=_own_guidance,
    pictures=_pictures,
    form=form_of,
)

STUDENT: Final = ModelSeat(
    template=f"{_PROMPTS}student.jinja",
    lines=_LINES,
    lines_by_view=_lines_of_student,
    values=_values,
    own=_own_work,
    pictures=_pictures,
)

SPECIALIST: Final = ModelSeat(
    template=f"{_PROMPTS}specialist.jinja",
    lines=_LINES,
    values=_values,
    own=_own_check,
    pictures=_pictures,
    form=lambda view: FACT_CHECK,
)

SUPERVISOR: Final = ModelSeat(
    template=f"{_PROMPTS}supervisor.jinja",
    lines=_LINES,
    values=_values,
    own=_own_check,
    form=lambda view: SAFETY_CHECK,
)

EXPERT: Final = ModelSeat(
    template=f"{_PROMPTS}expert.jinja",
    lines=_LINES,
    values=_values,
    own=_own_explanations,
    form=lambda view: EXPLANATIONS,
)
