"""Packets of prose: the opening is shown, the patient's seat is told how it is and asked in a silence, and
nothing that the engine keeps back reaches it."""

from __future__ import annotations

from typing import Any

import pytest

from osler.cases.scenarios.model import Scenario
from osler.core.events import Noticed
from osler.players.scripted import Scripted
from osler.protocols.scenario.events import Cue, Moment, Observed, Present, Spoke
from osler.protocols.scenario.players.patient import BaselinePatientSeat
from osler.protocols.scenario.portrayal import portrayed, silent_now
from osler.protocols.scenario.settings import ScenarioSettings
from osler.testing.players import Watching
from tests.protocols.scenario.modelled import by_models
from tests.protocols.scenario.playing import move, small
from tests.protocols.scenario.stage import PACKET, packet, staged, text_of, told

OPENING: dict[str, Any] = {
    "progress_index": 0,
    "patient_status": "A grey man lies on the couch and holds his chest.",
    "events": ["A porter has just wheeled him in."],
    "actors_present": {"Nurse Odd": "stands by from the beginning"},
    "team": [{"who": "Nurse Odd", "words": "This is Mr Reed."}],
}
BROUGHT = {
    "actors_present": {"patient": "on the couch", "Mrs Reed": "came with him"},
    "speak": [{"who": "Mrs Reed", "words": "Please help him!"}],
}
GOES_ON: dict[str, Any] = {"progress_index": 0}
COLLAPSE: dict[str, Any] = {
    "progress_index": 1,
    "state_label": "Collapse in ventricular fibrillation",
    "patient_status": "He has collapsed and is unresponsive.",
}


# The opening


def test_before_its_first_move_the_examinee_is_shown_the_patient_and_who_is_there() -> None:
    examinee = Watching(Scripted([move("Hello.")] * 12))
    staged(
        packet(),
        examinee=examinee,
        opening={"controller": OPENING, "patient": BROUGHT},
        controller=[GOES_ON] * 12,
        patient=[{}] * 12,
    )
    first = examinee.seen[0].feed
    kinds = [type(item) for item in first]
    assert [item.status for item in first if isinstance(item, Observed)] == [OPENING["patient_status"]]
    there = [item.who for item in first if isinstance(item, Present)]
    assert there == ["patient", "Nurse Odd", "Mrs Reed"]
    said = [(item.who, item.text) for item in first if isinstance(item, Spoke)]
    assert said == [("Nurse Odd", "This is Mr Reed."), ("Mrs Reed", "Please help him!")]
    assert kinds.index(Observed) < len(kinds) - 1
    assert {item.minute for item in first if not isinstance(item, tuple)} == {0}


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ({"progress_index": 0}, "say how the patient looks as the encounter begins"),
        ({**OPENING, "progress_index": 1}, "without eos the state does not move"),
        ({**OPENING, "should_end": True}, "only where the examinee ends the state"),
        (
            {**OPENING, "action_assessments": [{"raw": "look", "status": "unsupported"}]},
            "nothing has been done yet",
        ),
        ({**OPENING, "team": [{"who": "Dr Who", "words": "Hm."}]}, "not in actors_present"),
    ],
)
def test_a_controller_is_told_what_is_wrong_with_its_opening(reply: dict[str, Any], why: str) -> None:
    trace = staged(packet(), controller=Scripted([reply, reply]), patient=[])
    assert trace.outcome.status == "simulator_fault"
    assert why in trace.of(Noticed)[0].text


def test_the_static_arm_asks_for_no_opening() -> None:
    controller, static = Scripted([GOES_ON]), ScenarioSettings(arm="static")
    trace = staged(packet(), settings=static, examinee=[move("Hello.")], controller=controller)
    assert trace.outcome.status == "completed"
    assert not trace.of(Moment)


# What the patient's seat is told


def test_a_patient_who_became_unconscious_does_not_go_on_chatting() -> None:
    chat = {"speak": [{"who": "patient", "words": "As I was saying, doctor."}]}
    trace = staged(
        packet(),
        examinee=[move("Hello.", eos=True), move("Mr Reed? Can you hear me?"), move("Mrs Reed?")],
        opening={"controller": OPENING, "patient": BROUGHT},
        controller=[COLLAPSE, *[{"progress_index": 1}] * 12],
        patient=[chat, chat, {"speak": [{"who": "Mrs Reed", "words": "What is it?"}]}, *[{}] * 12],
    )
    assert trace.outcome.status == "out_of_turns", trace.outcome.reason
    (notice,) = [event.text for event in trace.of(Noticed) if "patient" in event.to]
    assert "the patient cannot speak now" in notice
    cue = trace.of(Cue)[-1]
    assert cue.silent == ("patient",)
    assert "He has collapsed and is unresponsive." in cue.text
    assert "cannot speak" in cue.text
    spoke = [event.text for event in trace.of(Spoke) if event.by == "patient"]
    assert spoke == ["Please help him!", "As I was saying, doctor.", "What is it?"]


