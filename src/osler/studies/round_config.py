"""What a run of ward rounds is, by names, and how its episodes and casts are made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Literal

from pydantic import Field

from osler.authoring.preparing.steps import plan_of
from osler.cases import teaching
from osler.cases.model import Case, TeachingPlan
from osler.cases.personas import PERSONAS, persona
from osler.cases.personas.library import patients, students
from osler.cases.personas.matching import as_seat, cohort, match, wanted_by
from osler.cases.personas.people import StudentPersona
from osler.cases.sources import CaseSource, open_source
from osler.encounter.ward_round import PROTOCOL, RoundSettings
from osler.errors import BadInput
from osler.players.round.expert import BaselineExpert
from osler.players.round.learning import Theory
from osler.players.round.patient import BaselineRoundPatient
from osler.players.round.specialist import BaselineSpecialist
from osler.players.round.student import BaselineStudent
from osler.players.round.supervisor import BaselineSupervisor
from osler.seats.composite import AnyPlayer
from osler.seats.contract import Player
from osler.seats.events import Seat
from osler.seats.patient import Persona
from osler.seats.ward_round import MOST_STUDENTS, Level, StudentProfile, student_seats
from osler.studies.build import NONE, Asked, Factory
from osler.studies.config import AnyConfig
from osler.studies.round_cast import THEORIES, TUTORS, curriculum
from osler.studies.ward_round import RoundEpisode

MATCHED: Final = "matched"
PERSON: Final = "person"
"""Who can sit as tutor or student; no form exists for a person in another seat of a round."""
STUDENTS: Final = ("baseline", *THEORIES)
_LEVELS: Final[Mapping[str, Level]] = {
    "beginner": "beginner",
    "intermediate": "intermediate",
    "advanced": "advanced",
}
_OTHERS: Final[tuple[Seat, ...]] = ("patient", "specialist", "supervisor", "expert")


class RoundConfig(AnyConfig):
    """All that decides a run's ward rounds. Names, no instances; goes into the manifest as it is.

    `student` names who plays the students, dealt in turn to the seats of the cohort: `baseline` learns by
    `theory`, and each theory is a player of its own name. `persona` is `matched` (the library's patient that
    fits the case) or one of the manners. `teach_by` "another" is a control: the tutor is given the steps of
    another case.
    """

    model: ClassVar[type[Case]] = Case

    tutor: str = "socratic"
    students: int = Field(default=3, ge=1, le=MOST_STUDENTS)
    student: tuple[str, ...] = Field(default=("baseline",), min_length=1, max_length=MOST_STUDENTS)
    theory: Theory = "construct"
    patient: str = "baseline"
    specialist: str = "baseline"
    supervisor: str = "baseline"
    expert: str = "baseline"
    persona: str = MATCHED
    teach_by: Literal["own", "another"] = "own"
    moves: Literal["json", "text"] = "json"
    settings: RoundSettings = RoundSettings()

    @property
    def protocol(self) -> str:
        """The story that is played."""
        return PROTOCOL

    def players(self) -> dict[Seat, str]:
        """The name in each seat that is taken."""
        named: dict[Seat, str] = {"tutor": self.tutor}
        named |= {seat: getattr(self, seat) for seat in _OTHERS}
        seats = student_seats(self.students)
        named |= {seat: self.student[n % len(self.student)] for n, seat in enumerate(seats)}
        return {seat: name for seat, name in named.items() if name != NONE}

    def opened(self) -> CaseSource:
        """The run's cases. Raises BadInput where there are none."""
        return open_source(self.cases, self.format)

    def casting(self, more: Mapping[str, Factory] | None = None) -> RoundCasting:
        """Who builds the casts. Raises BadInput for a name that nobody knows."""
        return RoundCasting(self, more)

    def ready(self, case: Case) -> Case:
        """The case with a teaching plan: its own, or one made of what it holds."""
        return case.model_copy(update={"teaching": plan_of(case)})

    def episode(self, ordinal: int, case: Case, source: CaseSource) -> RoundEpisode:
        """One episode of a case that is `ready`: its patient and its cohort follow from case and seed, never
        from who teaches."""
        seed, kept, reseeded = self.seeding(ordinal % self.repeats)
        plan = self._another(ordinal // self.repeats, case, source) if self.teach_by == "another" else None
        persona, group = self._persona(case, seed), self._cohort(case, seed)
        return RoundEpisode(ordinal, case, persona, group, self.settings, seed, plan, kept, reseeded)

    def _another(self, index: int, case: Case, source: CaseSource) -> TeachingPlan:
        """The steps of the neighbouring case, for the control; cases are paired off as they come."""
        for other in (index ^ 1, index - 1):
            try:
                return another_plan(case, self.ready(source.get(other)))
            except BadInput:
                continue
        raise BadInput("there is no other case to teach by", where="--teach-by another")

    def _persona(self, case: Case, seed: str) -> Persona:
        if self.persona != MATCHED:
            return persona(self.persona)
        wanted = wanted_by(case)
        return as_seat(match(wanted, patients(), f"{seed}/{case.id}"), wanted)

    def _cohort(self, case: Case, seed: str) -> tuple[StudentProfile, ...]:
        return tuple(map(profile, cohort(students(), self.students, f"{seed}/{case.id}")))


def profile(student: StudentPersona) -> StudentProfile:
    """A student of a library as the round takes one; a level that is none of ours counts as a beginner's."""
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


_BUILT_IN: Final[Mapping[Seat, Player]] = {
    "patient": BaselineRoundPatient(),
    "specialist": BaselineSpecialist(),
    "supervisor": BaselineSupervisor(),
    "expert": BaselineExpert(),
}


class RoundCasting:
    """Builds the cast of each ward round of a run. `more` adds players by name, such as `model` or `person`.

    Raises BadInput for a name that no seat of that kind knows.
    """

    def __init__(self, config: RoundConfig, more: Mapping[str, Factory] | None = None) -> None:
        if config.persona not in (MATCHED, *PERSONAS):
            known = ", ".join((MATCHED, *PERSONAS))
            raise BadInput(
                f"no persona is called {config.persona!r}", where="--persona", mend=f"known: {known}"
            )
        self._config, self._more = config, more or {}
        self._check("tutor", config.tutor)
        for name in config.student:
            self._check("student_1", name)
        for seat in _OTHERS:
            if (name := getattr(config, seat)) != NONE:
                self._check(seat, name)

    def cast(self, case: Case) -> dict[Seat, AnyPlayer]:
        """The players of one episode."""
        known = curriculum(case)
        students: dict[str, Player] = {theory: BaselineStudent(known, theory) for theory in THEORIES}
        students["baseline"] = students[self._config.theory]
        return {
            seat: self._player(seat, name, case, students) for seat, name in self._config.players().items()
        }

    def _player(self, seat: Seat, full: str, case: Case, students: Mapping[str, Player]) -> AnyPlayer:
        name, _, argument = full.partition(":")
        if name in self._more:
            return self._more[name](Asked(seat, case, argument))
        if seat == "tutor":
            return TUTORS[name]()
        return _BUILT_IN[seat] if seat in _BUILT_IN else students[name]

    def _check(self, seat: Seat, full: str) -> None:
        name, _, argument = full.partition(":")
        what = "student" if seat.startswith("student") else seat
        built_in = TUTORS if what == "tutor" else STUDENTS if what == "student" else ("baseline", NONE)
        known = {*built_in, *self._more}
        if seat in _OTHERS:
            known.discard(PERSON)
        if name not in known or (name == "model") != bool(argument):
            names = ", ".join(sorted({f"{n}:NAME" if n == "model" else n for n in (*known, "model")}))
            raise BadInput(f"no {what} is called {full!r}", where=f"--{what}", mend=f"known: {names}")


def another_plan(case: Case, other: Case) -> TeachingPlan:
    """The steps of another case under this one's siblings: what the control tutor teaches by."""
    own, theirs = teaching.teaching_plan(case), teaching.teaching_plan(other)
    return own.model_copy(update={"steps": theirs.steps})
