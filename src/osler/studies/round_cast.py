"""Who takes part in a ward round: built-in players by name, and what built-in students are handed to know.

Students are privileged as the oracle is: to play somebody who knows a step, a player must have it. What they
are given comes from the case; what they are shown in the encounter never holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, get_args

from osler.cases import teaching
from osler.cases.model import Case
from osler.errors import BadInput
from osler.players.round.expert import BaselineExpert
from osler.players.round.learning import Curriculum, KeyedItem, Lesson, Theory
from osler.players.round.patient import BaselineRoundPatient
from osler.players.round.specialist import BaselineSpecialist
from osler.players.round.student import BaselineStudent
from osler.players.round.supervisor import BaselineSupervisor
from osler.players.round.tutors import Announcer, Lecturer, Parrot, Silent, Socratic
from osler.seats.contract import Player
from osler.seats.events import Seat
from osler.seats.round_events import ExamItem
from osler.seats.ward_round import StudentProfile, student_seats

TUTORS: Final[Mapping[str, Callable[[], Player]]] = MappingProxyType(
    {
        "socratic": Socratic,
        "lecturer": Lecturer,
        "announcer": Announcer,
        "silent": Silent,
        "parrot": Parrot,
    }
)
THEORIES: Final[tuple[Theory, ...]] = get_args(Theory)


def tutor_named(name: str) -> Player:
    """A built-in tutor. Raises BadInput, naming those that exist, where there is none of the name."""
    if name not in TUTORS:
        raise BadInput(
            f"no tutor is called {name!r}", where="--tutor", mend=f"known: {', '.join(sorted(TUTORS))}"
        )
    return TUTORS[name]()


def curriculum(case: Case) -> Curriculum:
    """What there is to know about a case."""
    plan, answer = teaching.teaching_plan(case), teaching.answer_of(case)
    if case.task.kind == "choice" and case.task.options:
        others = tuple(text for text in case.task.options.values() if text != answer)
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
        alternatives=others,
    )


def built_in_cast(
    case: Case, cohort: Sequence[StudentProfile], tutor: Player, theory: Theory
) -> dict[Seat, Player]:
    """The whole cast with built-in players round one tutor. Ablations leave seats out."""
    student = BaselineStudent(curriculum(case), theory)
    return {
        "tutor": tutor,
        "patient": BaselineRoundPatient(),
        "specialist": BaselineSpecialist(),
        "supervisor": BaselineSupervisor(),
        "expert": BaselineExpert(),
        **dict.fromkeys(student_seats(len(cohort)), student),
    }
