"""The pure rules of the ward round: checks of well-formed replies, which raise ValueError."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from osler.core.events import Seat
from osler.protocols.ward_round.events import ExamItem, Visibility
from osler.protocols.ward_round.monologue import parse_statement, parse_thought
from osler.protocols.ward_round.seats import (
    Action,
    ExamReply,
    Explanations,
    FactCheck,
    Guidance,
    SafetyCheck,
    TutorView,
)


class Verdict(NamedTuple):
    """The verdict of a review. `issue` is the kind of fault, empty if the draft is approved."""

    approved: bool
    issue: str
    feedback: str


def verdict_of(review: FactCheck | SafetyCheck) -> Verdict:
    """Convert either reviewer's reply into one common form."""
    if isinstance(review, FactCheck):
        return Verdict(review.is_correct, "" if review.is_correct else "facts", review.feedback)
    issue = "" if review.is_safe else str(review.issue_category)
    return Verdict(review.is_safe, issue, review.feedback_and_suggestion)


def check_guidance(turn: Guidance, view: TutorView) -> None:
    """Check that the thought is tagged (or absent if none is wanted), that there is exactly one statement,
    and that the covered steps exist."""
    if view.private_thought:
        parse_thought(turn.internal_monologue, view.students, has_images=bool(view.images))
    elif turn.internal_monologue.strip():
        raise ValueError("internal_monologue must be empty: this round has no private thought")
    parse_statement(turn.guidance)
    steps = len(view.steps)
    if strange := [n for n in turn.covered_steps if not 1 <= n <= steps]:
        raise ValueError(f"covered_steps: there is no step {strange[0]}, they are numbered 1 to {steps}")


def check_action(action: Action, taken: Collection[Seat]) -> None:
    """Check that the seats being asked are taken."""
    if action.query_for_patient and "patient" not in taken:
        raise ValueError("query_for_patient: there is no patient to ask")
    if action.query_for_expert and "expert" not in taken:
        raise ValueError("query_for_expert: there is no expert to ask")


def check_exam(reply: ExamReply, items: Sequence[ExamItem]) -> None:
    """Check that every item is answered, multiple-choice items by one of their keys."""
    ids = [item.id for item in items]
    if missing := [ident for ident in ids if ident not in reply.answers]:
        raise ValueError(f"answers: {missing[0]} is not answered")
    if strange := [ident for ident in reply.answers if ident not in ids]:
        raise ValueError(f"answers: there is no item {strange[0][:40]!r}")
    for item in items:
        if item.options and reply.answers[item.id] not in item.options:
            raise ValueError(f"answers: {item.id} must be one of {', '.join(item.options)}")


def check_explanations(reply: Explanations, queries: int) -> None:
    """Check that there is one explanation for each query."""
    if len(reply.explanations) != queries:
        raise ValueError(f"explanations: {queries} wanted, one for each query in its order")


_KINDS: Final[Mapping[Visibility, tuple[str, ...]]] = MappingProxyType(
    {
        "student&patient": ("student", "patient", "tutor"),
        "teacher&student": ("student", "tutor"),
        "teacher": ("tutor",),
        "teacher_private": ("tutor", "specialist", "supervisor"),
        "student": ("expert",),
    }
)
"""The kinds of seats that read a line. One visible to a `student` is also read by the students it names."""


def kind_of(seat: Seat) -> str:
    """The kind of a seat: "student" for every student's."""
    return seat.partition("_")[0]


def readers(
    visibility: Visibility, taken: Sequence[Seat], *, by: Seat, students: Collection[Seat] = ()
) -> tuple[Seat, ...]:
    """The seats of `taken`, in their order, that may read what `by` says.

    `students` are those who hear a line that is visible to a `student`, and must be given there.
    """
    if (visibility == "student") != bool(students):
        raise ValueError("a line between a student and the expert names who hears it, and no other does")
    kinds = _KINDS[visibility]
    return tuple(seat for seat in taken if seat != by and (kind_of(seat) in kinds or seat in students))
