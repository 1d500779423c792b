"""The built-in players of ward rounds by name, and their cohorts and plans by case.

Students are privileged, as the oracle is: to play someone who knows a step, a player must have it. Their
curriculum comes from the case; what they are shown in the encounter never contains it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from osler.authoring.preparing.steps import plan_of
from osler.cases.answers import announces_the_answer, answer_of, answers_of
from osler.cases.importers.leaks import plain
from osler.cases.model import Case, TeachingPlan
from osler.cases.personas import PERSONAS, persona
from osler.cases.personas.library import patients, students
from osler.cases.personas.matching import as_seat, cohort, match, wanted_by
from osler.cases.personas.people import StudentPersona
from osler.cases.sources import CaseSource
from osler.core.contract import Player
from osler.core.events import Seat
from osler.core.factory import Factory, PlayerRequest, always
from osler.errors import BadInput
from osler.knowledge.vocabulary import Persona
from osler.players.casting import Casting, checked_name
from osler.protocols.shared.players.patient import BaselinePatient
from osler.protocols.ward_round import views as teaching
from osler.protocols.ward_round.config import BASELINE, MATCHED, STRICT, THEORIES, RoundConfig
from osler.protocols.ward_round.episode import RoundEpisode
from osler.protocols.ward_round.events import ExamItem
from osler.protocols.ward_round.players.expert import BaselineExpert
from osler.protocols.ward_round.players.learning import Curriculum, KeyedItem, Lesson
from osler.protocols.ward_round.players.patient import RoundPatient
from osler.protocols.ward_round.players.reviewers import (
    BaselineSpecialist,
    BaselineSupervisor,
    StrictSupervisor,
)
from osler.protocols.ward_round.players.student import BaselineStudent
from osler.protocols.ward_round.players.tutors import Announcer, Lecturer, Parrot, Silent, Socratic
from osler.protocols.ward_round.seats import Level, StudentProfile
from osler.protocols.ward_round.settings import Theory

_LEVELS: Final[Mapping[str, Level]] = {
    "beginner": "beginner",
    "intermediate": "intermediate",
    "advanced": "advanced",
}
TUTORS: Final[Mapping[str, type[Player]]] = MappingProxyType(
    {
        "socratic": Socratic,
        "lecturer": Lecturer,
        "announcer": Announcer,
        "silent": Silent,
        "parrot": Parrot,
    }
)
_MOST_KEPT: Final = 64
_students: OrderedDict[tuple[str, Theory], BaselineStudent] = OrderedDict()


def casting_of(config: RoundConfig, more: Mapping[str, Factory] | None = None) -> Casting:
    """Return the builder of the casts of a run. Raises BadInput for an unknown name."""
    if config.persona not in (MATCHED, *PERSONAS):
        known = ", ".join((MATCHED, *PERSONAS))
        raise BadInput(f"no persona is called {config.persona!r}", where="--persona", hint=f"known: {known}")
    role = config.plays.role("student")
    for name in config.student:  # including those that a small cohort leaves out
        checked_name(role, name, more or {})
    names = {seat: _built_in(config, seat, name) for seat, name in config.players().items()}
    return Casting(config.plays, names, more, config.settings.language)


def _built_in(config: RoundConfig, seat: Seat, name: str) -> str:
    """The built-in player meant by `baseline`: the student who learns by the run's theory, and the strict
    supervisor if reviewers are strict. Each is also a player by its own name."""
    if name == BASELINE and config.plays.role(seat).many:
        return config.theory
    strict = config.settings.reviewers == STRICT and seat == "supervisor"
    return STRICT if name == BASELINE and strict else name


def planned(case: Case) -> Case:
    """Return the case with a teaching plan: its own, or one derived from its contents."""
    return case.model_copy(update={"teaching": plan_of(case)})


def episode_of(config: RoundConfig, ordinal: int, case: Case, source: CaseSource) -> RoundEpisode:
    """Return an episode of a `planned` case."""
    seed, kept, reseeded = config.seeding(ordinal % config.repeats)
    another = config.teach_by == "another"
    plan = _another(ordinal // config.repeats, case, source) if another else None
    persona, group = _persona(config, case, seed), _cohort(config, case, seed)
    return RoundEpisode(ordinal, case, persona, group, config.settings, seed, plan, kept, reseeded)


def _another(index: int, case: Case, source: CaseSource) -> TeachingPlan:
    """Return the plan with the neighbouring case's steps, for the control; cases are paired in order."""
    for other in (index ^ 1, index - 1):
        try:
            return another_plan(case, planned(source.get(other)))
        except BadInput:
            continue
    raise BadInput("there is no other case to teach by", where="--teach-by another")


