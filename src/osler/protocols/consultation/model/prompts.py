"""Rendering of views and events into prompts for each seat of a consultation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import Event, Said, TurnBegan, View
from osler.players.model.event_text import SHARED_LINES, turn_line
from osler.players.model.neutral_names import Names
from osler.players.model.schemas import closed
from osler.players.model.seat import Lines, ModelSeat, Moves
from osler.protocols.consultation.events import Advised, ConsultAsked, Presented, Registered, Unheld
from osler.protocols.consultation.model.schemas import (
    CONSULTANT_ADVICE,
    EXAMINATION_MATCH,
    FINDINGS,
    form_of,
)
from osler.protocols.consultation.model.text_moves import as_text_move
from osler.protocols.consultation.seats import (
    Advice,
    ConsultantView,
    DoctorView,
    ExaminationReply,
    ExaminationView,
    SpecialistView,
    SummarizerView,
    SynthesizerView,
    ToldView,
)
from osler.protocols.shared.model.facts import who
from osler.protocols.shared.model.patient_seat import said_line, visit_line
from osler.protocols.shared.patient import VisitBegan
from osler.text.hostile import block, neutral, one_line

_PROMPTS: Final = "osler.protocols.consultation:prompts/"
_MOST_ALIASES: Final = 2
_KINDS: Final = {"examination": " (examination)"}
_CONCLUDE: Final = "This is your last move: conclude now."


def _own_move(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    if moves == "text":
        return neutral(as_text_move(reply))
    fields = {name: one for name, one in reply.model_dump(mode="json").items() if one not in (None, [], "")}
    action, note = fields.pop("action"), fields.pop("rationale", [])
    return closed(action, " ".join(note), **fields)


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
    names = finding_names(view)
    lines = [
        f"{names.name(finding.id)} {one_line(finding.name)}{_aliases(finding.aliases)}"
        f"{_KINDS.get(finding.kind, '')}"
        for finding in view.findings
    ]
    return {"findings": "\n".join(lines)}


def finding_names(view: ExaminationView) -> Names:
    """The neutral names of the findings on file."""
    return Names(FINDINGS, tuple(finding_view.id for finding_view in view.findings))


def _aliases(aliases: Sequence[str]) -> str:
    return f" = {one_line('; '.join(aliases[:_MOST_ALIASES]))}" if aliases else ""


def _match(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    assert isinstance(reply, ExaminationReply)
    assert isinstance(view, ExaminationView)
    if reply.match_type == "fuzzy":
        return closed("AMBIGUOUS", reply.reason, findings=[])
    parts = {"unheld": reply.unheld, "unclear": reply.unclear}
    if reply.match_type == "none":
        return closed("NONE", reply.reason, **parts)
    names = finding_names(view)
    return closed("MATCH", reply.reason, findings=[names.name(one) for one in reply.findings], **parts)


def _advice(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    assert isinstance(reply, Advice)
    suggested = reply.diagnosis_suggestion or ""
    if reply.recommend_finalize:
        return closed("CONCLUDE", advice=reply.note, diagnosis_suggestion=suggested)
    question = reply.next_question or ""
    return closed("ASK_NEXT", advice=reply.note, next_question=question, diagnosis_suggestion=suggested)


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
    form=form_of,
)
COACHED_DOCTOR_SEAT: Final = replace(
    DOCTOR_SEAT, values=lambda view, moves: {**_doctor(view, moves), "coaching": True}
)

TOLD_DOCTOR_SEAT: Final = ModelSeat(
    template=f"{_PROMPTS}doctor.told.jinja", lines=_LINES, values=_told, own=_own_move, form=form_of
)

EXAMINATION_SEAT: Final = ModelSeat(
    template=f"{_PROMPTS}examination.jinja",
    lines=_LINES,
    values=_examination,
    own=_match,
    form=lambda view: EXAMINATION_MATCH,
)

CONSULTANT_SEAT: Final = ModelSeat(
    template=f"{_PROMPTS}consultant.jinja",
    lines=_LINES,
    values=_consultant,
    own=_advice,
    form=lambda view: CONSULTANT_ADVICE,
)

DESCRIBER_SEAT: Final = ModelSeat(
    template=f"{_PROMPTS}describer.jinja", lines=_LINES, values=lambda view, moves: {}
)

SUMMARIZER_SEAT: Final = ModelSeat(template=f"{_PROMPTS}summarizer.jinja", lines=_LINES, values=_summarizer)

SYNTHESIZER_SEAT: Final = ModelSeat(
    template=f"{_PROMPTS}synthesizer.jinja", lines=_LINES, values=_synthesizer
)
