"""How an encounter goes: the opening, turns, acts with their minutes and results, states, people, the end."""

from __future__ import annotations

from typing import Any

import pytest

from osler.core.events import Released, TurnBegan
from osler.core.order_events import Resulted, Taken
from osler.core.trace import Trace
from osler.players.scripted import Scripted
from osler.protocols.scenario.course import AWAITED
from osler.protocols.scenario.events import Assessed, Cue, Happened, Observed, Present, Spoke, StateEntered
from osler.protocols.scenario.players.controller import BaselineController
from osler.protocols.scenario.settings import ScenarioSettings
from osler.testing.players import Watching
from tests.protocols.scenario.playing import move, small
from tests.protocols.scenario.stage import packet, small_as, staged, text_of, told

MEASURE, GLUCOSE = "check the capillary glucose", "give 100 mL of 20 % glucose intravenously"


def states(trace: Trace) -> list[tuple[str, int, str]]:
    return [(each.state, each.minute, each.why) for each in trace.of(StateEntered)]


def test_the_opening_is_shown_and_no_id_label_or_title_is() -> None:
    examinee = Watching(Scripted([move(eos=True)] * 8))
    trace = staged(small(), examinee=examinee)
    view = examinee.seen[0].view
    assert view.opening == small().opening
    assert [person.name for person in view.people] == ["Mr Hale", "Mrs Hale"]
    assert trace.of(Observed)[0].status == small().states[0].status
    shown = text_of(examinee.seen)
    for hidden in (
        "small-one",
        "scenario1",
        "Drowsy with",
        "give_glucose",
        *(s.label for s in small().states),
    ):
        assert hidden not in shown


def test_a_turn_takes_a_minute_for_speech_and_the_minutes_of_each_act() -> None:
    trace = staged(small(), examinee=[move("Hello?"), move("", GLUCOSE), move("Well?", GLUCOSE), move()])
    assert [turn.minute for turn in trace.of(TurnBegan)[:5]] == [0, 1, 4, 8, 9]


def test_a_result_comes_when_it_is_ready_and_shows_the_state_it_was_taken_in() -> None:
    trace = staged(small(), examinee=[move("", MEASURE), move("", GLUCOSE, MEASURE), move()])
    assert [(each.minute, each.ready_minute) for each in trace.of(Taken)] == [(1, 2), (5, 6)]
    found = [(each.minute, each.text) for each in trace.of(Resulted) if "Capillary" in each.text]
    assert found == [
        (2, "Capillary glucose 1.9 mmol/L (34 mg/dL)."),
        (6, "Capillary glucose 6.2 mmol/L (112 mg/dL)."),
    ]


def test_orders_and_results_say_what_kind_of_finding_an_act_brings() -> None:
    trace = staged(
        small(), examinee=[move("", MEASURE, "attach the monitor", GLUCOSE, "sing to him"), move()]
    )
    assert [each.finding_kind for each in trace.of(Taken)] == ["test"]
    kinds = {each.name: each.finding_kind for each in trace.of(Resulted)}
    assert kinds == {MEASURE: "test", GLUCOSE: "", "sing to him": ""}


@pytest.mark.parametrize(
    ("what", "kind", "told"),
    [
        ("Requests a portable chest radiograph", "test", "image"),
        ("Requests CT angiography of the neck", "test", "image"),
        ("Records an ECG", "test", "test"),
        ("Listens to the chest", "examination", "examination"),
        ("Reports the CT to his son", "communication", ""),
    ],
)
def test_an_image_is_told_from_other_tests_by_the_plain_wording_of_the_act(
    what: str, kind: str, told: str
) -> None:
    act = {"id": "act", "what": what, "kind": kind, "terms": ["do it now"], "result": "Seen."}
    trace = staged(
        small_as(actions=[*small_as().model_dump(mode="json")["actions"], act]),
        examinee=[move("", "do it now")],
    )
    assert [each.finding_kind for each in trace.of(Resulted)] == [told]


def test_an_act_moves_the_state_at_once_and_the_state_is_seen_and_heard() -> None:
    trace = staged(small(), examinee=[move("", GLUCOSE)])
    assert states(trace)[1] == ("awake", 3, "action")
    assert "Colour returns to his face and he looks around." in [e.text for e in trace.of(Happened)]
    assert ("Mr Hale", "Where am I? What happened?") in [(e.who, e.text) for e in trace.of(Spoke)]
    assert trace.of(Cue)[-1].text.startswith("You feel nearly yourself")


