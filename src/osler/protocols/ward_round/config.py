"""The configuration of a run of ward rounds, with the options that set it. Its casts are in `casting`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal, get_args

from pydantic import Field

from osler.cases.model import Case
from osler.core.config import Config
from osler.core.events import Seat
from osler.core.option import Option, seat_option
from osler.core.role import NOBODY, PERSON
from osler.errors import BadInput
from osler.protocols.shared.settings import Moves
from osler.protocols.ward_round.seats import MOST_STUDENTS, student_seats
from osler.protocols.ward_round.settings import MATCHED, PROTOCOL, RoundSettings, Theory

if TYPE_CHECKING:
    from osler.cases.sources import CaseSource
    from osler.protocols.ward_round.episode import RoundEpisode

_OTHERS: Final[tuple[Seat, ...]] = ("patient", "specialist", "supervisor", "expert")
BASELINE: Final = "baseline"
STRICT: Final = "strict"
"""The built-in supervisor where reviewers are strict, and beside a person who teaches."""
THEORIES: Final[tuple[Theory, ...]] = get_args(Theory)
PLAYERS: Final[Mapping[Seat, tuple[str, ...]]] = {
    "tutor": ("socratic", "hasty", "lecturer", "announcer", "silent", "parrot"),
    "student": (*THEORIES, BASELINE),
    "patient": (BASELINE,),
    "specialist": (BASELINE,),
    "supervisor": (BASELINE, STRICT),
    "expert": (BASELINE,),
}
"""The names of the built-in players of each seat; `casting.BUILT_IN` has the players."""
_MODEL: Final = ("model:NAME", "scripted:FILE")


class RoundConfig(Config):
    """The configuration that determines a run's ward rounds: names, no instances; stored in the manifest as
    it is.

    `student` names the students' players, dealt in turn to the seats of the cohort: `baseline` learns by
    `theory`, and each theory is also a player by its name. `persona` is `matched` (the library's patient that
    fits the case) or one of the manners. `teach_by` "another" is a control: the tutor is given the steps of
    another case.
    """

    protocol: ClassVar[str] = PROTOCOL
    model: ClassVar[type[Case]] = Case
    world: ClassVar[tuple[str, ...]] = ("persona", "students", "settings.unknown")

    tutor: Annotated[
        str, seat_option("The tutor", PLAYERS["tutor"], PERSON, *_MODEL, first=True, several=True)
    ] = "socratic"
    students: Annotated[int, Option("Number of students.", "seats", first=True)] = Field(
        default=3, ge=1, le=MOST_STUDENTS
    )
    student: Annotated[
        tuple[str, ...],
        Option(
            f"The students' players, in turn: {', '.join(PLAYERS['student'])}, person (one) or model:NAME.",
            "seats",
            metavar="NAME[,NAME...]",
            first=True,
        ),
    ] = Field(default=("baseline",), min_length=1, max_length=MOST_STUDENTS)
    theory: Annotated[Theory, Option("The learning theory that built-in students follow.", "seats")] = (
        "construct"
    )
    patient: Annotated[str, seat_option("The patient", PLAYERS["patient"], NOBODY, *_MODEL)] = "baseline"
    specialist: Annotated[str, seat_option("The specialist", PLAYERS["specialist"], NOBODY, *_MODEL)] = (
        "baseline"
    )
    supervisor: Annotated[str, seat_option("The supervisor", PLAYERS["supervisor"], NOBODY, *_MODEL)] = (
        "baseline"
    )
    expert: Annotated[str, seat_option("The expert", PLAYERS["expert"], NOBODY, *_MODEL)] = "baseline"
    persona: Annotated[
        str,
        Option(
            "The patient's persona: matched to the case, or plain, anxious, stoic, talkative or skeptical.",
            "encounter",
            metavar="NAME",
        ),
    ] = MATCHED
    teach_by: Annotated[
        Literal["own", "another"],
        Option("another: a control in which the tutor gets another case's steps.", "encounter"),
    ] = "own"
    moves: Moves = "json"
    settings: RoundSettings = RoundSettings()

    def players(self) -> dict[Seat, str]:
        """Return the player's name for each occupied seat."""
        named: dict[Seat, str] = {"tutor": self.tutor}
        named |= {seat: getattr(self, seat) for seat in _OTHERS}
        seats = student_seats(self.students)
        named |= {seat: self.student[n % len(self.student)] for n, seat in enumerate(seats)}
        return {
            seat: name for seat, name in named.items() if name != NOBODY or not self.plays.role(seat).optional
        }

    def seated(self, seats: Mapping[Seat, str]) -> RoundConfig:
        """Return a copy with other players in some seats; "student" means all students, "student_2" one."""
        dealt = [self.student[n % len(self.student)] for n in range(self.students)]
        others: dict[str, str] = {}
        for seat, name in seats.items():
            role = self.plays.role(seat)
            if seat == "student":
                dealt = [name] * self.students
            elif not role.many:
                others[seat] = name
            elif (number := int(seat.rpartition("_")[2])) <= self.students:
                dealt[number - 1] = name
            else:
                raise BadInput(
                    f"there are {self.students} students", where=f"--seat {seat}", hint="add students"
                )
        changed = any(self.plays.role(seat).many for seat in seats)
        student = {"student": tuple(dealt)} if changed else {}
        return self.model_copy(update={**others, **student})

    def practised(self) -> RoundConfig:
        """See `Config.practised`; the strict supervisor reads a person's drafts unless another was chosen."""
        strict = {"supervisor": STRICT} if (self.tutor, self.supervisor) == (PERSON, BASELINE) else {}
        return super().practised().model_copy(update=strict)

    def ready(self, case: Case) -> Case:
        """Return the case with a teaching plan: its own, or one derived from its contents."""
        from osler.protocols.ward_round.episode import planned  # noqa: PLC0415 - import time

        return planned(case)

    def episode(self, ordinal: int, case: Case, source: CaseSource) -> RoundEpisode:
        """Return an episode of a `ready` case: its patient and its cohort depend on case and seed, never on
        the tutor."""
        from osler.protocols.ward_round import episode as rounds  # noqa: PLC0415 - import time

        seed, kept, reseeded = self.seeding(ordinal % self.repeats)
        another = self.teach_by == "another"
        plan = rounds.neighbours_plan(ordinal // self.repeats, case, source) if another else None
        patient = rounds.patient_of(self.persona, case, seed)
        cohort = rounds.cohort_of(self.students, case, seed)
        return rounds.RoundEpisode(ordinal, case, patient, cohort, self.settings, seed, plan, kept, reseeded)


CONFIG: Final = RoundConfig
