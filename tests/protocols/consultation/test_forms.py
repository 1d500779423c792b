"""A person in the doctor's seat: lines that cannot be used are said to be so, and nothing is done unasked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from osler.cases.personas import persona
from osler.core.contract import OwnReply, Request
from osler.core.events import Event, Said, TurnBegan
from osler.core.order_events import Resulted, Taken
from osler.players.person import person_at
from osler.protocols.consultation.events import WorkingDiagnosis
from osler.protocols.consultation.forms import FORMS
from osler.protocols.consultation.seats import Ask, DoctorView, Finalize, RequestTest, TaskView, Wait
from osler.protocols.shared.patient import PatientFact, PatientReply, PatientView, VisitBegan

VIEW = DoctorView(
    door_note="Chest ache.",
    patient_opening="An ache.",
    age_years=58,
    sex="female",
    task=TaskView(kind="diagnosis", question="What is the diagnosis?"),
    max_total_turns=20,
    max_tests_per_visit=10,
    max_visits=2,
    has_consultant=False,
)
TURN = TurnBegan(minute=0, turn=1, turns_left=9, tests_left=9, minutes_left=200, cost_left=None)
TAKEN = Taken(minute=1, order=1, name="Troponin", ready_minute=60)


class Desk:
    """A channel that reads prepared lines and keeps what it is shown."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = list(lines)
        self.shown: list[str] = []

    async def read(self, prompt: str) -> str:
        self.shown.append(prompt)
        if not self._lines:
            raise EOFError
        return self._lines.pop(0)

    def picture(self, name: str, png: bytes) -> None:
        self.shown.append(f"picture of {name}, {len(png)} bytes")

    def write(self, text: str) -> None:
        self.shown.append(text)


def sit(lines: Sequence[str], *feed: Event | OwnReply) -> tuple[object, str]:
    """The person's reply to these lines, and all that was shown."""
    desk = Desk(lines)
    reply = asyncio.run(person_at(desk, FORMS).reply(Request(VIEW, (TURN, *feed), "w")))
    return reply, "\n".join(desk.shown)


@pytest.mark.parametrize("wrong", ["PE 110", "PE 60; x -5", "60", "PE 1000%"])
def test_a_differential_that_is_not_understood_is_said_to_be_so_and_not_noted(wrong: str) -> None:
    reply, shown = sit([f"/ddx {wrong}", "When?"])
    assert isinstance(reply, Ask)
    assert reply.working_diagnoses == ()
    assert "Not understood" in shown
    assert "from 0 to 100" in shown


def test_a_wrong_differential_leaves_the_earlier_one_as_it_was() -> None:
    reply, _ = sit(["/ddx PE 60 %; type 2 diabetes; asthma 12,5", "/ddx PE 110", "When?"])
    assert isinstance(reply, Ask)
    assert reply.working_diagnoses == (
        WorkingDiagnosis(name="PE", confidence=0.6),
        WorkingDiagnosis(name="type 2 diabetes"),
        WorkingDiagnosis(name="asthma", confidence=0.125),
    )


@pytest.mark.parametrize(("answers", "share"), [(["150", "very", "80%"], 0.8), ([""], None)])
def test_a_confidence_that_is_no_share_is_asked_again(answers: list[str], share: float | None) -> None:
    reply, shown = sit(["/done PE", *answers, "", "", ""])
    assert isinstance(reply, Finalize)
    assert reply.confidence == share
    assert shown.count("from 0 to 100") == len(answers) - 1


def test_nobody_is_sent_home_without_being_asked() -> None:
    reply, shown = sit(["/wait", "n", "When?"])
    assert isinstance(reply, Ask)
    assert "Nothing is due" in shown
    assert isinstance(sit(["/wait", "y"])[0], Wait)


def test_who_waits_for_a_result_or_has_no_visit_left_is_not_asked() -> None:
    came = Resulted(minute=60, order=1, name="Troponin", returned=True, text="Normal.")
    for feed in ((TAKEN,), (VisitBegan(minute=9, visit=2),)):
        reply, shown = sit(["/wait"], *feed)
        assert isinstance(reply, Wait)
        assert "Nothing is due" not in shown
    assert "Nothing is due" in sit(["/wait", "y"], TAKEN, came)[1]
    again = TAKEN.model_copy(update={"name": "Repeat troponin"})
    assert "Nothing is due" not in sit(["/wait"], TAKEN, again, came)[1], "of one order, one test is back"


