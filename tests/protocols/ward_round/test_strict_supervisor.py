"""The strict supervisor, a rule beside a person who teaches: the answer and harmful orders are sent back."""

from __future__ import annotations

from functools import partial

import pytest

from osler.cases.answers import announces_the_answer, names_the_answer
from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.core.factory import PlayerRequest
from osler.protocols.ward_round.casting import BUILT_IN
from osler.protocols.ward_round.config import STRICT, RoundConfig
from osler.protocols.ward_round.events import Reviewed, RoundLine
from osler.protocols.ward_round.players.reviewers import StrictSupervisor
from tests.protocols.ward_round.casts import built_in_cast, tutor_named
from tests.protocols.ward_round.conftest import Play, cohort, taught_case
from tests.protocols.ward_round.players import PlainStudent, PlainTutor

INFARCT = "cardiology-01"


def infarct() -> Case:
    """A case whose plan withholds nitrates and diuretics."""
    return next(case for case in open_source("library") if case.id == INFARCT)


def strict() -> StrictSupervisor:
    """Its strict supervisor."""
    case = infarct()
    made = BUILT_IN["supervisor"][STRICT](PlayerRequest("supervisor", case, ""))
    assert isinstance(made, StrictSupervisor)
    return made


@pytest.mark.parametrize(
    ("draft", "category"),
    [
        ("It is an acute inferior ST-elevation myocardial infarction. What now?", "ethics"),
        ("Give nitrates and a diuretic now.", "safety"),
        ("It is an inferior STEMI. Give nitrates now.", "safety"),
        ("Think about her pressure. Please start GTN.", "safety"),
        ("What a stupid idea, Ben.", "tone"),
    ],
)
def test_the_strict_supervisor_names_what_a_person_must_not_tell(draft: str, category: str) -> None:
    assert strict().review(draft).issue_category == category


@pytest.mark.parametrize(
    "draft",
    [
        "Which habitual drugs would you withhold, and would you give nitrates?",
        "Do not give nitrates before you have looked at the right leads.",
        "If we give nitrates, her pressure falls. Why?",
        "Is it a non-ST-elevation myocardial infarction? Look at the leads again.",
        "Start with the nitrate question, Ben: why is she on it, or why not?",
        "Give her aspirin, and hold the nitrates.",
    ],
)
def test_the_strict_supervisor_lets_questions_and_warnings_pass(draft: str) -> None:
    assert strict().review(draft).is_safe


def test_the_answer_is_let_through_when_the_same_words_are_handed_in_again(teach: Play) -> None:
    answer = "It is pneumonia, as you said."
    case = taught_case()
    supervisor = StrictSupervisor(partial(announces_the_answer, case), {})
    cast = {**built_in_cast(case, cohort(), PlainTutor(answer), "telling"), "supervisor": supervisor}
    trace = teach(cast, max_rounds=1)
    assert [review.approved for review in trace.of(Reviewed) if review.by == "supervisor"] == [False, True]
    assert [line.text for line in trace.of(RoundLine) if line.part == "guidance"] == [answer]


def test_only_beside_a_person_who_teaches_the_supervisor_is_strict() -> None:
    assert RoundConfig(tutor="person").practised().supervisor == STRICT
    assert RoundConfig(tutor="socratic").practised().supervisor == "baseline"
    assert RoundConfig(tutor="person", supervisor="model:m").practised().supervisor == "model:m"


def test_another_diagnosis_that_holds_the_answers_name_does_not_name_it() -> None:
    case = infarct()
    assert not names_the_answer(case, "Unstable angina or non-ST-elevation myocardial infarction?")
    assert names_the_answer(case, "No non-STEMI: an inferior ST-elevation myocardial infarction.")


def test_who_makes_part_of_a_point_is_asked_for_more_and_not_passed_over(teach: Play) -> None:
    step = taught_case().teaching.steps[0]  # type: ignore[union-attr]
    part = " ".join(step.summary.split()[: len(step.summary.split()) // 2])
    cast = {
        **built_in_cast(taught_case(), cohort(), tutor_named("socratic"), "construct"),
        "student_1": PlainStudent(part),
    }
    trace = teach(cast, max_rounds=2)
    name = cohort()[0].name
    said = [line.text for line in trace.of(RoundLine) if line.part == "guidance"]
    assert f"{name}, say more about that." in said[1]
