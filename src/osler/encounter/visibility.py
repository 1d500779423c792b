"""Visibility in the ward round: the one rule that maps a line's visibility to the seats that may read it.

    student&patient   said at the bedside: students, patient and tutor
    teacher&student   the tutor's guidance to the group: tutor and students
    teacher           for the tutor alone: students' analyses, reviewers' verdicts
    teacher_private   the tutor's drafts: tutor and reviewers
    student           between one student and the expert, or the exam: that student, and the expert

A seat that is not taken reads nothing. The speaker is left out: it has its own reply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from osler.seats.events import Seat
from osler.seats.round_events import Visibility

_KINDS: Final[Mapping[Visibility, tuple[str, ...]]] = MappingProxyType(
    {
        "student&patient": ("student", "patient", "tutor"),
        "teacher&student": ("student", "tutor"),
        "teacher": ("tutor",),
        "teacher_private": ("tutor", "specialist", "supervisor"),
        "student": ("expert",),
    }
)


def kind_of(seat: Seat) -> str:
    """The kind of a seat: "student" for every student's."""
    return seat.partition("_")[0]


def readers(
    visibility: Visibility, taken: Sequence[Seat], *, by: Seat, student: Seat | None = None
) -> tuple[Seat, ...]:
    """The seats of `taken`, in their order, that may read what `by` says.

    `student` is the one student of a line that is visible to a `student`, and must be given there.
    """
    if (visibility == "student") != (student is not None):
        raise ValueError("a line between a student and the expert names its student, and no other does")
    kinds = _KINDS[visibility]
    return tuple(seat for seat in taken if seat != by and (kind_of(seat) in kinds or seat == student))
