"""A ward round in the published form beside its dialogue: the whole case, the patient, the students, and each
agent's inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from pydantic_core import from_json

from osler.authoring.preparing.published import published_case
from osler.authoring.preparing.script import script_of
from osler.cases.importers.medtutor_record import medtutor_record, source_id
from osler.cases.model import Case
from osler.cases.personas.library import patients, students
from osler.cases.personas.matching import as_seat, fitted, wanted_by
from osler.cases.personas.people import (
    KnowledgeProfile,
    PatientDemographics,
    PatientPersona,
    PersonalityProfile,
    PersonalityTraits,
    StudentDemographics,
    StudentPersona,
)
from osler.core.events import Event, Seat
from osler.core.trace import Trace
from osler.core.wording import wordings
from osler.knowledge.vocabulary import Persona
from osler.protocols.ward_round.episode import profile
from osler.protocols.ward_round.events import ROUND_WORDS, RoundBegan
from osler.protocols.ward_round.seats import StudentProfile


def selected_case(case: Case) -> dict[str, Any]:
    """The whole case in the published fields: the record it was imported from, or one written for it."""
    return medtutor_record(case) or {**published_case(case, script_of(case)), "id": source_id(case)}


def patient_persona(case: Case, persona: Persona) -> dict[str, Any]:
    """The patient's persona in the published form; a manner by name has no person behind it."""
    requirements = wanted_by(case)
    patient = next((one for one in patients() if as_seat(one, requirements) == persona), None)
    if patient is None:
        patient = PatientPersona(
            persona_id=persona.name,
            demographics=PatientDemographics(),
            personality_traits=PersonalityTraits(communication_style=persona.name),
            style_prompt_for_llm=persona.manner,
        )
    return fitted(patient, requirements).model_dump(mode="json")


@lru_cache(maxsize=1)
def _library() -> dict[StudentProfile, StudentPersona]:
    return {profile(student): student for student in students()}


def selected_student(student: StudentProfile) -> dict[str, Any]:
    """A student in the published form: the library's, or one made of the profile."""
    result = _library().get(student) or StudentPersona(
        student_id=student.name,
        demographics=StudentDemographics(year_of_study=student.year_of_study),
        knowledge_profile=KnowledgeProfile(
            level=student.level.capitalize(),
            strengths=student.strengths,
            weaknesses=student.weaknesses,
            learning_style=student.learning_style,
        ),
        personality_profile=PersonalityProfile(archetype=student.archetype),
        behavioral_prompt_for_llm=student.manner,
    )
    return result.model_dump(mode="json")


def agent_log(trace: Trace, names: dict[Seat, str]) -> list[dict[str, Any]]:
    """Each exchange as `{round, agent, seat, input, output}`, in the order asked: what the seat was told
    since its last reply, a line each, and its reply with its private parts. Round 0 is before the first."""
    told: dict[Seat, list[dict[str, str]]] = {}
    log: list[dict[str, Any]] = []
    round_ = 0
    for (_, events), row in zip_longest(trace.told(), trace.rows):
        for event in events:
            round_ = event.round if isinstance(event, RoundBegan) else round_
            for seat in event.to:
                told.setdefault(seat, []).extend(_lines(event))
        if row is not None:
            log.append(
                {
                    "round": round_,
                    "agent": names.get(row.seat, row.seat.capitalize()),
                    "seat": row.seat,
                    "input": told.pop(row.seat, []),
                    "output": from_json(row.reply),
                }
            )
    return log


def _lines(event: Event) -> Iterator[dict[str, str]]:
    for wording in wordings(event, ROUND_WORDS):
        yield {"speaker": wording.speaker or wording.kind, "content": wording.text}
