"""What a doctor can do in a consultation, and what it costs."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from osler.core.events import Noticed, Released, Said, TurnBegan
from osler.core.order_events import Resulted, Taken
from osler.players.scripted import Scripted
from osler.protocols.consultation.events import Advised
from osler.protocols.consultation.seats import Ask, CallMdt, Finalize, RequestTest, Wait
from osler.protocols.consultation.settings import VISIT_COST, Limits, Settings
from osler.protocols.consultation.story import conclusion_of
from osler.protocols.shared.patient import VisitBegan
from osler.testing.cases import small_case
from tests.protocols.consultation.conftest import Play

DONE = Finalize(diagnosis="Pneumonia", confidence=0.9, plan=("amoxicillin",), followup="in two days")


def doctor(*moves: Any) -> Scripted:
    return Scripted(moves)


def limits(**given: Any) -> Settings:
    return Settings(limits=Limits(**given))


def test_a_question_is_answered_and_the_fact_is_entered_once(consult: Play) -> None:
    ask = Ask(question="When did the cough start?")
    trace = consult(small_case(), doctor=doctor(ask, ask, DONE))
    answers = [said.text for said in trace.of(Said) if said.by == "patient"][1:]
    assert "five days ago" in answers[0]
    released = [event.item for event in trace.of(Released)]
    assert released == ["f1"]
    assert trace.outcome.status == "completed"
    assert trace.outcome.counts["turns"] == 3


def test_a_test_has_a_turnaround_and_an_examination_does_not(consult: Play) -> None:
    moves = (RequestTest(test_name="CXR"), RequestTest(test_name="respiratory exam"), Wait(), DONE)
    trace = consult(small_case(), doctor=doctor(*moves))
    film, chest = (
        next(r for r in trace.of(Resulted) if word in r.text) for word in ("Consolidation", "Crackles")
    )
    taken = trace.of(Taken)[0]
    assert taken.name == "Chest X-ray"
    assert taken.ready_minute > taken.minute
    assert film.minute >= taken.ready_minute
    assert chest.minute < film.minute


def test_the_same_order_twice_gives_the_same_result_and_is_paid_once(consult: Play) -> None:
    once = consult(small_case(), doctor=doctor(RequestTest(test_name="CBC"), Wait(), DONE))
    cbc = RequestTest(test_name="full blood count")
    twice = consult(small_case(), doctor=doctor(RequestTest(test_name="CBC"), Wait(), cbc, DONE))
    texts = {r.text for r in twice.of(Resulted)}
    assert len(texts) == 1
    assert once.outcome.counts["cost"] == twice.outcome.counts["cost"]
    assert once.outcome.counts["tests"] == twice.outcome.counts["tests"] == 1


@pytest.mark.parametrize(
    ("name", "policy", "returned", "words"),
    [
        ("quantum aura scan", "standard", False, "no test or examination of that name"),
        ("quantum aura scan", "normal", False, "no test or examination of that name"),
        ("abdominal examination", "standard", True, ""),
        ("abdominal examination", "withhold", False, "could not be obtained"),
        ("serum lipase", "standard", False, "could not be obtained"),
        ("serum lipase", "normal", True, ""),
    ],
)
def test_what_the_case_does_not_hold_follows_the_declared_policy(
    consult: Play, name: str, policy: str, returned: bool, words: str
) -> None:
    settings = Settings.model_validate({"unknown": policy})
    trace = consult(
        small_case(),
        doctor=doctor(RequestTest(test_name=name), Ask(question="Hello"), DONE),
        settings=settings,
    )
    results = trace.of(Resulted)
    if returned and not results:
        assert trace.of(Taken), "the order was neither taken nor answered"
        return
    assert results[0].returned is returned
    assert words in results[0].text
    if returned:
        assert trace.of(Released)[0].provenance == "policy:normal"


def test_several_orders_in_one_are_each_answered(consult: Play) -> None:
    moves = (RequestTest(test_name="respiratory exam, lipase and CXR"), Wait(), DONE)
    trace = consult(small_case(), doctor=doctor(*moves))
    told = {result.name: result.returned for result in trace.of(Resulted)}
    assert told == {"Respiratory examination": True, "Lipase": False, "Chest X-ray": True}


def test_orders_and_results_say_what_kind_was_ordered_and_refusals_do_not(consult: Play) -> None:
    moves = (
        RequestTest(test_name="respiratory exam, abdominal exam, lipase, CBC and CXR"),
        Wait(),
        Wait(),
        DONE,
    )
    trace = consult(small_case(), doctor=doctor(*moves))
    assert {taken.name: taken.finding_kind for taken in trace.of(Taken)} == {
        "Complete blood count": "test",
        "Chest X-ray": "image",
    }
    assert {result.name: result.finding_kind for result in trace.of(Resulted)} == {
        "Respiratory examination": "examination",
        "Abdominal examination": "examination",
        "Lipase": "",
        "Complete blood count": "test",
        "Chest X-ray": "image",
    }


def test_a_vague_order_asks_back_without_naming_what_exists(consult: Play) -> None:
    trace = consult(small_case(), doctor=doctor(RequestTest(test_name="x-ray"), DONE))
    (answer,) = trace.of(Resulted)
    assert not answer.returned
    assert "chest" not in answer.text.lower()
    assert trace.outcome.counts["tests"] == 0


def test_turns_run_out_with_one_announced_last_chance(consult: Play) -> None:
    asks = [Ask(question="And?")] * 3
    trace = consult(small_case(), doctor=doctor(*asks, DONE), settings=limits(max_turns=3))
    assert trace.outcome.status == "out_of_turns"
    assert trace.outcome.counts["turns"] == 3
    concluded = conclusion_of(trace)
    assert concluded
    assert concluded["diagnosis"] == "Pneumonia"
    assert [turn.last_chance for turn in trace.of(TurnBegan)] == [False, False, False, True]


def test_a_doctor_who_lets_the_last_chance_pass_has_no_answer(consult: Play) -> None:
    trace = consult(small_case(), doctor=doctor(*[Ask(question="And?")] * 4), settings=limits(max_turns=3))
    assert trace.outcome.status == "out_of_turns"
    assert conclusion_of(trace) is None
    assert "did not conclude" in trace.outcome.reason


def test_tests_are_limited_a_visit_and_a_new_visit_renews_them(consult: Play) -> None:
    moves = (
        RequestTest(test_name="CXR"),
        RequestTest(test_name="CBC"),
        Wait(),
        Wait(),
        RequestTest(test_name="CBC"),
        DONE,
    )
    trace = consult(
        small_case(), doctor=doctor(*moves), settings=limits(max_tests_per_visit=1, visit_minutes=200)
    )
    refused = trace.of(Resulted)[0]
    assert not refused.returned
    assert "0 of 1 tests are left" in refused.text
    assert [visit.visit for visit in trace.of(VisitBegan)] == [1, 2]
    assert trace.outcome.counts["tests"] == 2


def test_a_visit_that_is_over_is_followed_by_the_next_until_none_is_left(consult: Play) -> None:
    asks = [Ask(question="And?")] * 10
    trace = consult(small_case(), doctor=doctor(*asks, DONE), settings=limits(visit_minutes=3, max_visits=2))
    assert trace.outcome.status == "out_of_budget"
    assert trace.outcome.reason.startswith("visits:")
    assert len(trace.of(VisitBegan)) == 2


def test_money_is_never_overspent(consult: Play) -> None:
    orders = [RequestTest(test_name=name) for name in ("CXR", "CBC", "respiratory exam")]
    trace = consult(small_case(), doctor=doctor(*orders, DONE), settings=limits(max_cost=32))
    assert trace.outcome.counts["cost"] <= 32
    assert any("points" in result.text for result in trace.of(Resulted))


def test_the_consultant_reads_what_was_revealed_and_advises(consult: Play) -> None:
    trace = consult(
        small_case(), doctor=doctor(Ask(question="Any fever?"), CallMdt(question="What next?"), DONE)
    )
    (advice,) = trace.of(Advised)
    assert advice.note


def test_calling_a_consultant_who_is_not_there_is_refused_and_tried_again(consult: Play) -> None:
    trace = consult(small_case(), doctor=doctor(CallMdt(), DONE), consultant=None)
    assert trace.outcome.status == "completed"
    assert "there is no consultant" in trace.rows[0].attempts


@pytest.mark.parametrize("bad", [{"action": "DANCE"}, {"action": "ASK"}, ValueError("broken"), "text"])
def test_a_doctor_without_a_valid_move_ends_as_invalid_play(consult: Play, bad: Any) -> None:
    trace = consult(small_case(), doctor=doctor(bad, bad, bad))
    assert trace.outcome.status == "invalid_play"
    assert len(trace.rows) == 1
    assert trace.rows[0].reply == "null"


class Broken:
    name = "broken"
    durable = False

    async def reply(self, request: object) -> BaseModel:
        raise ValueError("secret-key-123 went wrong")


def test_a_broken_patient_is_the_simulators_fault_and_nothing_of_it_is_spoken(consult: Play) -> None:
    trace = consult(small_case(), doctor=doctor(Ask(question="Well?"), DONE), patient=Broken())
    assert trace.outcome.status == "simulator_fault"
    assert not any("secret-key" in said.text for said in trace.of(Said))
    assert not any("secret-key" in notice.text for notice in trace.of(Noticed))


def test_a_differential_is_asked_for_early(consult: Play) -> None:
    trace = consult(small_case(), doctor=doctor(*[Ask(question="And?")] * 4, DONE))
    assert [turn.differential_wanted for turn in trace.of(TurnBegan)] == [False, False, True, False, False]


def test_turns_that_run_out_buy_no_further_visit(consult: Play) -> None:
    asks = [Ask(question="And?")] * 2
    trace = consult(small_case(), doctor=doctor(*asks, DONE), settings=limits(max_turns=2, visit_minutes=2))
    assert trace.outcome.status == "out_of_turns"
    assert (trace.outcome.minutes, trace.outcome.counts["cost"]) == (2, VISIT_COST)
