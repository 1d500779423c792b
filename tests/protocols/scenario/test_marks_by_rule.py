"""Marks by rule: three states with quotes, a range, parts of a criterion, the report's sentences."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.scenarios.model import RubricLine, Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.core.debriefing import YOU
from osler.judging.rubric.judgement import rubric_judgement_in, rubric_judgement_of
from osler.protocols.scenario.debriefing import Examined, debriefed
from osler.protocols.scenario.judge.keyed import rubric_of
from osler.protocols.scenario.one_line import one_line
from osler.protocols.scenario.players.trivial import NullExaminee
from osler.reports.debriefing import in_words, sections_in_words
from tests.protocols.scenario.playing import judged, move, played, small

LIBRARY = {scenario.case_id: scenario for scenario in open_scenarios("library")}


def with_line(**changes: object) -> Scenario:
    line = RubricLine.model_validate(
        {"competency": "ICS", "text": "Says sorry and says why", "shown_by": [{"said": ["sorry", "wait"]}]}
        | changes
    )
    return small().model_copy(update={"rubric": (line,)})


@pytest.mark.parametrize(
    ("case", "state", "item", "said"),
    [
        ("st01", "rash", 7, "Hi I'm Priya, one of the F1s"),
        ("st01", "rash", 6, "Call 2222, anaphylaxis, adult"),
        ("st04", "rapport", 7, "Do you have any tablets at home?"),
        ("st04", "rapport", 7, "Is there anything in your bag you could harm yourself with?"),
        ("st04", "rapport", 7, "Where are you keeping the pills?"),
        ("st08", "opening", 4, "Hello Mr Weir, I'm Sam Patel, one of the doctors here"),
        ("st08", "silence", 12, "It's completely understandable to be upset"),
        ("st08", "silence", 13, "What's your biggest fear right now?"),
        ("st08", "plan", 15, "I wouldn't be able to give you an exact time. We need more tests first."),
        ("st08", "plan", 21, "If you get tummy pain, throwing up, or not opening bowels, go to A&E."),
        ("st08", "plan", 22, "Would you like any help explaining this to your family?"),
        ("st08", "plan", 23, "can you run through what we've talked about?"),
    ],
)
def test_the_sentences_of_the_field_report_are_met(case: str, state: str, item: int, said: str) -> None:
    assert item in one_line(LIBRARY[case], state, say=said).met


@pytest.mark.parametrize(
    ("case", "state", "said"),
    [
        ("st01", "rash", "Is this anaphylaxis?"),
        ("st04", "rapport", "I won't ask you about suicide."),
        ("st07", "disclosure", "Do you have any children?"),
        ("st08", "news", "It might be cancer."),
        ("st08", "plan", "I'll go through the plan with you next week."),
        ("st09", "disclose", "I am not going to apologise."),
        ("st10", "handover", "Mr Dale is the one who worries me most."),
    ],
)
def test_questions_refusals_and_single_parts_meet_nothing(case: str, state: str, said: str) -> None:
    assert one_line(LIBRARY[case], state, say=said).met == ()


def test_parts_may_come_in_different_turns_and_each_is_shown() -> None:
    scenario = with_line()
    found = judged([move("I am sorry."), move("You had to wait so long.")], scenario).verdicts[0]
    assert found.holds is True
    assert [quote.turn for quote in found.quotes] == [1, 2]
    half = judged([move("I am sorry."), move("Hm, well.")], scenario).verdicts[0]
    assert (half.holds, half.open) == (False, "not_seen")
    assert half.why == "1 of its 2 parts recognized"
    assert [quote.text for quote in half.quotes] == ["I am sorry."]


def test_what_is_written_as_an_act_counts_like_speech() -> None:
    assert judged([move("", "say sorry for the wait")], with_line()).verdicts[0].holds is True


def test_not_recognized_is_not_missed_and_nothing_said_is_definite() -> None:
    talked = judged([move("I regret the delay.")], with_line()).verdicts[0]
    assert (talked.holds, talked.open) == (False, "not_seen")
    silent = judged(NullExaminee(), with_line())
    assert (silent.verdicts[0].holds, silent.verdicts[0].open) == (False, "")
    assert silent.highest.net.value == silent.scores.net.value == 0.0


def test_empathy_is_never_found_lacking() -> None:
    scenario = with_line(by_ear=True)
    found = judged([move("That must be so hard for you."), move("Hm, well.")], scenario).verdicts[0]
    assert found.open == "not_by_rule"
    assert [quote.text for quote in found.quotes] == ["That must be so hard for you."]
    moves = [move("That must be so hard.")]
    assert sections_in_words(debriefed(Examined(scenario, played(moves), judged(moves))))["felt"]


def test_the_result_is_a_range_and_harm_is_definite() -> None:
    moves = [move("Hello there, sir.", "give 10 units of insulin iv")]
    found = judged(moves)
    low, high = found.scores, found.highest
    assert low.net.value is not None
    assert high.net.value is not None
    assert low.net.value < high.net.value
    assert low.harm.value == high.harm.value == 1.0
    told = debriefed(Examined(small(), played(moves), found))
    assert "reads words, not meaning" in in_words(told.examiner, YOU)
    lines = [line for entries in sections_in_words(told).values() for line in entries]
    assert any("\u00a0% to " in line for line in lines)
    assert not any("nothing was said or done" in line for line in lines), "the learner acted"


def test_done_too_late_is_definite_and_quoted() -> None:
    late = judged([*[move("Mm.")] * 5, move("", "check the capillary glucose")]).verdicts[0]
    assert (late.holds, late.open) == (False, "")
    assert late.quotes[0].text == "check the capillary glucose"


def test_ordered_and_not_yet_back_is_a_line_of_its_own() -> None:
    actions = [
        action.model_copy(update={"turnaround": 200}) if action.id == "check_glucose" else action
        for action in small().actions
    ]
    scenario = small().model_copy(update={"actions": tuple(actions)})
    moves = [move("", "check the capillary glucose")]
    found = judged(moves, scenario)
    assert (found.verdicts[0].holds, found.verdicts[0].open) == (True, "ordered")
    report = sections_in_words(debriefed(Examined(scenario, played(moves, scenario), found)))
    assert any("not yet back" in line for line in report["PC_good"])


def test_a_judgement_is_stored_with_its_states_and_older_ones_are_read() -> None:
    found = judged([move("Hello there, sir.")])
    assert rubric_judgement_of(found.stored.body, rubric_of(small())) == found
    body = json.loads(found.stored.body)
    assert body["at_most"]["net"] == found.highest.net.value
    for item in body["items"]:
        item.pop("open", None)
    older = rubric_judgement_in(body, rubric_of(small()))
    assert {verdict.open for verdict in older.verdicts} == {""}
    assert older.scores == found.scores


@given(st.lists(st.sampled_from(["I am sorry.", "You had to wait.", "Hm, well.", "Sorry to make you wait."])))
def test_the_lower_end_is_never_above_the_upper_one(said: list[str]) -> None:
    found = judged([move(text) for text in said] or NullExaminee(), with_line())
    assert found.scores.net.value is not None
    assert found.highest.net.value is not None
    assert found.scores.net.value <= found.highest.net.value
