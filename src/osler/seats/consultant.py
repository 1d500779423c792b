"""The consultant's seat: reads the evidence revealed so far and advises, but neither decides nor orders."""

from __future__ import annotations

from pydantic import Field, TypeAdapter

from osler.seats.contract import Contract, Request
from osler.seats.doctor import TaskView
from osler.seats.events import Frozen, View


class ConsultantView(View):
    """The consultant's view: the door note and the opening, as the doctor saw them."""

    door_note: str
    patient_opening: str
    age_years: float | None
    sex: str | None
    task: TaskView


class SpecialistView(ConsultantView):
    """The view of a consultant of a named specialty, such as "cardiology"."""

    specialty: str


class Advice(Frozen):
    """A note, at most one next question, and whether to conclude (MedEvoEval's MDT consultant)."""

    note: str = Field(min_length=1, max_length=4000)
    next_question: str | None = None
    recommend_finalize: bool = False
    diagnosis_suggestion: str | None = None


ConsultRequest = Request[ConsultantView]
CONSULTANT: Contract[ConsultantView, Advice] = Contract("consultant", ConsultantView, TypeAdapter(Advice))
