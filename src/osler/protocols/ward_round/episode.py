"""The episode of a ward round: instances, where the configuration has names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from osler.authoring.preparing.steps import plan_of
from osler.cases.model import Case, TeachingPlan
from osler.cases.personas import persona
from osler.cases.personas.library import patients, students
from osler.cases.personas.matching import as_seat, cohort, match, wanted_by
from osler.cases.personas.people import StudentPersona
from osler.cases.sources import CaseSource
from osler.core.composite import Cast
from osler.core.episode import Episode
from osler.errors import BadInput
from osler.knowledge.vocabulary import Persona
from osler.protocols.ward_round import views as teaching
from osler.protocols.ward_round.seats import MOST_STUDENTS, Level, StudentProfile, student_seats
from osler.protocols.ward_round.settings import MATCHED, PROTOCOL, RoundSettings

_LEVELS: Final[Mapping[str, Level]] = {
    "beginner": "beginner",
    "intermediate": "intermediate",
    "advanced": "advanced",
}


@dataclass(frozen=True, slots=True)
class RoundEpisode(Episode):
    """A ward round to be played: one case, one patient's persona, one cohort, one seed.

    `plan` is the tutor's teaching plan if it is not the case's own (a control).
    """

    protocol: ClassVar[str] = PROTOCOL
    ordinal: int
    case: Case
    persona: Persona
    cohort: tuple[StudentProfile, ...]
    settings: RoundSettings
    seed: str
    plan: TeachingPlan | None = None
    kept: str = ""
    reseeded: tuple[tuple[int, str], ...] = ()

    def setting(self) -> tuple[str, ...]:
        """Return the persona, the cohort, and the policy for what the case does not specify."""
        cohort = (student.model_dump_json() for student in self.cohort)
        return self.persona.model_dump_json(), *cohort, self.settings.unknown

    def beyond(self) -> tuple[str, ...]:
        """Return the plan of another case, if the round is taught by one."""
        return (self.plan.model_dump_json() if self.plan else "",)

    def check(self, cast: Cast) -> None:
        """Raise BadInput for a cohort or a cast that cannot be played."""
        names = [student.name for student in self.cohort]
        if not 1 <= len(names) <= MOST_STUDENTS:
            raise BadInput(f"a cohort has 1 to {MOST_STUDENTS} students, not {len(names)}", where="cohort")
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise BadInput(
                f"two students are called {doubled[0]}", where="cohort", hint="give each a name of its own"
            )
        if empty := [seat for seat in ("tutor", *student_seats(len(names))) if seat not in cast]:
            raise BadInput(f"no player sits as {empty[0]}", where="cast")


def planned(case: Case) -> Case:
    """Return the case with a teaching plan: its own, or one derived from its contents."""
    return case.model_copy(update={"teaching": plan_of(case)})


def neighbours_plan(index: int, case: Case, source: CaseSource) -> TeachingPlan:
    """Return the plan with the neighbouring case's steps, for the control; cases are paired in order."""
    for other in (index ^ 1, index - 1):
        try:
            return another_plan(case, planned(source.get(other)))
        except BadInput:
            continue
    raise BadInput("there is no other case to teach by", where="--teach-by another")


def patient_of(name: str, case: Case, seed: str) -> Persona:
    """Return the patient's persona: the one of this name, or the library's that is matched to the case."""
    if name != MATCHED:
        return persona(name)
    requirements = wanted_by(case)
    return as_seat(match(requirements, patients(), f"{seed}/{case.id}"), requirements)


def cohort_of(size: int, case: Case, seed: str) -> tuple[StudentProfile, ...]:
    """Return the cohort of this size that a case and a seed draw from the library."""
    return tuple(map(profile, cohort(students(), size, f"{seed}/{case.id}")))


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
