"""Prompt text of the ward round: each seat's first message, and a line for each event."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import Event, View
from osler.core.pictures import Picture
from osler.players.model.event_text import SHARED_LINES
from osler.players.model.seat import Lines, ModelSeat, Moves
from osler.protocols.ward_round.events import (
    Claimed,
    Covered,
    ExamSet,
    Line,
    Reviewed,
    RoundBegan,
    Unguided,
    Wanted,
)
from osler.protocols.ward_round.monologue import Thought, Turn, render
from osler.protocols.ward_round.seats import (
    Guidance,
    SpecialistView,
    StudentView,
    SupervisorView,
    TutorView,
)
from osler.text.hostile import block, neutral

_PROMPTS: Final = "osler.protocols.ward_round:prompts/"
_ACTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "analyse": 'Write your analysis for the tutor: {"analysis_for_teacher": "..."}.',
        "guide": "Guide the group now.",
        "revise": "Your draft was rejected. Write it again, with the thought behind it.",
        "review": "Review this draft.",
        "act": (
            'You may ask now; null where you do not: {"query_for_patient": "..." or null, '
            '"query_for_expert": "..." or null}.'
        ),
        "answer": "Answer now.",
        "exam": 'Answer every item of the exam: {"answers": [{"id": "...", "answer": "..."}]}. '
        "Where an item has options, the answer is the option's letter.",
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
        values |= {"text_form": moves == "text"}
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
    fields: dict[str, object] = {}
    if parts:
        named = [{"name": name, "thought": words} for name, words in students]
        fields = {"history": said["history"], "question": said["question"], "students": named}
        fields |= {"group": said["group"], "image": said.get("image")}
    fields |= {"guidance": neutral(reply.guidance), "covered_steps": reply.covered_steps}
    return json.dumps(fields, ensure_ascii=False)


def _round(event: RoundBegan) -> str:
    return f"Round {event.round} begins; {event.rounds_left} more after it."


def _line(event: Line) -> str:
    return f"{neutral(event.speaker)}: {block(_TAGS[event.part], event.text)}"


def _reviewed(event: Reviewed) -> str:
    if event.approved:
        return f"The {event.by} approves."
    return f"The {event.by} rejects it ({neutral(event.issue)}): {block('feedback', event.feedback)}"


def _claimed(event: Claimed) -> str:
    points = "\n".join(f"{step.number}: {block('point', step.summary)}" for step in event.steps)
    said = "\n".join(block("analysis", each) for each in event.said)
    return f"The tutor claims that the group has covered these steps:\n{points}\nThe students said:\n{said}"


def _exam(event: ExamSet) -> str:
    items = []
    for item in event.items:
        options = "".join(f"\n  {neutral(k)}: {block('option', v)}" for k, v in (item.options or {}).items())
        items.append(f"{neutral(item.id)}: {block('item', item.question)}{options}")
    return "\n".join((f"The exam, {event.when} the rounds:", *items))


_LINES: Final[Lines] = {
    **SHARED_LINES,
    RoundBegan: _round,
    Line: _line,
    Wanted: lambda event: _ACTS[event.act],
    Reviewed: _reviewed,
    Unguided: lambda event: f"Nothing was said to the students: {block('reason', event.reason)}",
    Claimed: _claimed,
    Covered: lambda event: f"Counted as covered so far: {', '.join(map(str, event.steps))}.",
    ExamSet: _exam,
}

TUTOR: Final = ModelSeat(
    template=f"{_PROMPTS}tutor.jinja", lines=_LINES, values=_values, own=_own_guidance, pictures=_pictures
)

STUDENT: Final = ModelSeat(
    template=f"{_PROMPTS}student.jinja", lines=_LINES, values=_values, pictures=_pictures
)

SPECIALIST: Final = ModelSeat(
    template=f"{_PROMPTS}specialist.jinja", lines=_LINES, values=_values, pictures=_pictures
)

SUPERVISOR: Final = ModelSeat(template=f"{_PROMPTS}supervisor.jinja", lines=_LINES, values=_values)

EXPERT: Final = ModelSeat(template=f"{_PROMPTS}expert.jinja", lines=_LINES, values=_values)