def test_whoever_comes_round_may_speak_again() -> None:
    chat = {"speak": [{"who": "patient", "words": "Where am I?"}]}
    wakes = {"progress_index": 1, "patient_status": "He opens his eyes and looks around."}
    trace = staged(
        packet(),
        examinee=[move("Hello.", eos=True), move("Mr Reed?"), move("Mr Reed?")],
        controller=[COLLAPSE, wakes, *[{"progress_index": 1}] * 12],
        patient=[{}, {}, chat, *[{}] * 12],
    )
    assert [cue.silent for cue in trace.of(Cue)] == [(), ("patient",), ()]
    assert "Where am I?" in [event.text for event in trace.of(Spoke)]


def test_the_built_in_patient_says_nothing_in_a_packet_unasked() -> None:
    patient = Watching(BaselinePatientSeat())
    trace = staged(packet(), examinee=[], patient=patient, controller=[GOES_ON] * 12)
    assert trace.outcome.status == "out_of_turns"
    assert not [event for event in trace.of(Spoke) if event.by == "patient"]


def marked() -> Scenario:
    """A packet whose rubric has a mark of its own."""
    items = ["zq-item-qz is done at once"]
    rubric = {
        "case_id": "prose-one",
        "scenario": "scenario1",
        "version": "v1",
        "items": [{"id": "a", "competency": "PC", "text": items[0]}],
        "layout": [],
    }
    return Scenario.model_validate({**PACKET, "frozen_rubric": rubric})


MARKS = ("label", "act", "meant", "why", "result", "end", "item", "value")


def test_no_label_act_result_item_or_measurement_reaches_the_patients_seat() -> None:
    """Even of a controller that writes them into what the actor is handed."""
    leaky = [
        "He trembles.",
        "This is zq-label-qz now.",
        "He was given zq-act-qz just now.",
        "Somebody has ordered zq-meant-qz for him.",
        "That shows zq-result-qz on the left.",
        "Then zq-item-qz is done at once by all.",
        "The blood pressure is zq-value-qz, he sweats, and the monitor shows 40/min.",
    ]
    ruling = {
        "action_assessments": [
            {
                "raw": "zq-act-qz",
                "interpreted_action": "zq-meant-qz",
                "status": "executed",
                "rationale": "zq-why-qz",
            }
        ],
        "feedback": ["That shows zq-result-qz on the left."],
        "events": leaky,
        "patient_status": " ".join(leaky),
        "progress_index": 1,
        "state_label": "zq-label-qz",
    }
    patient = Watching(Scripted([{}] * 20))
    over = {"progress_index": 1, "should_end": True, "completion_reason": "zq-end-qz"}
    trace = staged(
        marked(),
        examinee=[move("Hello.", "zq-act-qz", eos=True), move("Well?"), move("Bye.", eos=True)],
        patient=patient,
        controller=[ruling, {"progress_index": 1}, over],
    )
    assert trace.outcome.status == "completed", trace.outcome.reason
    shown = text_of(patient.seen)
    assert "He trembles." in shown
    assert "he sweats" in shown
    for name in MARKS:
        assert f"zq-{name}-qz" not in shown, name
    assert "40/min" not in shown
    examinee = " ".join(event.line for event in told(trace, "examinee"))
    assert "zq-result-qz" in examinee, "the examinee is told its results"
    for kind in ("state", "assessed", "acted", "observed"):
        assert not [event for event in told(trace, "patient") if event.kind == kind]


def test_a_model_is_told_how_it_is_and_that_it_is_silent() -> None:
    ruling = {
        "assessments": [],
        "feedback": [],
        "events": [],
        "patient_status": "He lies lifeless on the floor.",
        "progress_index": 0,
        "state_label": "",
        "should_end": False,
        "completion_reason": "",
        "actors_present": [],
        "team": [],
    }
    script = [
        {"match": {"seat": "controller"}, "reply": ruling},
        {"match": {"seat": "patient"}, "reply": {"speak": [], "actors_present": []}},
        {"match": {"seat": "examinee"}, "reply": {"speak": "", "actions": [], "eos": False}},
    ]
    trace, overheard = by_models(packet(), script=script, max_turns=2)
    assert trace.outcome.status == "out_of_turns", trace.outcome.reason
    opening, *_ = overheard.asked["controller"]
    assert "Give the opening by the materials" in opening.messages[-1].text
    first, second, *_ = overheard.asked["patient"]
    assert "He lies lifeless on the floor. The patient cannot speak" in first.messages[-1].text
    assert "List who of your people is there" in first.messages[-1].text
    assert "says nothing in this turn" in second.messages[-1].text
    (asked, *_) = overheard.asked["examinee"]
    assert "<patient_looks>He lies lifeless on the floor.</patient_looks>" in asked.messages[-1].text
    assert "The patient is here now." in asked.messages[-1].text


