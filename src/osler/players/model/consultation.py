"""Rendering of views and events into prompts for each seat of a consultation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import BaseModel

from osler.knowledge.findings import finding
from osler.knowledge.topics import assurances
from osler.players.model.facts import OPEN, fact_line, who
from osler.players.model.lines import SHARED_LINES, turn_line
from osler.players.model.seat import Lines, ModelSeat, Moves, as_json
from osler.players.model.text import as_text_move
from osler.prompts import block, neutral
from osler.seats.consultant import ConsultantView, SpecialistView
from osler.seats.consultation_events import Advised, ConsultAsked, Registered, VisitBegan
from osler.seats.contract import Own
from osler.seats.doctor import DoctorView
from osler.seats.events import Event, Said, TurnBegan, View
from osler.seats.examination import ExaminationView
from osler.seats.patient import PatientFact, PatientView

_CONCLUDE: Final = "This is your last move: conclude now."
_MAY_TELL: Final = "After these words you feel able to tell this as well, if you are asked about it:"
_KEPT_BACK: Final[Mapping[str, str]] = {
    "sexual": "your sexual life and relationships",
    "drugs": "drug use",
    "alcohol": "how much you drink",
    "tobacco": "smoking",
    "mood": "your mood and state of mind",
    "home": "how things are at home",
    "gynaecological": "periods, pregnancy and contraception",
    "past_medical": "some of your past illnesses",
    "concerns": "what you are most afraid of",
}


class _Facts(NamedTuple):
    """The facts a patient withholds until given an assurance."""

    facts: tuple[PatientFact, ...]

    def after(self, event: Event) -> tuple[_Facts, list[str]]:
        """Return the facts still withheld after an event, and the prompt lines that release the others."""
        if not (self.facts and isinstance(event, Said) and event.by == "doctor"):
            return self, []
        met = assurances(event.text)
        now = [fact_line(fact) for fact in self.facts if fact.told in met]
        if not now:
            return self, []
        return _Facts(tuple(fact for fact in self.facts if fact.told not in met)), [_MAY_TELL, *now]


def _kept_back(view: PatientView) -> _Facts:
    return _Facts(tuple(fact for fact in view.facts if fact.told not in OPEN))


def _own_move(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | Own]) -> str:
    return as_json(reply, moves, view, before) if moves == "json" else neutral(as_text_move(reply))


def _doctor(view: DoctorView, moves: Moves) -> dict[str, object]:
    return {
        **view.model_dump(exclude={"task", "patient_opening"}),
        "who": who(view.age_years, view.sex),
        "kind": view.task.kind,
        "question": view.task.question,
        "options": view.task.options,
    }


def _patient(view: PatientView, moves: Moves) -> dict[str, object]:
    gated = [fact for fact in view.facts if fact.told not in OPEN]
    kept_back = dict.fromkeys(_KEPT_BACK.get(fact.topic, "some private matters") for fact in gated)
    return {
        "speaker": view.speaker,
        "who": who(view.age_years, view.sex),
        "manner": view.persona.manner,
        "unknown": view.unknown,
        "unsure": [finding(name).name.lower() for name in view.unsure_of],
        "kept_back": list(kept_back),
        "opening": view.opening,
        "facts": [fact_line(fact) for fact in view.facts if fact.told in OPEN],
    }


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


def _said(event: Said) -> str:
    return block("doctor_says" if event.by == "doctor" else "patient_says", event.text)


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
    Said: _said,
    TurnBegan: lambda event: turn_line(event, _CONCLUDE),
    ConsultAsked: _consult,
    Advised: _advised,
    Registered: lambda event: block("registration_form", event.text),
    VisitBegan: lambda event: f"Visit {event.visit} begins, minute {event.minute}.",
}
DOCTOR_SEAT: Final = ModelSeat(
    template="doctor.json", in_text="doctor.text-moves", lines=_LINES, values=_doctor, own=_own_move
)
PATIENT_SEAT: Final = ModelSeat(template="patient", lines=_LINES, values=_patient, kept_back=_kept_back)
EXAMINATION_SEAT: Final = ModelSeat(template="examination", lines=_LINES, values=_examination)
CONSULTANT_SEAT: Final = ModelSeat(template="consultant", lines=_LINES, values=_consultant)
DESCRIBER_SEAT: Final = ModelSeat(template="describer", lines=_LINES, values=lambda view, moves: {})
