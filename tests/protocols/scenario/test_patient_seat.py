"""The built-in patient with their people: who answers, from what they know, and when they may not."""

from __future__ import annotations

from typing import Any

import pytest

from osler.cases.scenarios.model import Scenario
from osler.core.events import Released
from osler.core.trace import Trace
from osler.protocols.scenario.events import Spoke
from osler.protocols.scenario.players.patient import BaselinePatientSeat
from osler.protocols.scenario.settings import ScenarioSettings
from osler.testing.players import Rebuilt
from tests.protocols.scenario.playing import UNTIL_HE_FITS, move, small
from tests.protocols.scenario.stage import small_as, staged

SECRET = "He drinks. Half a bottle a day. He would hate me saying it."


def answers(trace: Trace) -> list[tuple[str, str]]:
    """What the patient's seat itself said, line by line."""
    return [
        (event.who, event.text)
        for event in trace.of(Spoke)
        if event.by == "patient" and "patient" not in event.to
    ]


def asked(*words: str, scenario: Scenario | None = None) -> list[tuple[str, str]]:
    return answers(staged(scenario or small(), examinee=[move(each) for each in words]))


@pytest.mark.parametrize(
    ("words", "who"),
    [
        ("How do you feel?", "Mr Hale"),
        ("Mrs Hale, how do you feel?", "Mrs Hale"),
        ("What tablets does he take, Mrs Hale?", "Mrs Hale"),
        ("(to the wife) What tablets does he take?", "Mrs Hale"),
        ("Which tablets does he take?", "Mrs Hale"),
        ("Which tablets do you take?", "Mr Hale"),
        ("Does your wife know how you feel?", "Mr Hale"),
    ],
)
def test_the_one_who_is_addressed_answers(words: str, who: str) -> None:
    assert [speaker for speaker, _ in asked(words)] == [who]


def test_two_are_addressed_in_one_breath_and_each_answers_their_own() -> None:
    found = asked("How do you feel? Mrs Hale, which tablets does he take?")
    assert found == [
        ("Mr Hale", "I feel sweaty... muddled."),
        ("Mrs Hale", "He takes gliclazide for his sugar."),
    ]


def test_each_tells_only_what_they_know_themselves() -> None:
    ((who, words),) = asked("Which tablets do you take?")
    assert who == "Mr Hale"
    assert "gliclazide" not in words


def test_a_remark_is_not_answered_and_what_is_said_to_the_team_is_theirs() -> None:
    called = [
        move("", "call a nurse to help"),
        move("Nurse Kemp, draw up the glucose. How much is there?"),
    ]
    assert answers(staged(small(), examinee=called)) == []


def test_who_cannot_speak_is_answered_for_by_somebody_who_is_there() -> None:
    mute = [{**each.model_dump(), "speaks": each.id != "patient"} for each in small().people]
    assert [who for who, _ in asked("Mr Hale, how do you feel?", scenario=small_as(people=mute))] == [
        "Mrs Hale"
    ]


def test_in_a_state_in_which_the_patient_cannot_speak_they_do_not() -> None:
    trace = staged(small(), examinee=[UNTIL_HE_FITS, move("Mr Hale, how do you feel?")])
    assert [who for who, _ in answers(trace)] == ["Mrs Hale"]


def test_where_nobody_can_answer_nobody_does() -> None:
    alone = [{**small().people[0].model_dump(), "speaks": False}]
    bare: dict[str, Any] = {
        "people": alone,
        "knows": [],
        "actions": [{**a.model_dump(), "lines": []} for a in small().actions],
        "states": [{**s.model_dump(), "lines": []} for s in small().states],
    }
    assert asked("How do you feel?", scenario=small_as(**bare)) == []


def test_what_is_told_in_private_waits_until_it_is_asked_so() -> None:
    before = asked("Mrs Hale, does he drink alcohol?")
    assert SECRET not in [words for _, words in before]
    after = asked("Mrs Hale, may I speak with you alone for a moment?", "Mrs Hale, does he drink alcohol?")
    assert after[-1] == ("Mrs Hale", SECRET)


def test_or_until_the_others_are_out_of_the_room() -> None:
    gone = {"leaves": {"did": ["attach_monitor"]}}
    people = [{**p.model_dump(), **(gone if p.id == "patient" else {})} for p in small().people]
    trace = staged(
        small_as(people=people),
        examinee=[move("", "attach the monitor"), move("Mrs Hale, does he drink alcohol?")],
    )
    assert answers(trace)[-1] == ("Mrs Hale", SECRET)
    assert "drinking" in [each.item for each in trace.of(Released)]


def test_a_fact_that_is_so_at_times_is_told_only_then() -> None:
    knows = [
        *(known.model_dump() for known in small().knows),
        {
            "id": "headache",
            "topic": "associated",
            "text": "His head hurts.",
            "spoken": "My head is splitting.",
            "states": ["awake"],
        },
    ]
    scenario = small_as(knows=knows)
    early = asked("Mr Hale, do you have a headache?", scenario=scenario)
    assert "splitting" not in str(early)
    late = staged(scenario, examinee=[move("", "give glucose iv"), move("Mr Hale, do you have a headache?")])
    assert "splitting" in str(answers(late))


def test_an_answer_is_not_given_again_once_it_is_no_longer_so() -> None:
    knows = [*(k.model_dump() for k in small().knows)]
    knows[0]["states"] = ["drowsy"]
    ask = "Mr Hale, how do you feel?"
    trace = staged(
        small_as(knows=knows), examinee=[move(ask), move(ask), move("", "give glucose iv"), move(ask)]
    )
    said = [words for _, words in answers(trace)]
    assert "sweaty" in said[0]
    assert "sweaty" in said[1]
    assert "sweaty" not in said[2]
    assert trace.outcome.status == "out_of_turns"


def test_it_keeps_nothing_between_calls() -> None:
    listed = [move("How do you feel?"), move("Mrs Hale, has he any allergies?"), move("Anything else?")]
    rebuilt = staged(small(), examinee=listed, patient=Rebuilt(BaselinePatientSeat))
    assert rebuilt == staged(small(), examinee=listed)


@pytest.mark.parametrize("words", ["(" * 8000, "and " * 2000, "Mrs Hale, " * 800, "? " * 4000])
def test_words_made_to_confuse_are_words_like_any_other(words: str) -> None:
    trace = staged(small(), examinee=[move(words.strip())], settings=ScenarioSettings(max_turns=1))
    assert trace.outcome.status == "out_of_turns"