# Silence


def test_in_a_silence_somebody_may_come_by_themselves_with_evidence() -> None:
    comes = {
        "actors_present": {"patient": "in bed", "Mrs Reed": "the script has her come in the second minute"},
        "speak": [{"who": "Mrs Reed", "words": "They told me he was here."}],
    }
    quiet = [move("", "feel the pulse"), move("", "wait"), move("Hello.")]
    trace = staged(
        packet(),
        examinee=quiet,
        patient=[{}, comes, *[{}] * 12],
        controller=[
            {
                "progress_index": 0,
                "action_assessments": [
                    {"raw": act, "interpreted_action": "as said", "status": "executed"} for act in one.actions
                ],
            }
            for one in quiet
        ]
        + [GOES_ON] * 12,
    )
    assert trace.outcome.status == "out_of_turns", trace.outcome.reason
    came = next(event for event in trace.of(Present) if event.who == "Mrs Reed")
    assert came.minute == 1
    assert set(came.to) == {"examinee", "patient", "controller"}
    assert "They told me he was here." in [event.text for event in trace.of(Spoke)]
    silences = [event for event in trace.of(Moment) if event.when == "silence"]
    assert all(event.to == ("patient",) for event in silences)
    assert "feel the pulse" not in " ".join(event.line for event in told(trace, "patient"))


@pytest.mark.parametrize(
    "reply",
    [
        {"actors_present": {"patient": "in bed", "Mrs Reed": " "}},
        {"speak": [{"who": "Mrs Reed", "words": "Hello?"}]},
    ],
)
def test_in_a_silence_presence_is_checked_as_ever(reply: dict[str, Any]) -> None:
    trace = staged(packet(), examinee=[move()], patient=[reply] * 2, controller=[GOES_ON])
    assert trace.outcome.status == "simulator_fault"


def test_of_explicit_states_nobody_is_asked_in_a_silence() -> None:
    patient = Watching(BaselinePatientSeat())
    trace = staged(small(), examinee=[move("", "attach the monitor")], patient=patient)
    assert not patient.seen
    assert not trace.of(Moment)


# Words


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        ("He is unconscious.", True),
        ("She no longer responds.", True),
        ("She does not respond to voice, only groans.", True),
        ("He responds only to pain.", True),
        ("GCS 3, no pulse.", True),
        ("He is not unconscious, he mumbles.", None),
        ("He was found unconscious by a neighbour, and is awake now.", False),
        ("She was unconscious for a minute.", None),
        ("Awake and talking in full sentences.", False),
        ("She can no longer speak.", True),
        ("There was no loss of consciousness.", None),
        ("He is drowsy but answers.", False),
        ("No longer conscious.", True),
        ("He regains consciousness.", False),
    ],
)
def test_only_plain_words_make_a_patient_silent(text: str, silent: bool | None) -> None:
    found = {before: silent_now(before, "", [text]) for before in (False, True)}
    assert found == ({False: False, True: True} if silent is None else dict.fromkeys((False, True), silent))


def test_a_new_look_without_a_word_on_it_ends_a_silence_and_an_unchanged_one_does_not() -> None:
    assert not silent_now(True, "He sits on the bed and drinks.", [])
    assert silent_now(True, "Unchanged.", [])
    assert silent_now(True, "", ["His wife weeps."])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Pale, sweaty, HR 118, BP 84/50 mmHg.", "Pale, sweaty."),
        ("She shivers. The lactate is high.", "She shivers."),
        ("He holds his chest; the monitor shows ventricular fibrillation.", "He holds his chest."),
        ("Pain 9/10 in the left arm.", "The pain is very strong."),
        ("SpO2 82 %, lips blue.", "lips blue. Air is badly short."),
        ("Temperature 39.6 °C, flushed.", "flushed. There is fever, hot and shivery."),
        ("SpO2 97 %.", ""),
        ("", ""),
    ],
)
def test_what_is_measured_is_left_out_or_said_as_it_is_felt(text: str, words: str) -> None:
    assert portrayed([text]) == words


def test_hidden_words_take_their_sentence_with_them() -> None:
    text = "He is calm. After the Morphine  bolus he smiles. Morphine bolusing is a word."
    assert portrayed([text], ["morphine bolus", ""]) == "He is calm. Morphine bolusing is a word."
