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

from osler.cases.answers import announces_the_answer, answer_of, answers_of
from osler.cases.importers.leaks import plain
from osler.cases.model import Case
from osler.cases.personas import PERSONAS
from osler.core.contract import Player
from osler.core.events import Seat
from osler.core.factory import Factory, PlayerRequest, always
from osler.errors import BadInput
from osler.players.casting import Casting, checked_name
from osler.protocols.shared.players.patient import BaselinePatient
from osler.protocols.ward_round import views as teaching
from osler.protocols.ward_round.config import BASELINE, STRICT, THEORIES, RoundConfig
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
from osler.protocols.ward_round.players.tutors import Announcer, Hasty, Lecturer, Parrot, Silent, Socratic
from osler.protocols.ward_round.settings import MATCHED, Theory

TUTORS: Final[Mapping[str, type[Player]]] = MappingProxyType(
    {
        "socratic": Socratic,
        "hasty": Hasty,
        "lecturer": Lecturer,
        "announcer": Announcer,
        "silent": Silent,
        "parrot": Parrot,
    }
)
_MOST_KEPT: Final = 64
_students: OrderedDict[tuple[str, Theory], BaselineStudent] = OrderedDict()


class RoundCasting(Casting[RoundConfig]):
    """The builder of the cast of each ward round of a run. Raises BadInput for an unknown name."""

    def __init__(self, config: RoundConfig, more: Mapping[str, Factory] | None = None) -> None:
        if config.persona not in (MATCHED, *PERSONAS):
            text = ", ".join((MATCHED, *PERSONAS))
            raise BadInput(
                f"no persona is called {config.persona!r}", where="--persona", hint=f"known: {text}"
            )
        role = config.plays.role("student")
        for name in config.student:  # including those that a small cohort leaves out
            checked_name(role, name, more or {})
        super().__init__(config, more)

    @classmethod
    def named(cls, config: RoundConfig) -> Mapping[Seat, str]:
        """The players' names; `baseline` means the student who learns by the run's theory, and the strict
        supervisor if reviewers are strict. Each is also a player by its own name."""
        return {seat: _built_in(config, seat, name) for seat, name in config.players().items()}

    @classmethod
    def needs_other_cases(cls, config: RoundConfig) -> bool:
        """Whether the tutor is given the steps of another case, which must then be read too."""
        return config.teach_by == "another"


def _built_in(config: RoundConfig, seat: Seat, name: str) -> str:
    if name == BASELINE and config.plays.role(seat).many:
        return config.theory
    strict = config.settings.reviewers == STRICT and seat == "supervisor"
    return STRICT if name == BASELINE and strict else name


def student(request: PlayerRequest, theory: Theory) -> BaselineStudent:
    """Return the built-in student who learns a case by a theory; the whole cohort shares it."""
    key = (request.case.content_hash, theory)
    if key not in _students:
        if len(_students) >= _MOST_KEPT:
            _students.popitem(last=False)
        _students[key] = BaselineStudent(curriculum(request.case), theory)
    return _students[key]


def _learns_by(theory: Theory) -> Factory:
    return lambda request: student(request, theory)


def _strict(request: PlayerRequest) -> StrictSupervisor:
    plan = request.case.management
    withheld = {
        one.name: one.terms for one in (plan.contraindicated if plan else ()) if one.class_ == "harmful"
    }
    return StrictSupervisor(partial(announces_the_answer, request.case), withheld)


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
