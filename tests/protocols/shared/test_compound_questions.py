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
from osler.protocols.shared.players.compound import parts_of
from osler.protocols.shared.players.patient import answer
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
    assert [part.text for part in parts_of("any numbness, flibbering, or weight loss")] == [
        "any numbness",
        "weight loss",
    ]
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