def test_time_moves_the_state_in_the_middle_of_a_turn_at_its_own_minute() -> None:
    trace = staged(small(), examinee=[move("", *["attach the monitor"] * 11), move("", GLUCOSE)])
    assert states(trace)[1] == ("fitting", 12, "time")
    assert states(trace)[2] == ("awake", 14, "action")
    slow = staged(small(), examinee=[move("", *["attach the monitor"] * 20)])
    assert states(slow)[1] == ("fitting", 12, "time")


def test_the_end_of_a_state_moves_nothing_while_something_is_awaited_and_says_so() -> None:
    trace = staged(small(), examinee=[move(eos=True), move("Hello?", eos=True)])
    assert [state for state, *_ in states(trace)] == ["drowsy"]
    told_so = [each for each in trace.of(Happened) if each.text == f"{AWAITED}."]
    assert [each.to for each in told_so] == [("examinee", "controller")] * 2


def test_the_end_of_a_state_takes_one_step_and_ends_only_where_it_may() -> None:
    ways = [*small().states[0].model_dump()["transitions"], {"to": "awake", "eos": True, "said": ["sugar"]}]
    first = {**small().states[0].model_dump(), "transitions": ways}
    scenario = small_as(states=[first, *(state.model_dump() for state in small().states[1:])])
    said = [move("Hello.", eos=True), move("His sugar is low.", eos=True), move(eos=True)]
    trace = staged(scenario, examinee=said)
    assert [state for state, _, why in states(trace) if why == "end_of_state"] == ["awake"]
    assert trace.outcome.status == "completed"
    assert trace.outcome.counts["turns"] == 3


def test_a_person_is_told_the_kind_of_what_is_awaited_and_never_what() -> None:
    ways = [*small().states[0].model_dump()["transitions"], {"to": "awake", "eos": True, "said": ["sugar"]}]
    first = {**small().states[0].model_dump(), "transitions": ways}
    scenario = small_as(states=[first, *(state.model_dump() for state in small().states[1:])])
    trace = staged(scenario, settings=ScenarioSettings(tells_kind=True), examinee=[move("Hello.", eos=True)])
    (refused,) = (each.text for each in trace.of(Happened) if each.text.startswith(AWAITED))
    assert refused == f"{AWAITED}: something to be done, or something to be said."


def test_a_state_that_waits_for_nothing_ends_once_something_was_said_or_done() -> None:
    first = {**small().states[0].model_dump(), "transitions": [{"to": "awake", "eos": True}]}
    scenario = small_as(states=[first, *(state.model_dump() for state in small().states[1:])])
    trace = staged(scenario, examinee=[move(eos=True), move("Hello.", eos=True)])
    assert states(trace)[1:] == [("awake", 2, "end_of_state")]


def test_acts_that_nobody_recognizes_cost_no_turn_and_are_given_back_only_so_often() -> None:
    lost = [move("", "arrange a helicopter")] * 9
    trace = staged(small(), settings=ScenarioSettings(max_turns=4), examinee=lost)
    assert [turn.turns_left for turn in trace.of(TurnBegan)] == [3, 3, 3, 2, 1, 0]
    assert all("another way" in each.text for each in trace.of(Resulted))


def test_the_last_turn_is_announced_and_ends_the_encounter() -> None:
    trace = staged(small(), settings=ScenarioSettings(max_turns=3), examinee=[])
    assert [(turn.turns_left, turn.last_chance) for turn in trace.of(TurnBegan)] == [
        (2, False),
        (1, False),
        (0, True),
    ]
    assert trace.outcome.status == "out_of_turns"
    own = staged(small_as(max_turns=5), examinee=[])
    assert own.outcome.counts["turns"] == 5


def test_vital_signs_are_seen_once_somebody_measures_and_from_then_on() -> None:
    trace = staged(small(), examinee=[move("", MEASURE), move("", "attach the monitor"), move("", GLUCOSE)])
    assert [bool(seen.vitals) for seen in trace.of(Observed)] == [False, True, True]


def test_people_come_when_called_or_as_time_passes_and_only_then_speak() -> None:
    called = staged(small(), examinee=[move("", "call a nurse to help")])
    coming = next(each for each in called.of(Present) if each.who == "Nurse Kemp")
    assert (coming.minute, coming.here) == (1, True)
    assert ("Nurse Kemp", "I am here. What do you need?") in [(e.who, e.text) for e in called.of(Spoke)]
    late = staged(small(), examinee=[])
    assert not any(each.who == "Nurse Kemp" for each in late.of(Present))  # eight turns of a minute
    waiting = staged(small(), settings=ScenarioSettings(max_turns=12), examinee=[])
    assert next(each.minute for each in waiting.of(Present) if each.who == "Nurse Kemp") == 10


