"""What a reply may not hold: each rule, told in words that say what to mend, then a simulator fault."""

from __future__ import annotations

from typing import Any

import pytest

from osler.core.events import Noticed
from osler.protocols.scenario.rules import check_assessments, heard
from osler.protocols.scenario.seats import Assessment
from osler.protocols.scenario.settings import ScenarioSettings
from tests.protocols.scenario.playing import UNTIL_HE_FITS, move, small
from tests.protocols.scenario.stage import packet, staged

ACT = "check the capillary glucose"
SECRET = "He drinks. Half a bottle a day. He would hate me saying it."
RESULT = "It reads: capillary glucose 1.9 mmol/L (34 mg/dL)!"
DONE = {"raw": ACT, "interpreted_action": "check_glucose", "status": "executed"}


def wrong(seat: str, reply: dict[str, Any], examinee: Any = None, scenario: Any = None) -> str:
    """What the seat is told of such a reply, which twice makes it a fault of the simulation."""
    twice: dict[str, Any] = {seat: [reply] * 2}
    if scenario is not None and seat == "controller":
        twice["patient"] = [{}] * 2
    said = examinee or move("How do you feel?", ACT)
    trace = staged(scenario or small(), examinee=[said], **twice)
    assert trace.outcome.status == "simulator_fault"
    notices = [each.text for each in trace.of(Noticed) if seat in each.to]
    assert len(notices) == 2, "it is corrected once, then the episode ends"
    return notices[0]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ({"action_assessments": []}, "has none"),
        ({"action_assessments": [DONE, DONE]}, "is no act of this turn"),
        ({"action_assessments": [{**DONE, "interpreted_action": "pray"}]}, "id of a declared action"),
        ({"action_assessments": [{**DONE, "interpreted_action": ""}]}, "id of a declared action"),
        ({"action_assessments": [{**DONE, "status": "unsupported"}]}, "is unsupported"),
        ({"action_assessments": [DONE], "progress_index": 7}, "progress_index: the course stands at 0"),
        ({"action_assessments": [DONE], "state_label": "awake"}, "state_label: the state after this turn is"),
        ({"action_assessments": [DONE], "should_end": True}, "should_end"),
        ({"action_assessments": [DONE], "team": [{"who": "nurse", "words": "Yes?"}]}, "nurse is not there"),
        ({"action_assessments": [DONE], "team": [{"who": "wife", "words": "Oh!"}]}, "voiced by the patient"),
        ({"action_assessments": [DONE], "team": [{"who": "Dr Who", "words": "Hm."}]}, "nobody here"),
        ({"action_assessments": [DONE], "actors_present": {"nurse": "called"}}, "nurse' is not there"),
        ({"action_assessments": [DONE], "feedback": [RESULT]}, "keeps back"),
        ({"action_assessments": [DONE], "events": ["Seizure from untreated hypoglycaemia"]}, "keeps back"),
        ({"action_assessments": [DONE], "feedback": ["Now give_glucose is due."]}, "keeps back"),
        ({"action_assessments": [DONE], "feedback": [SECRET]}, "keeps back"),
    ],
)
def test_a_controller_is_told_what_it_may_not_say(reply: dict[str, Any], why: str) -> None:
    assert why in wrong("controller", reply)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ({"speak": [{"who": "nurse", "words": "Yes?"}]}, "nobody here has the id 'nurse'"),
        ({"speak": [{"who": "somebody", "words": "Yes?"}]}, "nobody here"),
        ({"speak": [], "actors_present": {"nurse": "I see her"}}, "'nurse' is not there"),
        ({"speak": [{"who": "wife", "words": "Hm."}], "revealed_facts": ["drinking"]}, "may not be told now"),
        ({"speak": [{"who": "wife", "words": "Hm."}], "revealed_facts": ["nothing"]}, "there is no fact"),
        ({"speak": [{"who": "patient", "words": "Hm."}], "revealed_facts": ["gliclazide"]}, "known to wife"),
        ({"speak": [{"who": "patient", "words": f"Yes. {SECRET}"}]}, "drinking may not be told"),
    ],
)
def test_a_patients_seat_is_told_what_it_may_not_say(reply: dict[str, Any], why: str) -> None:
    assert why in wrong("patient", reply)


