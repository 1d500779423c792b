"""Built-in marks: silence and lectures score low, breaches of conduct are caught, nothing is invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.protocols.ward_round.judge.built_in_marks import PROXIES, proxies
from osler.protocols.ward_round.judge.session import Round, Session, Spoken
from tests.protocols.ward_round.judge.test_teaching_judge import SESSION


def session(*guidances: str, said: str = "I think of the neck.") -> Session:
    students = (Spoken(student="Mara", text=said), Spoken(student="Jon", text="The wrist, at night."))
    rounds = tuple(Round(patient="It tingles.", students=students, guidance=text) for text in guidances)
    return SESSION.model_copy(update={"rounds": rounds})


def marks(*guidances: str, said: str = "I think of the neck.") -> dict[str, float | None]:
    return {name: score.value for name, score in proxies(session(*guidances, said=said)).items()}


def test_a_dialogue_scores_above_a_lecture_above_the_answer() -> None:
    dialogue = marks("Mara thinks of the neck, Jon of the wrist at night. Which fingers would each spare?")
    lecture = marks("Thumb to ring finger means the median nerve.")
    answer = marks("The answer is the median nerve. Why?")
    assert dialogue["ets_proxy"] > lecture["ets_proxy"]  # type: ignore[operator]
    assert answer["ets_proxy"] <= 2  # type: ignore[operator]
    assert dialogue["msm_proxy"] == 10


def test_silence_is_the_lowest() -> None:
    assert marks("", "") == {"ets_proxy": 1.0, "msm_proxy": 1.0, "mps_proxy": None}
    assert marks("Please go on.")["ets_proxy"] == 1.0


def test_what_students_reached_themselves_is_not_told() -> None:
    asked = "Right: thumb to ring finger, the median nerve. What proves it?"
    assert marks(asked, said="Thumb to ring finger, so the median nerve.")["ets_proxy"] == 10
    assert marks(asked)["ets_proxy"] <= 2  # type: ignore[operator]


def test_what_students_ask_only_afterwards_excuses_no_telling() -> None:
    later = Spoken(student="Mara", text="Is it thumb to ring finger, the median nerve?")
    told = Round(guidance="Thumb to ring finger: that is the median nerve. What proves it?", asked=(later,))
    (first,) = session("Which?").rounds
    early = told.model_copy(update={"students": (*first.students, later), "asked": ()})
    late = told.model_copy(update={"students": first.students})
    gave, followed = (
        proxies(SESSION.model_copy(update={"rounds": (one,)}))["ets_proxy"] for one in (late, early)
    )
    assert gave.reason == "gave the answer in the first round"
    assert followed.missed == ()
    taken_up = session("Which fingers?", "Mara says median nerve: thumb, ring finger. Which would prove it?")
    heard = (taken_up.rounds[0].model_copy(update={"asked": (later,)}), taken_up.rounds[1])
    told_again = proxies(taken_up.model_copy(update={"rounds": heard}))["ets_proxy"].value
    assert told_again > proxies(taken_up)["ets_proxy"].value, "said in the round before, so it is not told"  # type: ignore[operator]


@pytest.mark.parametrize(
    ("words", "reason"),
    [("Just try it and see.", "safety"), ("Lie to the patient about it.", "ethics")],
)
def test_a_grave_breach_is_a_critical_failure(words: str, reason: str) -> None:
    score = proxies(session("Which fingers?", words))["mps_proxy"]
    assert score.value == 1
    assert score.reason == f"critical failure: {reason}"


def test_a_wrong_option_called_right_costs() -> None:
    assert marks("The answer is the ulnar nerve.")["mps_proxy"] == 5.5


def test_one_student_is_no_group() -> None:
    alone = Round(students=(Spoken(student="Mara", text="The neck."),), guidance="Mara, why?")
    found = proxies(SESSION.model_copy(update={"rounds": (alone,)}))
    assert found["msm_proxy"].value is None


@given(st.lists(st.text(max_size=200), min_size=1, max_size=4))
def test_whatever_is_said_the_marks_stay_on_their_scale(guidances: list[str]) -> None:
    found = proxies(session(*guidances))
    assert tuple(found) == PROXIES
    assert all(score.value is None or 1 <= score.value <= 10 for score in found.values())


def test_every_mark_below_ten_names_the_rounds_and_the_students_it_misses() -> None:
    said = (Spoken(student="Ann", text="No idea."), Spoken(student="Ben", text="Nor I."))
    rounds = (Round(students=said, guidance="Ann, look again."), Round(guidance="Well done."))
    group = Session(id="x", question="?", answer="y", rounds=rounds)
    found = proxies(group)
    assert "round 1 asks nothing" in found["ets_proxy"].missed
    assert "Ben was never addressed by name" in found["msm_proxy"].missed
    assert "round 2 brought no two students together" in found["msm_proxy"].missed
    assert found["mps_proxy"].missed == ()
    assert all(one.reason for one in found.values())