def test_somebody_who_has_left_says_nothing_even_where_the_script_has_words_for_them() -> None:
    wife = {"id": "wife", "name": "Mrs Hale", "role": "family", "leaves": {"did": ["check_glucose"]}}
    people = [small().people[0].model_dump(), wife]
    actions = [action.model_dump() for action in small().actions if action.id != "call_help"]
    scenario = small_as(people=people, actions=actions)
    trace = staged(scenario, examinee=[move("", MEASURE), move(eos=True)])
    assert not [each for each in trace.of(Spoke) if each.who == "Mrs Hale"]


def _with(action: str, **changes: Any) -> Any:
    actions = [each.model_dump() for each in small().actions]
    return small_as(actions=[{**each, **changes} if each["id"] == action else each for each in actions])


@pytest.mark.parametrize(
    "rule", [{"needs": ["check_glucose"]}, {"states": ["fitting"]}], ids=["needs", "states"]
)
def test_an_act_that_cannot_be_done_yet_is_refused_in_the_scripts_words(rule: dict[str, Any]) -> None:
    scenario = _with("give_glucose", refused="The nurse asks what the glucose is first.", **rule)
    trace = staged(scenario, examinee=[move("", GLUCOSE)])
    assert trace.of(Assessed)[0].status == "pending"
    refused = trace.of(Resulted)[0]
    assert (refused.returned, refused.text) == (False, "The nurse asks what the glucose is first.")
    assert [state for state, _, _ in states(trace)] == ["drowsy"]


def test_an_act_that_the_script_does_not_hold_brings_nothing() -> None:
    trace = staged(small(), examinee=[move("", "arrange a helicopter")])
    assert trace.of(Assessed)[0].status == "unsupported"
    assert [result.returned for result in trace.of(Resulted)] == [False]
    assert not trace.of(Released)


def test_nobody_is_asked_to_answer_where_nothing_is_said() -> None:
    trace = staged(small(), examinee=[move("", MEASURE), move("How do you feel?")])
    assert [row.seat for row in trace.rows[:5]] == [
        "examinee",
        "controller",
        "examinee",
        "patient",
        "controller",
    ]


def test_in_the_static_arm_the_whole_case_is_told_and_one_move_made() -> None:
    examinee = Watching(Scripted([move("You had low sugar.", MEASURE, GLUCOSE)]))
    trace = staged(small(), settings=ScenarioSettings(arm="static"), examinee=examinee)
    whole = examinee.seen[0].view.whole_case
    assert whole is not None
    assert "1.9 mmol/L" in whole
    assert "gliclazide" in whole
    for hidden in (*(s.label for s in small().states), *(i.text for i in small().rubric), small().debrief[0]):
        assert hidden not in whole
    assert trace.outcome.status == "completed"
    assert [row.seat for row in trace.rows] == ["examinee", "controller"]


def test_what_only_the_controller_knows_is_added_to_the_script_and_marked_as_its_own() -> None:
    class Adding(BaselineController):
        async def reply(self, request: Any) -> Any:
            reply = await super().reply(request)
            return reply.model_copy(update={"feedback": ("The cubicle is cold.",)})

    trace = staged(small(), examinee=[move("", "look around")], controller=Adding())
    added = [each for each in trace.of(Happened) if each.source == "controller"]
    assert added[0].text == "The cubicle is cold."
    assert added[0].to == ("examinee",)


# A packet of prose: the seats know the script, and the engine holds them to the rules of the loop.


def test_a_packet_is_played_by_what_its_seats_say() -> None:
    trace = staged(
        packet(),
        examinee=[move("What happened?"), move("", "attach the monitor", eos=True), move("Bye.", eos=True)],
        patient=[
            {"speak": [{"who": "patient", "words": "I fainted."}], "actors_present": {"patient": "in bed"}},
            {"speak": []},
            {"speak": []},
        ],
        controller=[
            {"patient_status": "Pale.", "progress_index": 0, "state_label": "First look at him"},
            {
                "action_assessments": [
                    {"raw": "attach the monitor", "interpreted_action": "Monitor", "status": "executed"}
                ],
                "feedback": ["The monitor shows sinus rhythm."],
                "team": [{"who": "Nurse", "words": "It is on."}],
                "actors_present": {"Nurse": "stands by from the beginning"},
                "progress_index": 1,
                "state_label": "On the monitor now",
            },
            {"progress_index": 1, "should_end": True},
        ],
    )
    assert trace.outcome.status == "completed", trace.outcome.reason
    assert [(each.state, each.progress) for each in trace.of(StateEntered)] == [
        ("", 0),
        ("On the monitor now", 1),
    ]
    shown = " ".join(event.line for event in told(trace, "examinee"))
    assert "sinus rhythm" in shown
    assert "Pale." in shown
    assert "On the monitor now" not in shown
    assert [turn.minute for turn in trace.of(TurnBegan)] == [0, 1, 2]
