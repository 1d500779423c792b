"""A person as the examinee: a turn is a few lines, the clock shows, and nothing is lost by getting up."""

from __future__ import annotations

import asyncio

import pytest

from osler.core.contract import OwnReply, Request
from osler.core.events import TurnBegan
from osler.core.order_events import Resulted, Taken
from osler.core.pictures import Audiogram
from osler.players.person import person_at
from osler.protocols.scenario.events import Happened, Observed, Present, Spoke
from osler.protocols.scenario.forms import FORMS, HELP
from osler.protocols.scenario.seats import ExamineeMove, ExamineeView, PersonView
from tests.protocols.consultation.test_forms import Desk
from tests.protocols.scenario.playing import move

VIEW = ExamineeView(
    instructions="You are the doctor.",
    setting="A cubicle.",
    opening="A man sweats.",
    people=(PersonView(id="patient", name="Mr Hale", role="patient", about="drowsy"),),
    max_turns=8,
)
TURN = TurnBegan(minute=4, turn=2, turns_left=6)


def answer(lines: list[str], *feed: object) -> tuple[ExamineeMove, str]:
    """The person's move, and everything that was shown."""
    desk = Desk(lines)
    request = Request(VIEW, feed, "world")  # type: ignore[arg-type]
    return asyncio.run(person_at(desk, FORMS).reply(request)), "\n".join(desk.shown)


def test_lines_become_speech_and_acts() -> None:
    made, shown = answer(["Hello.", "do: check the glucose", "/attach the monitor", "How are you?", ""], TURN)
    assert made == move("Hello. How are you?", "check the glucose", "attach the monitor")
    assert "4 min> " in shown
    for words in ("You are the doctor.", "A man sweats.", "Mr Hale, drowsy", HELP, "turn 2, 4 min"):
        assert words in shown


@pytest.mark.parametrize("word", ["eos", "EOS", "/eos"])
def test_the_end_of_a_state_sends_the_turn(word: str) -> None:
    assert answer(["Goodbye.", word])[0] == move("Goodbye.", eos=True)


def test_nothing_is_sent_by_accident() -> None:
    made, shown = answer(["", "/undo", "Wait!", "/undo", "/wait"])
    assert made == move()
    assert "Say or do something" in shown
    assert "nothing to take back" in shown
    assert "Taken back: Wait!" in shown


def test_commands_show_and_send_nothing() -> None:
    nurse = Present(minute=2, who="Nurse Kemp", role="team", here=True)
    made, shown = answer(["/help", "/people", "/left", "/history", "Hm, go on.", ""], nurse, TURN)
    assert made == move("Hm, go on.")
    assert "Nurse Kemp (team)" in shown
    assert "4 minutes have passed; 6 more turns" in shown
    assert shown.count("Nurse Kemp comes in.") == 2


def test_a_command_with_more_words_is_an_act() -> None:
    assert answer(["/help him to sit up", ""])[0] == move("", "help him to sit up")


def test_what_happened_is_told_once() -> None:
    feed = (
        Spoke(minute=0, by="patient", who="Mr Hale", text="I am cold."),
        OwnReply(move("Hello.", "look at him", eos=True)),
        Happened(minute=1, text="He shivers.", source="state"),
        Observed(minute=1, status="He is pale.", vitals={"pulse": "90/min"}),
        Taken(minute=1, order=1, name="bloods", ready_minute=11),
        Resulted(minute=1, order=2, name="look at him", returned=True, text="Done."),
        TURN,
    )
    _, shown = answer(["/wait"], *feed)
    for words in ("* He shivers.", "* He is pale. [pulse 90/min]", "[bloods: result in 10 min]"):
        assert words in shown
    assert "[look at him] Done." in shown
    assert "I am cold." not in shown
    _, again = answer(["/history", "/wait"], *feed)
    for words in ("Mr Hale: I am cold.", "You: Hello.", "You do: look at him", "due for now is done"):
        assert words in again


def test_a_picture_is_shown() -> None:
    picture = Audiogram(right={500: 20, 1000: 25}, left={500: 60, 1000: 55})
    result = Resulted(minute=1, order=1, name="hearing", returned=True, text="See there.", picture=picture)
    assert "picture of hearing" in answer(["/wait"], result)[1]


@pytest.mark.parametrize("lines", [["/quit"], [], ["Hello."]])
def test_getting_up_ends_the_sitting(lines: list[str]) -> None:
    with pytest.raises(asyncio.CancelledError):
        answer(lines)


def test_a_turn_holds_only_so_much() -> None:
    made, shown = answer([*["/look"] * 41, "Words.", ""])
    assert len(made.actions) == 40
    assert "more than one turn can hold" in shown
