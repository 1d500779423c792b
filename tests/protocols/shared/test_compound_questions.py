"""Questions that list symptoms, and the denials of the built-in patient: only what was asked, never what is
there."""

from __future__ import annotations

import pytest

from osler.cases.model import Case, Finding
from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.core.contract import Request
from osler.core.events import Said
from osler.knowledge.vocabulary import Unknown
from osler.protocols.shared.patient import PatientFact, PatientView
from osler.protocols.shared.players import voice
from osler.protocols.shared.players.patient import answer, replayed
from osler.protocols.shared.views import patient_view

FACTS = (
    PatientFact(id="breath", topic="systems", text="No shortness of breath.", absent=True),
    PatientFact(id="chest", topic="systems", text="No chest pain.", absent=True),
    PatientFact(id="itch", topic="associated", text="Severe itching."),
)


def asked(question: str, unknown: Unknown = "standard", unsure: tuple[str, ...] = ()) -> tuple[str, set[str]]:
    view = PatientView(
        speaker="patient",
        persona=persona("plain"),
        age_years=50,
        sex="female",
        opening="My eyes are tired.",
        facts=FACTS,
        unknown=unknown,
        unsure_of=unsure,
        noticed=("ptosis",),
    )
    reply = answer(Request(view, (Said(minute=0, by="doctor", to=("patient",), text=question),), "w"))
    return reply.answer, set(reply.revealed_facts)


def test_each_part_is_answered_by_itself() -> None:
    said, told = asked("Any trouble swallowing or breathing, or any itching?")
    assert told == {"breath", "itch"}
    assert "No difficulty swallowing" in said
    assert "chest" not in said


def test_a_sign_that_an_examination_shows_is_never_denied() -> None:
    said, told = asked("Have you had any trouble swallowing or breathing, or any drooping of your eyelids?")
    assert told == {"breath"}
    assert voice.NOTICED in said
    assert asked("Do your eyelids droop?")[0] == voice.NOTICED


def test_a_part_that_is_not_understood_is_not_denied() -> None:
    said, told = asked("Any numbness, flibbering, or weight loss?")
    assert told == set()
    assert "flibbering" not in said
    assert voice.DENIED not in said


def test_an_answer_is_not_beside_the_question() -> None:
    assert asked("Any numbness or tingling?")[1] == set()


@pytest.mark.parametrize(
    ("unknown", "words"), [("withhold", voice.WITHHELD), ("normal", "weight loss"), ("standard", "couldn't")]
)
def test_the_policy_decides_what_is_said_of_the_rest(unknown: Unknown, words: str) -> None:
    said, _ = asked("Any double vision, or weight loss?", unknown, ("weight_loss",))
    assert words in said


def test_the_view_holds_what_examinations_show_and_tests_hint_at() -> None:
    case = next(iter(open_source("library")))
    shown = (
        Finding(id="eyes", kind="examination", name="Eye examination", result="Ptosis of the right eyelid."),
        Finding(id="none", kind="examination", name="Skin examination", result="No rash."),
    )
    changed: Case = case.model_copy(update={"findings": shown})
    view = patient_view(changed, persona=persona("plain"), unknown="standard")
    assert "ptosis" in view.noticed
    assert "rash" not in {*view.noticed, *view.unsure_of}


HABITS = (
    PatientFact(id="smoke", topic="tobacco", text="Smokes ten cigarettes a day."),
    PatientFact(id="drink", topic="alcohol", text="Two glasses of wine on a Saturday."),
    PatientFact(id="drugs", topic="drugs", text="Has never used recreational drugs."),
    PatientFact(id="worse", topic="modifiers", text="Worse after smoking and drinking."),
)


def of_habits(question: str, facts: tuple[PatientFact, ...] = HABITS) -> tuple[str, set[str]]:
    view = PatientView(
        speaker="patient",
        persona=persona("plain"),
        age_years=50,
        sex="female",
        opening="My chest aches.",
        facts=facts,
        unknown="standard",
    )
    reply = answer(Request(view, (Said(minute=0, by="doctor", to=("patient",), text=question),), "w"))
    return reply.answer, set(reply.revealed_facts)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Do you smoke, drink or take any drugs?", {"smoke", "drink", "drugs"}),
        ("Have you ever smoked, drunk or used drugs?", {"smoke", "drink", "drugs"}),
        ("Are you a smoker or a drinker?", {"smoke", "drink"}),
    ],
)
def test_each_habit_that_a_question_lists_is_told(question: str, told: set[str]) -> None:
    assert of_habits(question)[1] == told


@pytest.mark.parametrize(
    "question",
    ["Does your husband drink or smoke?", "Do your parents smoke, drink or take drugs?"],
)
def test_the_habits_of_others_are_not_answered_with_ones_own(question: str) -> None:
    assert not of_habits(question)[1] & {"smoke", "drink", "drugs"}


def test_a_habit_in_the_list_that_is_not_known_is_said_to_be_so() -> None:
    said, told = of_habits("Do you smoke, drink or take any drugs?", HABITS[:2])
    assert told == {"smoke", "drink"}
    assert voice.not_known("drugs", "standard") in said


def test_a_habit_that_is_kept_back_does_not_come_out_in_a_list() -> None:
    private = HABITS[2].model_copy(update={"told": "confidential"})
    said, told = of_habits("Do you smoke, drink or take any drugs?", (*HABITS[:2], private))
    assert told == {"smoke", "drink"}
    assert "recreational" not in said
    assert "I'd rather not say" in said


def test_what_a_complaint_feels_like_is_not_answered_with_the_complaint_again() -> None:
    facts = (
        PatientFact(
            id="ache", topic="complaint", text="An ache in the chest (chest pain).", told="volunteered"
        ),
        PatientFact(id="heavy", topic="character", text="A heavy pressure in the chest (chest pain)."),
    )
    view = PatientView(
        speaker="patient",
        persona=persona("plain"),
        age_years=50,
        sex="female",
        opening="My chest aches.",
        facts=facts,
        unknown="standard",
    )
    before = ["What brings you in?"]
    assert set(replayed(view, before, "What does it feel like?").reply.revealed_facts) == {"heavy"}
    assert set(replayed(view, before, "What's the pain like?").reply.revealed_facts) == {"heavy"}