def test_who_cannot_speak_in_a_state_does_not() -> None:
    asked = [UNTIL_HE_FITS, move("How do you feel?")]
    trace = staged(small(), examinee=asked, patient=[{"speak": [{"who": "patient", "words": "Shaky."}]}] * 2)
    assert trace.outcome.status == "simulator_fault"
    assert any("Mr Hale cannot speak" in each.text for each in trace.of(Noticed))


AT_0 = {"progress_index": 0, "state_label": "First look"}


@pytest.mark.parametrize(
    ("reply", "eos", "why"),
    [
        ({}, False, "say where the course stands"),
        ({"progress_index": 1, "state_label": "On"}, False, "without eos the state does not move"),
        ({"progress_index": 7, "state_label": "On"}, True, "after eos it is 1"),
        ({"progress_index": 0}, True, "after eos it is 1"),
        ({"progress_index": 1}, True, "name the state that begins"),
        ({**AT_0, "should_end": True}, False, "only where the examinee ends the state"),
        ({**AT_0, "team": [{"who": "Nurse", "words": "Yes."}]}, False, "not in actors_present"),
        ({**AT_0, "actors_present": {"Nurse": " "}}, False, "say what in the materials brings"),
        ({**AT_0, "actors_present": {"patient": "there"}}, False, "voiced by another seat"),
        ({**AT_0, "feedback": ["This is prose-one."]}, False, "keeps back"),
        ({**AT_0, "patient_status": "Pale, as prose-one has it."}, False, "keeps back"),
    ],
)
def test_a_packets_controller_is_held_to_the_loop(reply: dict[str, Any], eos: bool, why: str) -> None:
    assert why in wrong("controller", reply, move("", eos=eos), packet())


def test_a_packets_patient_speaks_only_for_who_is_there() -> None:
    reply = {"speak": [{"who": "his wife", "words": "Help!"}]}
    assert "not in actors_present" in wrong("patient", reply, move("Hello?"), packet())


def test_a_controller_that_mends_its_reply_goes_on() -> None:
    trace = staged(
        small(),
        settings=ScenarioSettings(max_turns=2),
        examinee=[move("", ACT), move()],
        controller=[{"action_assessments": []}, {"action_assessments": [DONE]}, {}],
    )
    assert trace.outcome.status == "out_of_turns"


def _assessed(*raw: str) -> list[Assessment]:
    return [Assessment(raw=each, status="unsupported") for each in raw]


@pytest.mark.parametrize(
    ("given", "acts"),
    [
        (["Press", "swab"], ["press", "Swab "]),
        (["press", "then swab"], ["press, then swab"]),
        (["press", "press"], ["press", "press"]),
        (["press", "press"], ["press and press again"]),
        (["press", "swab", "press"], ["press and swab", "press"]),
        ([], []),
    ],
)
def test_every_act_is_assessed_whole_or_part_by_part(given: list[str], acts: list[str]) -> None:
    check_assessments(_assessed(*given), acts)


@pytest.mark.parametrize(
    ("given", "acts"),
    [
        (["swab", "press"], ["press", "swab"]),
        (["swab", "press"], ["press and swab"]),
        (["press"], ["press", "swab"]),
        (["press", "swab"], ["press"]),
        ([" "], ["press"]),
        (["press"], []),
    ],
)
def test_no_act_is_passed_over_or_made_up(given: list[str], acts: list[str]) -> None:
    with pytest.raises(ValueError, match="action_assessments"):
        check_assessments(_assessed(*given), acts)


def test_a_text_is_heard_word_for_word_whatever_the_case_and_the_spaces() -> None:
    assert heard("The lips are blue.", "now  the LIPS are blue, you see")
    assert not heard("The lips are blue.", "the lips are blueish")
