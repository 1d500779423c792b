"""Trivial players and probes: each looks at one thing only, whatever else is there, and keeps nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from osler.core.contract import OwnReply, Player, Request
from osler.core.events import Event, Said, TurnBegan
from osler.core.order_events import Resulted, Taken
from osler.knowledge.vocabulary import TOPICS, Persona
from osler.protocols.consultation.players.probes import AvailabilityOnly, FirstTold, OpeningOnly, OptionsOnly
from osler.protocols.consultation.players.trivial import AlwaysConclude, Parrot, Reciter, RepeatEverything
from osler.protocols.consultation.seats import Ask, DoctorView, Finalize, RequestTest, TaskView
from osler.protocols.shared.patient import PatientFact, PatientReply, PatientView
from osler.text.topics import topics_of_question

DIAGNOSE = TaskView(kind="diagnosis", question="What is the diagnosis?")
OPTIONS = {"A": "Gout", "B": "Acute myocardial infarction", "C": "Asthma"}
CHOOSE = TaskView(kind="choice", question="Which is it?", options=OPTIONS)
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=200)
DOCTORS = (Parrot, RepeatEverything, OpeningOnly, AvailabilityOnly, FirstTold)


def view(**changed: Any) -> DoctorView:
    usual = {
        "door_note": "A man of 58 with an ache.",
        "patient_opening": "I've got this ache.",
        "age_years": 58,
        "sex": "male",
        "task": DIAGNOSE,
        "max_total_turns": 20,
        "max_tests_per_visit": 10,
        "max_visits": 3,
        "has_consultant": False,
    }
    return DoctorView.model_validate(usual | changed)


def turn(*, left: int = 10, tests_left: int = 10, last_chance: bool = False) -> TurnBegan:
    return TurnBegan(minute=1, turn=1, turns_left=left, tests_left=tests_left, last_chance=last_chance)


def said(text: str) -> Said:
    return Said(minute=0, by="patient", text=text)


def reply(player: Player, seen: Any, feed: Sequence[Event | OwnReply]) -> Any:
    return asyncio.run(player.reply(Request(seen, tuple(feed), "world")))


def consult(player: Player, seen: DoctorView, answers: dict[str, str], results: dict[str, str]) -> Any:
    """Let a doctor play against fixed answers and results until it concludes; return the conclusion."""
    feed: list[Event | OwnReply] = [said(seen.patient_opening)]
    for left in range(19, -1, -1):
        feed.append(turn(left=left))
        move = reply(player, seen, feed)
        feed.append(OwnReply(move))
        if isinstance(move, Ask):
            feed.append(said(answers.get(move.question, "I don't know.")))
        elif isinstance(move, RequestTest):
            order = sum(isinstance(item, OwnReply) and isinstance(item.reply, RequestTest) for item in feed)
            text = results.get(move.test_name)
            there = text is not None
            words = text or "This could not be obtained."
            feed.append(Resulted(minute=1, order=order, name=move.test_name, returned=there, text=words))
        else:
            return move
    raise AssertionError("never concluded")


def orders(player: Player, seen: DoctorView, many: int = 40) -> list[str]:
    """What a doctor orders, one after another, if nothing comes back."""
    feed: list[Event | OwnReply] = [said(seen.patient_opening), turn()]
    found: list[str] = []
    for _ in range(many):
        move = reply(player, seen, feed)
        if isinstance(move, Finalize):
            break
        feed.append(OwnReply(move))
        if isinstance(move, RequestTest):
            found.append(move.test_name)
    return found


def test_the_parrot_repeats_and_concludes_with_the_patients_own_words() -> None:
    first = reply(Parrot(), view(), [said("It aches."), turn()])
    assert first == Ask(question="It aches.")
    end = reply(Parrot(), view(), [said("It aches."), turn(), OwnReply(first), said("It aches."), turn()])
    assert isinstance(end, Finalize)
    assert end.diagnosis == "It aches."


def test_repeat_everything_asks_every_topic_once_and_orders_while_there_are_tests() -> None:
    feed: list[Event | OwnReply] = [said("It aches.")]
    moves: list[BaseModel] = []
    for number in range(200):
        feed.append(turn(tests_left=max(0, 8 - number // 2)))
        moves.append(reply(RepeatEverything(), view(), feed))
        feed.append(OwnReply(moves[-1]))
        if isinstance(moves[-1], Finalize):
            break
    asked = [move.question for move in moves if isinstance(move, Ask)]
    assert len(asked) == len(set(asked)) == len(TOPICS)
    assert all(
        topic == "other" or topic in topics_of_question(question)
        for topic, question in zip(TOPICS, asked, strict=True)
    )
    ordered = [move.test_name for move in moves if isinstance(move, RequestTest)]
    assert len(ordered) == len(set(ordered)) == 8
    assert moves[-1] == reply(AlwaysConclude(), view(), [turn()])


@given(answer=WORDS, result=WORDS)
def test_what_repeat_everything_finds_changes_nothing(answer: str, result: str) -> None:
    feed: list[Event | OwnReply] = [said(answer), turn(), OwnReply(Ask(question="?")), said(answer)]
    feed += [
        OwnReply(RequestTest(test_name="x")),
        Resulted(minute=1, order=1, name="x", returned=True, text=result),
    ]
    end = reply(RepeatEverything(), view(), [*feed, turn(last_chance=True)])
    assert end == reply(AlwaysConclude(), view(), [turn()])


@given(door=WORDS, opening=WORDS, heard=WORDS)
def test_who_looks_at_options_sees_no_case(door: str, opening: str, heard: str) -> None:
    other = view(task=CHOOSE, door_note=door, patient_opening=opening, age_years=3, sex="female")
    for cue in ("first", "longest", "most specific"):
        one = reply(OptionsOnly(cue), view(task=CHOOSE), [turn()])
        assert one == reply(OptionsOnly(cue), other, [said(heard), turn()])


@pytest.mark.parametrize(
    ("cue", "options", "chosen"),
    [
        ("first", {"B": "a much longer text", "A": "short", "C": "x"}, "A"),
        ("longest", {"A": "short", "B": "a much longer text", "C": "x"}, "B"),
        ("longest", {"B": "same", "A": "size"}, "A"),
        (
            "most specific",
            {"A": "acute gout", "B": "chronic gout", "C": "chronic tophaceous gout of feet"},
            "C",
        ),
    ],
)
def test_each_cue_picks_by_form(cue: Any, options: dict[str, str], chosen: str) -> None:
    task = TaskView(kind="choice", question="?", options=options)
    assert reply(OptionsOnly(cue), view(task=task), [turn()]).answer == chosen


def test_the_opening_alone_is_read_and_nothing_later() -> None:
    told = view(door_note="A man of 58 with crushing central chest pain and sweating.")
    alone = reply(OpeningOnly(), told, [turn()])
    later: list[Event | OwnReply] = [
        said("I have gout."),
        OwnReply(Ask(question="?")),
        said("It is gout."),
        turn(),
    ]
    assert reply(OpeningOnly(), told, later) == alone
    named = reply(OpeningOnly(), view(door_note="Known to have gout."), [turn()])
    assert named.diagnosis == "Gout"


@given(text=WORDS)
def test_availability_alone_never_reads_a_result(text: str) -> None:
    names = orders(AvailabilityOnly(), view())
    some = dict.fromkeys(names[::3], "x")
    assert consult(AvailabilityOnly(), view(), {}, some) == consult(
        AvailabilityOnly(), view(), {}, dict.fromkeys(some, text)
    )


def test_availability_alone_orders_one_list_and_tells_cases_apart_by_what_exists() -> None:
    names = orders(AvailabilityOnly(), view())
    assert names == orders(AvailabilityOnly(), view(door_note="A rash.", patient_opening="I itch."))
    assert len(names) == len(set(names)) > 9
    found = {consult(AvailabilityOnly(), view(), {}, {name: "x"}).diagnosis for name in names}
    assert len(found) > 3


def test_a_pending_result_shows_that_a_test_exists() -> None:
    name = orders(AvailabilityOnly(), view())[0]
    own = OwnReply(RequestTest(test_name=name))
    ready = Resulted(minute=1, order=1, name=name, returned=True, text="x")
    waiting = Taken(minute=1, order=1, name=name, ready_minute=90)
    end = turn(last_chance=True)
    assert reply(AvailabilityOnly(), view(), [own, ready, end]) == reply(
        AvailabilityOnly(), view(), [own, waiting, end]
    )


def test_what_is_told_first_is_all_that_counts() -> None:
    asked = OwnReply(Ask(question="Please tell me more."))
    assert isinstance(reply(FirstTold(), view(), [said("It aches."), turn()]), Ask)
    one = reply(FirstTold(), view(), [said("It aches."), asked, said("I have gout."), turn()])
    other = reply(FirstTold(), view(door_note="Asthma."), [said("x"), asked, said("I have gout."), turn()])
    assert one == other
    assert one.diagnosis == "Gout"


@pytest.mark.parametrize("player", DOCTORS)
def test_at_the_last_chance_everyone_concludes_with_an_option_that_is_there(player: type[Player]) -> None:
    feeds: list[list[Event | OwnReply]] = [
        [],
        [said("")],
        [said("It aches."), OwnReply(Ask(question="?")), said("No.")],
    ]
    for feed in feeds:
        end = reply(player(), view(task=CHOOSE), [*feed, turn(last_chance=True)])
        assert isinstance(end, Finalize)
        assert end.answer in OPTIONS
        assert reply(player(), view(), [*feed, turn(last_chance=True)]).answer is None


def test_the_reciter_tells_its_facts_in_their_order_and_none_that_is_kept_back() -> None:
    facts = tuple(
        PatientFact(id=f"f{n}", topic="other", text=f"Fact {n}.", spoken=None, told=told, absent=False)
        for n, told in enumerate(("asked", "confidential", "volunteered"))
    )
    seen = PatientView(
        speaker="patient",
        persona=Persona(name="plain", manner=""),
        age_years=40,
        sex="male",
        opening="Hello.",
        facts=facts,
        unknown="standard",
    )
    feed: list[Event | OwnReply] = []
    told = []
    for _ in range(3):
        feed.append(Said(minute=0, by="doctor", text="Go on."))
        answer: PatientReply = reply(Reciter(), seen, feed)
        feed.append(OwnReply(answer))
        told.append((answer.answer, answer.revealed_facts))
    assert told[:2] == [("Fact 0.", ("f0",)), ("Fact 2.", ("f2",))]
    assert told[2][1] == ()
