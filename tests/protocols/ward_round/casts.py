"""Casts of built-in players round one tutor."""

from __future__ import annotations

from collections.abc import Sequence

from osler.cases.model import Case
from osler.core.contract import Player
from osler.core.events import Seat
from osler.core.factory import PlayerRequest
from osler.protocols.ward_round.casting import BUILT_IN, TUTORS, student
from osler.protocols.ward_round.config import BASELINE
from osler.protocols.ward_round.seats import StudentProfile, student_seats
from osler.protocols.ward_round.settings import Theory


def tutor_named(name: str) -> Player:
    """A built-in tutor."""
    return TUTORS[name]()


def built_in_cast(
    case: Case, cohort: Sequence[StudentProfile], tutor: Player, theory: Theory
) -> dict[Seat, Player]:
    """The whole cast with built-in players round one tutor. Ablations leave seats out."""
    others = ("patient", "specialist", "supervisor", "expert")
    cast = {seat: BUILT_IN[seat][BASELINE](PlayerRequest(seat, case, "")) for seat in others}
    learning = student(PlayerRequest("student_1", case, ""), theory)
    return {"tutor": tutor, **cast, **dict.fromkeys(student_seats(len(cohort)), learning)}  # type: ignore[dict-item]
