"""Rendering of views and events into prompts for each seat of a consultation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import Event, Said, TurnBegan, View
from osler.players.model.event_text import SHARED_LINES, turn_line
from osler.players.model.seat import Lines, ModelSeat, Moves, as_json
from osler.protocols.consultation.events import Advised, ConsultAsked, Presented, Registered, Unheld
from osler.protocols.consultation.model.text_moves import as_text_move
from osler.protocols.consultation.seats import (
    ConsultantView,
    DoctorView,
    ExaminationView,
    SpecialistView,
    SummarizerView,
    SynthesizerView,
    ToldView,
)
from osler.protocols.shared.model.facts import who
from osler.protocols.shared.model.patient_seat import said_line, visit_line
from osler.protocols.shared.patient import VisitBegan
from osler.text.hostile import block, neutral

_PROMPTS: Final = "osler.protocols.consultation:prompts/"
_CONCLUDE: Final = "This is your last move: conclude now."


def _own_move(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    return as_json(reply, moves, view, before) if moves == "json" else neutral(as_text_move(reply))


def _doctor(view: DoctorView, moves: Moves) -> dict[str, object]:
    return {
        **view.model_dump(exclude={"task", "patient_opening"}),
        "who": who(view.age_years, view.sex),
        "kind": view.task.kind,
        "question": view.task.question,
        "options": view.task.options,
        "coaching": False,
    }


def _told(view: ToldView, moves: Moves) -> dict[str, object]:
    return {**_doctor(view, moves), "in_text": moves == "text"}


def _summarizer(view: SummarizerView, moves: Moves) -> dict[str, object]:
    return {"door_note": view.door_note, "who": who(view.age_years, view.sex)}


def _synthesizer(view: SynthesizerView, moves: Moves) -> dict[str, object]:
    return {"who": who(view.age_years, view.sex)}


def _examination(view: ExaminationView, moves: Moves) -> dict[str, object]:
    # Results stay out: the service only names the findings meant, and the encounter reads them out.
    lines = [
        f"{neutral(found.id)} ({found.kind}): {block('name', found.name)}{_aliases(found.aliases)}"
        for found in view.findings
    ]
    return {"findings": lines}


def _aliases(aliases: Sequence[str]) -> str:
    return f" {block('also_called', '; '.join(aliases))}" if aliases else ""


def _consultant(view: ConsultantView, moves: Moves) -> dict[str, object]:
    return {
        "specialty": view.specialty if isinstance(view, SpecialistView) else "",
        "door_note": view.door_note,
        "who": who(view.age_years, view.sex),
        "question": view.task.question,
        "options": view.task.options,
    }


def _consult(event: ConsultAsked) -> str:
    names = (
        f"{d.name}{'' if d.confidence is None else f' ({d.confidence:g})'}" for d in event.working_diagnoses
    )
    thinks = "; ".join(names)
    asked = block("attending_asks", event.question or "What do you think?")
    return f"{asked}\n{block('attending_thinks_of', thinks)}" if thinks else asked


def _advised(event: Advised) -> str:
    advice = [event.note]
    if event.next_question:
        advice.append(f"Next question: {event.next_question}")
    if event.diagnosis_suggestion:
        advice.append(f"Suggested diagnosis: {event.diagnosis_suggestion}")
    if event.recommend_finalize:
        advice.append("Enough is known to conclude.")
    return block("consultant_says", "\n".join(advice))


_LINES: Final[Lines] = {
    **SHARED_LINES,
    Said: said_line,
    TurnBegan: lambda event: turn_line(event, _CONCLUDE),
    ConsultAsked: _consult,
    Advised: _advised,
    Registered: lambda event: block("registration_form", event.text),
    Presented: lambda event: block(event.how, event.text),
    Unheld: lambda event: block("order", event.name),
    VisitBegan: visit_line,
}

DOCTOR_SEAT: Final = ModelSeat(
    template=f"{_PROMPTS}doctor.json.jinja",
    in_text=f"{_PROMPTS}doctor.text-moves.jinja",
    lines=_LINES,
    values=_doctor,
    own=_own_move,
)
COACHED_DOCTOR_SEAT: Final = replace(
    DOCTOR_SEAT, values=lambda view, moves: {**_doctor(view, moves), "coaching": True}
)

TOLD_DOCTOR_SEAT: Final = ModelSeat(
    template=f"{_PROMPTS}doctor.told.jinja", lines=_LINES, values=_told, own=_own_move
)

EXAMINATION_SEAT: Final = ModelSeat(
    template=f"{_PROMPTS}examination.jinja", lines=_LINES, values=_examination
)

CONSULTANT_SEAT: Final = ModelSeat(template=f"{_PROMPTS}consultant.jinja", lines=_LINES, values=_consultant)

DESCRIBER_SEAT: Final = ModelSeat(
    template=f"{_PROMPTS}describer.jinja", lines=_LINES, values=lambda view, moves: {}
)

SUMMARIZER_SEAT: Final = ModelSeat(template=f"{_PROMPTS}summarizer.jinja", lines=_LINES, values=_summarizer)

SYNTHESIZER_SEAT: Final = ModelSeat(
    template=f"{_PROMPTS}synthesizer.jinja", lines=_LINES, values=_synthesizer
)