def test_an_order_in_plain_speech_is_placed_where_the_person_says_so() -> None:
    reply, shown = sit(["ECG please", "y"])
    assert isinstance(reply, RequestTest)
    assert reply.test_name == "ecg"
    assert "Order 'ecg'?" in shown


def test_an_order_in_plain_speech_may_be_meant_for_the_patient() -> None:
    reply, _ = sit(["Can I listen to your chest?", "n"])
    assert isinstance(reply, Ask)
    assert reply.question == "Can I listen to your chest?"


def test_a_question_of_the_history_is_asked_without_more_ado() -> None:
    reply, shown = sit(["Do you smoke?"])
    assert isinstance(reply, Ask)
    assert "Order" not in shown


def test_as_the_patient_nothing_is_told_before_its_time() -> None:
    fact = PatientFact(
        id="pill", topic="medications", text="Takes the pill from abroad.", told="confidential"
    )
    view = PatientView(
        speaker="patient",
        persona=persona("plain"),
        age_years=28,
        sex="female",
        opening="My head hurts.",
        facts=(fact,),
        unknown="standard",
        unsure_of=(),
    )
    asked = Said(minute=1, by="doctor", text="What do you take?")
    desk = Desk(["I take the pill from abroad", "just ibuprofen"])
    reply = asyncio.run(person_at(desk, FORMS).reply(Request(view, (asked,), "w")))
    # Kept as said; that it tells no fact of the case stands in the record.
    assert reply == PatientReply(answer="just ibuprofen", unanswered_reason="not_in_patient_view")
    assert "Not yet: Takes the pill from abroad." in "\n".join(desk.shown)
    promised = Said(minute=1, by="doctor", text="This is confidential. What do you take?")
    told = asyncio.run(
        person_at(Desk(["I take the pill from abroad"]), FORMS).reply(Request(view, (promised,), "w"))
    )
    assert isinstance(told, PatientReply)
    assert told.revealed_facts == ("pill",)


LAST = TURN.model_copy(update={"turns_left": 0, "last_chance": True})


def at_the_last_turn(*lines: str) -> tuple[object, str]:
    desk = Desk([*lines, "", "", "", ""])
    reply = asyncio.run(person_at(desk, FORMS).reply(Request(VIEW, (TURN, LAST), "w")))
    return reply, "\n".join(desk.shown)


def test_at_the_last_turn_a_plain_line_is_taken_for_the_diagnosis_once_confirmed() -> None:
    reply, shown = at_the_last_turn("heart attack", "y")
    assert isinstance(reply, Finalize)
    assert reply.diagnosis == "heart attack"
    assert "Is this your diagnosis: heart attack?" in shown


@pytest.mark.parametrize("line", ["/test ECG", "/consult what now?", "/wait", "/nonsense", "/done"])
def test_at_the_last_turn_nothing_but_a_conclusion_ends_the_case(line: str) -> None:
    reply, shown = at_the_last_turn(line, "Does it hurt?", "n", "/done angina")
    assert isinstance(reply, Finalize)
    assert reply.diagnosis == "angina"
    assert shown.count("This is your last turn") == 3


def test_turns_tests_and_time_left_stand_in_the_prompt() -> None:
    _, shown = sit(["When?"])
    assert "doctor (9 turns, 9 tests, 200 min)> " in shown
    assert "doctor (last turn, " in at_the_last_turn("/done angina")[1]


def test_a_question_to_be_answered_by_yes_or_no_is_asked_until_it_is() -> None:
    reply, shown = sit(["Can I listen to your chest?", "/test ECG", "n"])
    assert isinstance(reply, Ask)
    assert reply.question == "Can I listen to your chest?"
    assert "the line was not used" in shown


def test_stepping_out_shows_help_lines_and_leaves_no_trace() -> None:
    reply, shown = sit(["/pause", "", "When?"])
    assert reply == Ask(question="When?")
    assert "Nothing is timed, recorded or scored" in shown
    assert "findahelpline.com" in shown


def test_words_of_distress_are_met_out_of_role_and_not_sent() -> None:
    reply, shown = sit(["I want to kill myself", "you", "", "When?"])
    assert reply == Ask(question="When?")
    assert "is this you, or the case?" in shown
    assert "emergency number" in shown


def test_words_of_distress_that_belong_to_the_case_are_said() -> None:
    reply, shown = sit(["I can't do this any more", "case"])
    assert reply == Ask(question="I can't do this any more")
    assert "findahelpline.com" not in shown


def test_stepping_out_may_end_the_session() -> None:
    with pytest.raises(asyncio.CancelledError):
        sit(["/pause", "/quit"])
