"""The built-in players of a ward round by name, and the curriculum given to built-in students.

Students are privileged, as the oracle is: to play someone who knows a step, a player must have it. Their
curriculum comes from the case; what they are shown in the encounter never contains it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, get_args

from osler.cases.answers import answer_of
from osler.cases.model import Case
from osler.core.contract import Player
from osler.core.factory import Asked, Factory, always
from osler.protocols.ward_round import views as teaching
from osler.protocols.ward_round.events import ExamItem
from osler.protocols.ward_round.players.expert import BaselineExpert
from osler.protocols.ward_round.players.learning import (
    Curriculum,
    KeyedItem,
    Lesson,
    Theory,
)
from osler.protocols.ward_round.players.patient import BaselineRoundPatient
from osler.protocols.ward_round.players.reviewers import (
    BaselineSpecialist,
    BaselineSupervisor,
)
from osler.protocols.ward_round.players.student import BaselineStudent
from osler.protocols.ward_round.players.tutors import (
    Announcer,
    Lecturer,
    Parrot,
    Silent,
    Socratic,
)

BASELINE: Final = "baseline"
THEORIES: Final[tuple[Theory, ...]] = get_args(Theory)
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


def student(asked: Asked, theory: Theory) -> BaselineStudent:
    """Return the built-in student who learns a case by a theory; the whole cohort shares it."""
    key = (asked.case.content_hash, theory)
    if key not in _students:
        if len(_students) >= _MOST_KEPT:
            _students.popitem(last=False)
        _students[key] = BaselineStudent(curriculum(asked.case), theory)
    return _students[key]


def _learns_by(theory: Theory) -> Factory:
    return lambda asked: student(asked, theory)


BUILT_IN: Final[Mapping[str, Mapping[str, Factory]]] = {
    "tutor": {name: always(tutor()) for name, tutor in TUTORS.items()},
    "student": {theory: _learns_by(theory) for theory in THEORIES} | {BASELINE: _learns_by("construct")},
    "patient": {BASELINE: always(BaselineRoundPatient())},
    "specialist": {BASELINE: always(BaselineSpecialist())},
    "supervisor": {BASELINE: always(BaselineSupervisor())},
    "expert": {BASELINE: always(BaselineExpert())},
}


def curriculum(case: Case) -> Curriculum:
    """Return the curriculum of a case: everything there is to know about it."""
    plan, answer = teaching.teaching_plan(case), answer_of(case)
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
