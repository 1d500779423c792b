"""The doctor's seat: sees the opening and the evidence obtained so far, and takes one action a turn.

Actions and fields follow MedEvoEval: ASK | REQUEST_TEST | CALL_MDT | FINALIZE. `WAIT` is ours: results have a
turnaround, and a doctor may wait for them, in the room or until the next visit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from osler.seats.consultation_events import Advised, WorkingDiagnosis
from osler.seats.contract import Contract, Request
from osler.seats.events import Frozen, Said, TurnBegan, View
from osler.seats.order_events import Resulted

Text = Annotated[str, Field(min_length=1, max_length=4000)]


class TaskView(Frozen):
    """The question of the case, without its answer. `options` maps a key such as "A" to its text."""

    kind: Literal["diagnosis", "choice", "open"]
    question: str
    options: dict[str, str] | None = None


class DoctorView(View):
    """The doctor's view: everything known before the consultation begins.

    `allowed_tests` is `None` when anything may be ordered by name; it never depends on the case.
    `memory_cards` are hints from earlier experience, not facts about this patient.
    """

    door_note: str
    patient_opening: str
    age_years: float | None
    sex: Literal["female", "male"] | None
    task: TaskView
    max_total_turns: int
    max_tests_per_visit: int | None
    max_visits: int
    has_consultant: bool
    allowed_tests: tuple[str, ...] | None = None
    memory_cards: tuple[str, ...] = ()


class _Move(Frozen):
    rationale: tuple[Text, ...] = ()
    working_diagnoses: tuple[WorkingDiagnosis, ...] = ()


class Ask(_Move):
    """Say something to the patient."""

    action: Literal["ASK"] = "ASK"
    question: Text


class RequestTest(_Move):
    """Order a test, an image or a physical examination by name."""

    action: Literal["REQUEST_TEST"] = "REQUEST_TEST"
    test_name: Annotated[str, Field(min_length=1, max_length=300)]


class CallMdt(_Move):
    """Ask the consultant."""

    action: Literal["CALL_MDT"] = "CALL_MDT"
    question: str = ""


class Wait(_Move):
    """Wait for the next result; if none is due in this visit, close it and see the patient again."""

    action: Literal["WAIT"] = "WAIT"


class Finalize(_Move):
    """Conclude. `answer` is the option's key where options are shown, else `None`.

    `working_diagnoses` is the final differential, most likely first.
    """

    action: Literal["FINALIZE"] = "FINALIZE"
    diagnosis: Text
    answer: str | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    evidence: tuple[Text, ...] = ()
    plan: tuple[Text, ...] = ()
    followup: str = ""


DoctorReply = Annotated[Ask | RequestTest | CallMdt | Wait | Finalize, Field(discriminator="action")]
DoctorTurn = Request[DoctorView]

DOCTOR: Contract[DoctorView, Ask | RequestTest | CallMdt | Wait | Finalize] = Contract(
    "doctor", DoctorView, TypeAdapter(DoctorReply)
)


def revealed_history(request: DoctorTurn) -> Iterator[tuple[str, str]]:
    """The conversation so far as (seat, text), oldest first."""
    return ((item.by, item.text) for item in request.feed if isinstance(item, Said))


def returned_tests(request: DoctorTurn) -> Iterator[Resulted]:
    """The results that have reached the doctor, and refused orders, oldest first."""
    return (item for item in request.feed if isinstance(item, Resulted))


def consultant_notes(request: DoctorTurn) -> Iterator[Advised]:
    """The consultants' advice, oldest first."""
    return (item for item in request.feed if isinstance(item, Advised))


def this_turn(request: DoctorTurn) -> TurnBegan:
    """The event that announced the current turn, with the remainder of each limit."""
    return next(item for item in reversed(request.feed) if type(item) is TurnBegan)
