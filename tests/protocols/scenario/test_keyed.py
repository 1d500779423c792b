"""The keyed judge: each item is decided by the evidence its author declared, and by nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.scenarios.model import Evidence, RubricLine, Scenario
from osler.core.events import Event, TurnBegan
from osler.core.trace import Outcome, Trace
from osler.errors import Status
from osler.judging.lines import Quote, as_examined, lines_of
from osler.protocols.scenario.events import Assessed, Spoke, StateEntered
from osler.protocols.scenario.judge.keyed import OTHER_SCENARIO, items_shown, judge_scenario, rubric_of
from osler.protocols.scenario.players.trivial import NullExaminee
from osler.protocols.scenario.protocol import PROTOCOL as SCENARIO
from tests.protocols.scenario.playing import held, judged, move, played, small

GLUCOSE = "give 100 mL of 20 % glucose intravenously"
MEASURE = "check the capillary glucose"


def test_what_was_done_and_said_is_quoted_with_its_turn() -> None:
    found = judged(
        [
            move("My name is Dr Vale. Which tablets does he take?", MEASURE),
            move("", GLUCOSE),
            move("Good. Your sugar fell too low.", eos=True),
        ]
    )
    assert found.grader == "rubric:keyed"
    assert held(found) == {
        "Measures the": True,
        "Gives intravenous": True,
        "Gives insulin": False,
        "Introduces himself": True,
        "Explains to": True,
        "Asks which": True,
    }
    quotes = [verdict.quotes for verdict in found.verdicts]
    assert quotes[0] == (Quote(1, MEASURE),)
    assert quotes[3] == (Quote(1, "My name is Dr Vale."),)
    assert quotes[4] == (Quote(3, "Your sugar fell too low."),)
    assert found.scores.net.value == 1.0
    assert found.scores.critical.value == 1.0
    assert found.scores.harm.value == 0.0


def test_words_count_only_in_the_state_that_they_are_due_in() -> None:
    early = judged([move("His sugar is low."), move("", GLUCOSE), move("", eos=True)])
    assert held(early)["Explains to"] is False


def test_words_of_others_and_acts_that_were_not_done_show_nothing() -> None:
    said_by_wife = judged([move("Mrs Hale, could you tell me about him?"), move("", "give him a biscuit")])
    assert not any(held(said_by_wife).values())


def test_harm_is_counted_against_the_examinee() -> None:
    found = judged([move("", "give 10 units of insulin iv")])
    assert held(found)["Gives insulin"] is True
    assert found.scores.harm.value == 1.0
    assert found.scores.critical.value == 0.0
    assert found.scores.net.value is not None
    assert found.scores.net.value < 0


def test_nobody_earns_anything_by_doing_nothing() -> None:
    found = judged(NullExaminee())
    assert found.scores.net.value == 0.0
    assert not any(held(found).values())


@pytest.mark.parametrize("status", [Status.SIMULATOR_FAULT, Status.DIVERGED, Status.CANCELLED])
def test_what_the_simulation_spoilt_is_unscored(status: Status) -> None:
    trace = Trace((), Outcome(status, "", 0, 0, {}, "[]"))
    found = judge_scenario(small(), trace)
    assert found.scores.net.value is None
    assert found.scores.net.reason == str(status)
    assert {verdict.reason for verdict in found.verdicts} == {str(status)}


def test_a_record_that_does_not_fit_is_unscored() -> None:
    strange = json.dumps(
        [{"kind": "state", "minute": 0, "state": "unknown", "progress": 0, "why": "opening"}]
    )
    unreadable = json.dumps([{"kind": "a kind of tomorrow", "minute": 0}])
    for tail, reason in ((strange, OTHER_SCENARIO), (unreadable, "judge_failed: BadInput")):
        found = judge_scenario(small(), Trace((), Outcome(Status.COMPLETED, "", 1, 0, {"turns": 1}, tail)))
        assert {verdict.reason for verdict in found.verdicts} == {reason}


def test_an_imported_rubric_is_judged_by_words_and_none_at_all_has_nothing_to_score() -> None:
    imported = small().model_copy(update={"rubric": (), "frozen_rubric": rubric_of(small())})
    trace = played([move("I measure the blood glucose within five minutes of arriving.")])
    found = judge_scenario(imported, trace)
    assert found.grader == "rubric:lexical"
    assert found.verdicts[0].holds is True
    bare = judge_scenario(small().model_copy(update={"rubric": (), "frozen_rubric": None}), trace)
    assert bare.scores.net.reason == "empty_rubric"


def test_a_transcript_has_no_ids_labels_or_assessments() -> None:
    lines = lines_of(played([move("Hello.", MEASURE, GLUCOSE)]), SCENARIO, as_examined)
    text = " ".join(line.text for line in lines)
    assert {line.source for line in lines} == {"examinee", "action", "patient", "environment"}
    assert "1.9 mmol/L" in text
    hidden = [*small().actions_by_id, *(state.label for state in small().states)]
    assert not [word for word in hidden if word in text]


# The rules of evidence, over records of any shape

ACTS = ("a", "b", "c")


def scenario_with(evidence: Evidence) -> Scenario:
    line = RubricLine(competency="PC", text="does it", shown_by=(evidence,))
    return small().model_copy(update={"rubric": (line,)})


def shows(evidence: Evidence, *events: Event) -> bool:
    return items_shown(scenario_with(evidence), events)[0] is not None


def act(action: str, minute: int, status: str = "executed") -> Event:
    return Assessed(minute=minute, raw=action, action=action, status=status)


records = st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 5)), max_size=6).map(
    lambda steps: [(name, sum(gap for _, gap in steps[: at + 1])) for at, (name, _) in enumerate(steps)]
)


@given(records, st.sampled_from(ACTS), st.integers(0, 12))
def test_within_counts_minutes_from_the_beginning(
    record: list[tuple[str, int]], wanted: str, within: int
) -> None:
    events = [act(name, minute) for name, minute in record]
    minutes = [minute for name, minute in record if name == wanted]
    assert shows(Evidence(did=(wanted,), within=within), *events) == (min(minutes, default=99) <= within)


@given(records, st.sampled_from(ACTS), st.sampled_from(ACTS))
def test_before_and_not_did(record: list[tuple[str, int]], wanted: str, other: str) -> None:
    events = [act(name, minute) for name, minute in record]
    names = [name for name, _ in record]
    earlier = wanted in names and (other not in names or names.index(wanted) <= names.index(other))
    assert shows(Evidence(did=(wanted,), before=other), *events) == earlier
    without = wanted in names and other not in names
    assert shows(Evidence(did=(wanted,), not_did=(other,)), *events) == without


@given(records, st.integers(0, 12), st.integers(0, 12))
def test_since_counts_from_entering_a_state(record: list[tuple[str, int]], entered: int, within: int) -> None:
    state = StateEntered(minute=entered, state="awake", progress=1, why="action")
    events = sorted([*(act(name, minute) for name, minute in record), state], key=lambda event: event.minute)
    after = events[events.index(state) :]  # what was done before it, even in the same minute, does not count
    in_time = any(each.minute - entered <= within for each in after if getattr(each, "action", "") == "a")
    evidence = Evidence(did=("a",), since="awake", within=within)
    assert shows(evidence, *events) == in_time
    assert not shows(evidence, *(event for event in events if event is not state))


@given(st.lists(st.sampled_from(["red apple", "green pear", "red pear", "green apple"]), max_size=4))
def test_parts_are_met_in_any_turn_or_together_in_one(said: list[str]) -> None:
    events: list[Event] = []
    for number, text in enumerate(said, start=1):
        events.append(TurnBegan(minute=number, turn=number, turns_left=0))
        events.append(Spoke(minute=number, by="examinee", who="examinee", text=text))
    assert shows(Evidence(said=("red", "pear"), together=True), *events) == ("red pear" in said)
    apart = any("red" in text for text in said) and any("pear" in text for text in said)
    assert shows(Evidence(said=("red", "pear")), *events) == apart


@pytest.mark.parametrize("status", ["pending", "unsupported"])
def test_only_what_was_executed_counts(status: str) -> None:
    assert not shows(Evidence(did=("a",)), act("a", 0, status))