def _persona(config: RoundConfig, case: Case, seed: str) -> Persona:
    if config.persona != MATCHED:
        return persona(config.persona)
    wanted = wanted_by(case)
    return as_seat(match(wanted, patients(), f"{seed}/{case.id}"), wanted)


def _cohort(config: RoundConfig, case: Case, seed: str) -> tuple[StudentProfile, ...]:
    return tuple(map(profile, cohort(students(), config.students, f"{seed}/{case.id}")))


def profile(student: StudentPersona) -> StudentProfile:
    """Convert a library's student to a profile for the round; an unknown level counts as beginner."""
    knows, role = student.knowledge_profile, student.personality_profile
    return StudentProfile(
        name=student.student_id,
        level=_LEVELS.get(knows.level.casefold(), "beginner"),
        year_of_study=student.demographics.year_of_study,
        strengths=knows.strengths,
        weaknesses=knows.weaknesses,
        learning_style=knows.learning_style,
        archetype=role.archetype,
        manner=student.instruction,
    )


def another_plan(case: Case, other: Case) -> TeachingPlan:
    """Return the control tutor's plan: the steps of another case with this case's sibling questions."""
    own, theirs = teaching.teaching_plan(case), teaching.teaching_plan(other)
    return own.model_copy(update={"steps": theirs.steps})


def student(asked: PlayerRequest, theory: Theory) -> BaselineStudent:
    """Return the built-in student who learns a case by a theory; the whole cohort shares it."""
    key = (asked.case.content_hash, theory)
    if key not in _students:
        if len(_students) >= _MOST_KEPT:
            _students.popitem(last=False)
        _students[key] = BaselineStudent(curriculum(asked.case), theory)
    return _students[key]


def _learns_by(theory: Theory) -> Factory:
    return lambda asked: student(asked, theory)


def _strict(asked: PlayerRequest) -> StrictSupervisor:
    plan = asked.case.management
    withheld = {
        one.name: one.terms for one in (plan.contraindicated if plan else ()) if one.class_ == "harmful"
    }
    return StrictSupervisor(partial(announces_the_answer, asked.case), withheld)


BUILT_IN: Final[Mapping[str, Mapping[str, Factory]]] = {
    "tutor": {name: always(tutor()) for name, tutor in TUTORS.items()},
    "student": {theory: _learns_by(theory) for theory in THEORIES} | {BASELINE: _learns_by("construct")},
    "patient": {BASELINE: always(RoundPatient(BaselinePatient()))},
    "specialist": {BASELINE: always(BaselineSpecialist())},
    "supervisor": {BASELINE: always(BaselineSupervisor()), STRICT: _strict},
    "expert": {BASELINE: always(BaselineExpert())},
}


def curriculum(case: Case) -> Curriculum:
    """Return the curriculum of a case: everything there is to know about it."""
    plan, answer = teaching.teaching_plan(case), answer_of(case)
    diagnoses = True
    if case.task.kind == "choice" and case.task.options:
        others = tuple(text for text in case.task.options.values() if text != answer)
        diagnoses = case.diagnosis is not None and plain(case.diagnosis.name) == plain(answer)
    else:
        others = tuple(other.name for other in case.diagnosis.alternatives) if case.diagnosis else ()
    return Curriculum(
        lessons=tuple(Lesson(key_question=s.key_question, summary=s.summary) for s in plan.steps),
        siblings=tuple(
            KeyedItem(
                item=ExamItem(id=f"sibling-{n}", question=each.stem, options=each.options),
                answer=each.answer,
                step=each.step,
            )
            for n, each in enumerate(plan.siblings, 1)
        ),
        answer=answer,
        answer_names=answers_of(case),
        alternatives=others,
        diagnoses=diagnoses,
    )
