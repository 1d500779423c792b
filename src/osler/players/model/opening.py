"""The first message of each seat: its rules and its view, which never change during an encounter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal

from osler.knowledge.findings import finding
from osler.models.types import Message
from osler.players.model.facts import OPEN, fact_line, who
from osler.players.model.round.lines import template_of, values_of
from osler.players.model.scenario.lines import template_in_scenario, values_in_scenario
from osler.prompts import block, neutral, prompt
from osler.seats.consultant import ConsultantView, SpecialistView
from osler.seats.describer import DescriberView
from osler.seats.doctor import DoctorView
from osler.seats.events import View
from osler.seats.examination import ExaminationView
from osler.seats.patient import PatientView

Moves = Literal["json", "text"]
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


def opening(view: View, moves: Moves = "json") -> Message:
    """The system message of the seat that this view belongs to. Raises TypeError for any other view."""
    return _opening(type(view), view.text, moves)


@lru_cache(maxsize=512)
def _opening(kind: type[View], text: str, moves: Moves) -> Message:
    # Keyed by the view's own text: a string keeps its hash, a view of forty facts would be hashed anew.
    view = kind.model_validate_json(text)
    if isinstance(view, DoctorView):
        name = "doctor.json" if moves == "json" else "doctor.text-moves"
        return Message(role="system", text=prompt(name).render(_doctor(view)))
    if isinstance(view, PatientView):
        return Message(role="system", text=prompt("patient").render(_patient(view)))
    if isinstance(view, ExaminationView):
        return Message(role="system", text=prompt("examination").render(_examination(view)))
    if isinstance(view, ConsultantView):
        return Message(role="system", text=prompt("consultant").render(_consultant(view)))
    if (of_the_round := template_of(view)) is not None:
        values = values_of(view, text_form=moves == "text")
        return Message(role="system", text=prompt(of_the_round).render(values))
    if (of_a_scenario := template_in_scenario(view)) is not None:
        return Message(role="system", text=prompt(of_a_scenario).render(values_in_scenario(view)))
    if isinstance(view, DescriberView):
        return Message(role="system", text=prompt("describer").render({}))
    raise TypeError(f"a model has no prompt for {kind.__name__}")


def _doctor(view: DoctorView) -> dict[str, object]:
    return {
        **view.model_dump(exclude={"task", "patient_opening"}),
        "who": who(view.age_years, view.sex),
        "kind": view.task.kind,
        "question": view.task.question,
        "options": view.task.options,
    }


def _patient(view: PatientView) -> dict[str, object]:
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


def _examination(view: ExaminationView) -> dict[str, object]:
    # Results stay out: the service names what is meant, the encounter reads it out.
    lines = [
        f"{neutral(found.id)} ({found.kind}): {block('name', found.name)}{_aliases(found.aliases)}"
        for found in view.findings
    ]
    return {"findings": lines}


def _aliases(aliases: Sequence[str]) -> str:
    return f" {block('also_called', '; '.join(aliases))}" if aliases else ""


def _consultant(view: ConsultantView) -> dict[str, object]:
    return {
        "specialty": view.specialty if isinstance(view, SpecialistView) else "",
        "door_note": view.door_note,
        "who": who(view.age_years, view.sex),
        "question": view.task.question,
        "options": view.task.options,
    }
