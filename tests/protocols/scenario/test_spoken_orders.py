"""Orders given aloud: what acts, what is read back, and what only speaks of an act."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.core.order_events import Resulted
from osler.core.trace import Trace
from osler.protocols.scenario.events import Acted, Assessed, Happened, Spoke, StateEntered
from osler.protocols.scenario.judge.keyed import judge_scenario
from osler.protocols.scenario.listening import listener_of
from osler.protocols.scenario.one_line import one_line
from tests.protocols.scenario.playing import move, played

ANAPHYLAXIS = (
    "Hello Ms Rowe, I'm Dr Ali, the F2. Nurse, stop that antibiotic now please. Call 2222, "
    "anaphylaxis, adult. "
    "Give 0.5 milligrams of adrenaline IM into the thigh, 15 litres of oxygen through a non-rebreathe mask, "
    "and lie her flat with her legs up. Tell me when it's in."
)
PARAPHRASES = Path(__file__).parent / "paraphrases"


@cache
def library() -> dict[str, Scenario]:
    return {scenario.case_id: scenario for scenario in open_scenarios("library")}


def heard(case: str, state: str, say: str) -> tuple[str, ...]:
    """The actions that a sentence orders."""
    return tuple(order.action for order in listener_of(library()[case]).listen(say, state).orders)


def done(trace: Trace) -> list[str]:
    return [each.action for each in trace.of(Assessed) if each.status == "executed"]


def said_by(trace: Trace, who: str) -> list[str]:
    return [each.text for each in trace.of(Spoke) if each.who == who]


def rowe(*moves: str | Sequence[str]) -> Trace:
    turns = [move(one) if isinstance(one, str) else move(*one) for one in moves]
    return played(turns, library()["st01"])


# A whole treatment aloud


def test_a_spoken_treatment_of_anaphylaxis_saves_the_patient_and_earns_its_items() -> None:
    trace = rowe(
        ANAPHYLAXIS,
        "Put her on the monitor, please, and let me go through an ABCDE.",
        "She's hoarse. Another half a milligram of adrenaline IM, please.",
        "Run in 500 mls of Hartmann's, stat.",
        "Can you send off a tryptase and write the allergy on her chart? I'll refer her to the "
        "allergy clinic.",
        ("We'll keep her in overnight.",),
    )
    assert [each.state for each in trace.of(StateEntered)] == ["rash", "airway", "recovery"]
    scenario = library()["st01"]
    judged = judge_scenario(scenario, trace)
    met = {line.text for line, one in zip(scenario.rubric, judged.verdicts, strict=True) if one.holds}
    critical = {line.text for line in scenario.rubric if line.traits.critical and not line.traits.negative}
    assert critical <= met
    assert not {line.text for line in scenario.rubric if line.traits.negative} & met
    assert {"Gives high-flow oxygen by a mask with reservoir", "Says aloud that this is anaphylaxis"} <= met


def test_in_one_turn_all_of_it_is_done_at_once_and_in_the_examinees_own_words() -> None:
    trace = rowe(ANAPHYLAXIS)
    assert done(trace) == ["stop_infusion", "call_team", "give_adrenaline", "oxygen", "position"]
    acted = trace.of(Acted)[0]
    assert acted.spoken == tuple(done(trace))
    assert all(words in ANAPHYLAXIS for words in acted.actions)
    first = next(each for each in trace.of(Resulted) if "outer thigh" in each.text)
    assert first.name == "Give 0.5 milligrams of adrenaline IM into the thigh"


def test_patient_and_nurse_addressed_in_one_turn_each_get_their_part() -> None:
    trace = rowe("Ms Rowe, do you have any allergies? Nurse, fifteen litres of oxygen, please.")
    assert done(trace) == ["oxygen"]
    assert said_by(trace, "Ms Rowe")[1] == "No allergies, not that anybody's told me."


def test_an_order_to_the_team_is_not_answered_by_the_patient() -> None:
    trace = rowe("Could somebody stop that drip? How are you feeling now?")
    assert done(trace) == ["stop_infusion"]
    assert said_by(trace, "Ms Rowe")[1].startswith("I'm itching all over")


def test_what_is_said_and_typed_in_one_turn_is_done_once() -> None:
    trace = rowe(("Nurse, stop the antibiotic, please.", "stop the antibiotic infusion"))
    assert done(trace) == ["stop_infusion"]
    spoken_of = rowe(
        ("I am giving you adrenaline into your thigh.", "give adrenaline 0.5 mg intramuscularly")
    )
    assert done(spoken_of) == ["give_adrenaline"]
    assert not any("doctor?" in words for words in said_by(spoken_of, "Nurse Okoro"))


# Half understood


@pytest.mark.parametrize(
    "yes",
    [
        "Yes.",
        "Yep, go ahead",
        "That's right, nurse.",
    ],
)
def test_an_order_half_understood_is_read_back_and_done_on_a_yes(yes: str) -> None:
    trace = rowe("Nurse, adrenaline please!", yes)
    question = said_by(trace, "Nurse Okoro")[1]
    assert question.endswith("doctor?")
    assert "0.5 mg" in question
    assert done(trace) == ["give_adrenaline"]
    assert trace.of(Assessed)[0].minute > 1


def test_the_missing_words_complete_it() -> None:
    assert done(rowe("Give her some adrenaline.", "Half a milligram, into the thigh.")) == ["give_adrenaline"]
    assert done(rowe("Adrenaline! Half a milligram, IM.")) == ["give_adrenaline"]


@pytest.mark.parametrize("no", ["No.", "No, wait.", "How are you feeling, Ms Rowe?", "Not yet, nurse."])
def test_without_a_yes_nothing_is_done_and_the_question_lapses(no: str) -> None:
    assert done(rowe("Nurse, adrenaline please!", no, "Yes please.")) == []


@pytest.mark.parametrize(
    "half",
    [
        "Give 5 mg of adrenaline IM into the thigh.",  # ten times too much
        "Give 50 micrograms of adrenaline IM.",  # ten times too little
        "Give 500 milligrams of adrenaline IM.",
        "Give adrenaline 0.5 mg under the skin.",
        "Give her adrenaline IM.",
        "Half a milligram of adrenaline, please.",
    ],
)
def test_a_dose_or_route_that_is_missing_or_wrong_is_read_back(half: str) -> None:
    found = one_line(library()["st01"], "rash", say=half)
    assert found.acts == ()
    assert found.read_back is not None


def test_where_nobody_of_the_team_is_there_it_is_read_back_all_the_same() -> None:
    people = [one for one in library()["st01"].people if one.id != "nurse"]
    states = [
        state.model_copy(update={"lines": tuple(line for line in state.lines if line.who != "nurse")})
        for state in library()["st01"].states
    ]
    alone = library()["st01"].model_copy(update={"people": tuple(people), "states": tuple(states)})
    trace = played([move("Adrenaline, please!"), move("Yes, please.")], alone)
    assert any("Is this meant" in each.text for each in trace.of(Happened))
    assert done(trace) == ["give_adrenaline"]


def test_an_order_to_the_nurse_that_nobody_can_follow_is_said_to_be_so() -> None:
    trace = rowe("Nurse, put a wet towel round the lamp, please.")
    assert done(trace) == []
    assert "another way" in said_by(trace, "Nurse Okoro")[1]


# Natural orders, and what is none

ORDERS = [
    ("st01", "rash", "Pop her on 15 litres through a non-rebreathe.", "oxygen"),
    ("st01", "rash", "I'm putting out a 2222 call.", "call_team"),
    ("st01", "rash", "I'll listen to your chest, Ms Rowe.", "listen_chest"),
    ("st01", "rash", "Half a mil of 1 in 1000 adrenaline into the thigh, please.", "give_adrenaline"),
    ("st02", "shock", "Let's start some norepinephrine, please.", "noradrenaline"),
    ("st03", "fit", "Lorazepam nought point one per kilo, that's 1.4 mg, IV.", "benzo_first"),
    ("st04", "leaving", "Please, would you stay for ten more minutes?", "ask_to_stay"),
    ("st06", "with_mother", "Mrs Brook, would you mind stepping outside for a moment?", "ask_mother_out"),
    ("st01", "rash", "Abeg nurse, off that drip sharp sharp.", "stop_infusion"),
    (
        "st01",
        "rash",
        "Sister, inj adrenaline 0,5 mg IM in the thigh, kindly.",
        "give_adrenaline",
    ),
    ("st05", "bleeding", "I look now the placenta if something is torn.", "inspect_tract"),
    ("st01", "rash", "The drip! Take it down, nurse.", "stop_infusion"),
]
NONE = [
    ("st01", "rash", "Has she had any adrenaline yet?"),
    ("st01", "rash", "Don't give any adrenaline 0.5 mg IM yet."),
    ("st01", "rash", "The guideline says adrenaline 0.5 mg IM into the thigh."),
    ("st01", "rash", 'My consultant would say "give adrenaline 0.5 mg IM now".'),
    ("st01", "rash", "If she gets worse, give adrenaline 0.5 mg IM."),
    ("st01", "rash", "Should we call the crash team?"),
    ("st01", "rash", "She was given adrenaline 0.5 mg IM by the ambulance crew."),
    ("st01", "rash", "I'll listen to your chest later."),
    ("st01", "rash", "Nobody should stand her up."),
    (
        "st01",
        "airway",
        "Dr Lind, she's had one dose of adrenaline 0.5 mg IM, and oxygen 15 litres; the drip is down.",
    ),
    ("st03", "fit", "Don't put anything between his teeth."),
    ("st01", "airway", "We usually give oxygen at 15 litres by a reservoir mask."),
    ("st02", "shock", "BP 80 over 40, sugar 6."),
    ("st03", "postictal", "Maybe a CT tomorrow."),
    ("st04", "leaving", "I for like make you stay, but I no go hold you."),
]


@pytest.mark.parametrize(("case", "state", "say", "action"), ORDERS)
def test_a_natural_order_is_carried_out(case: str, state: str, say: str, action: str) -> None:
    assert heard(case, state, say) == (action,)


@pytest.mark.parametrize(("case", "state", "say"), NONE)
def test_what_mentions_asks_rejects_quotes_or_leaves_to_later_does_nothing(
    case: str, state: str, say: str
) -> None:
    found = one_line(library()[case], state, say=say)
    assert (found.acts, found.read_back) == ((), None)


FRAMES = [
    "Has anyone already tried to {}?",
    "Don't {}.",
    "If things get worse, {}.",
    'The protocol says "{}".',
    "Should we {}?",
    "We might {} at some point.",
    "They told me to {}.",
    "I wonder whether somebody ought to {}.",
    "In the last place they used to {}.",
]


@cache
def acts() -> list[tuple[str, str]]:
    """Acts in words, with their scenarios."""
    found = []
    for case in library():
        listed = yaml.safe_load((PARAPHRASES / f"{case}.yaml").read_text("utf-8"))["acts"]
        found += [(case, text) for texts in listed.values() for text in texts if "?" not in text]
    return found


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_an_order_framed_as_none_orders_nothing(data: st.DataObject) -> None:
    case, act = data.draw(st.sampled_from(acts()))
    frame = data.draw(st.sampled_from(FRAMES))
    state = data.draw(st.sampled_from(sorted(library()[case].states_by_id)))
    act = act[:1].lower() + act[1:].rstrip(".")
    assert heard(case, state, frame.format(act)) == ()


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=300), st.sampled_from(sorted({"st01", "st04", "st08"})))
def test_any_speech_is_read_without_error(text: str, case: str) -> None:
    scenario = library()[case]
    listener_of(scenario).listen(text, scenario.states[0].id)


# What ends a state


def test_in_st08_nothing_said_brings_no_tears_and_the_report_alone_is_no_hello() -> None:
    weir = library()["st08"]
    first = move("Hello, I am Dr Lane.", "read the report", "switch the telephone to silent", eos=True)
    silent = played([first, *[move(eos=True)] * 3], weir, max_turns=4)
    assert [each.state for each in silent.of(StateEntered)] == ["opening", "news"]
    read = played([move("", "read the report", eos=True), move("", "close the door")], weir, max_turns=2)
    assert [each.state for each in read.of(StateEntered)] == ["opening"]


# What only sounds like another act


@pytest.mark.parametrize(
    "again",
    [
        "another adrenaline 500 micrograms IM please",
        "Can she have another adrenaline 500 micrograms IM, please?",
        "Could she please have a second dose of adrenaline, half a milligram into the thigh?",
    ],
)
def test_a_repeated_dose_is_carried_out_however_it_is_asked_for(again: str) -> None:
    assert done(rowe(ANAPHYLAXIS, "Put her on the monitor, please.", again))[-1] == "repeat_adrenaline"
