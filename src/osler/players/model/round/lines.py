"""What a model reads in the ward round: each seat's first message, and a line for each event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from osler.prompts import block, neutral
from osler.seats.events import View
from osler.seats.round_events import ExamSet, Line, Reviewed, RoundBegan, Unguided, Wanted
from osler.seats.ward_round import ExpertView, SpecialistView, StudentView, SupervisorView, TutorView

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


def template_of(view: View) -> str | None:
    """The name of the prompt of the ward-round seat that a view belongs to; `None` for any other."""
    return _NAMES.get(type(view))


def values_of(view: View, *, text_form: bool) -> dict[str, object]:
    """What a prompt needs of a view. `text_form` has a tutor write its thought in tags."""
    values: dict[str, object] = view.model_dump(exclude={"images"})
    if isinstance(view, TutorView | StudentView):
        # Pictures go along as images where the model has eyes; their data is no text to read.
        values["images"] = [{"id": image.id, "name": image.name} for image in view.images]
    if isinstance(view, TutorView):
        values |= {"text_form": text_form and view.private_thought}
    return values


def _round(event: RoundBegan) -> str:
    return f"Round {event.round} begins; {event.rounds_left} more after it."


def _line(event: Line) -> str:
    return f"{neutral(event.speaker)}: {block(_TAGS[event.part], event.text)}"


def _reviewed(event: Reviewed) -> str:
    if event.approved:
        return f"The {event.by} approves."
    return f"The {event.by} rejects it ({neutral(event.issue)}): {block('feedback', event.feedback)}"


def _exam(event: ExamSet) -> str:
    items = []
    for item in event.items:
        options = "".join(f"\n  {neutral(k)}: {block('option', v)}" for k, v in (item.options or {}).items())
        items.append(f"{neutral(item.id)}: {block('item', item.question)}{options}")
    return "\n".join((f"The exam, {event.when} the rounds:", *items))


_NAMES: Final[Mapping[type[View], str]] = MappingProxyType(
    {
        TutorView: "tutor",
        StudentView: "student",
        SpecialistView: "specialist",
        SupervisorView: "supervisor",
        ExpertView: "expert",
    }
)
LINES: Final[Mapping[type, Callable[[Any], str]]] = MappingProxyType(
    {
        RoundBegan: _round,
        Line: _line,
        Wanted: lambda event: _ACTS[event.act],
        Reviewed: _reviewed,
        Unguided: lambda event: f"Nothing was said to the students: {block('reason', event.reason)}",
        ExamSet: _exam,
    }
)
