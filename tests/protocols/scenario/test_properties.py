"""Rules that hold whatever the examinee, the patient's seat and the controller do, in any scenario."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from osler.cases.scenarios.model import Scenario
from osler.core.events import TurnBegan
from osler.core.order_events import Resulted
from osler.core.trace import Trace
from osler.protocols.scenario.events import Acted, Assessed, Observed, Present, Spoke, StateEntered
from osler.protocols.scenario.seats import ExamineeMove
from osler.protocols.scenario.settings import ScenarioSettings
from tests.protocols.scenario.stage import staged, told, voices
from tests.protocols.scenario.strategies import Listed, UnrulyController, UnrulyPatient, moves, scenarios

several = st.lists(moves, min_size=2, max_size=6)
PATIENCE = ScenarioSettings(max_attempts=10)
"""So that a player that mostly errs comes to something that is allowed."""
seeds = st.integers(0, 50).map(str)


def unruly(scenario: Scenario, listed: list[ExamineeMove], seed: str) -> Trace:
    """Played with everybody unruly."""
    return staged(
        scenario,
        seed=seed,
        settings=PATIENCE,
        examinee=Listed(listed),
        patient=UnrulyPatient(),
        controller=UnrulyController(),
    )


@given(scenarios(), several, seeds)
def test_states_follow_a_path_of_the_declared_graph(
    scenario: Scenario, listed: list[ExamineeMove], seed: str
) -> None:
    trace = unruly(scenario, listed, seed)
    entered = trace.of(StateEntered)
    assert entered[0].state == scenario.states[0].id
    assert [each.progress for each in entered] == list(range(len(entered)))
    for before, after in pairwise(entered):
        ways = [way for way in scenario.states_by_id[before.state].transitions if way.to == after.state]
        assert ways, f"no way leads from {before.state} to {after.state}"
        if after.why == "end_of_state":
            assert any(way.eos for way in ways)
    moved, ended_here = 0, False
    for event in trace.events:
        if isinstance(event, TurnBegan):
            moved = 0
        elif isinstance(event, Acted):
            ended_here = event.eos
        elif isinstance(event, StateEntered) and event.why != "opening":
            moved += 1
            assert moved == 1, "the course moved twice in a turn"
            assert event.why != "end_of_state" or ended_here


@given(scenarios(), several, seeds)
def test_nobody_speaks_who_is_not_there(scenario: Scenario, listed: list[ExamineeMove], seed: str) -> None:
    for who, here in voices(unruly(scenario, listed, seed)):
        assert who in here


@given(scenarios(), several, seeds)
def test_the_clock_runs_forward_and_every_turn_takes_time(
    scenario: Scenario, listed: list[ExamineeMove], seed: str
) -> None:
    trace = unruly(scenario, listed, seed)
    minutes = [event.minute for event in trace.events]
    assert minutes == sorted(minutes)
    turns = [event.minute for event in trace.of(TurnBegan)]
    assert all(later > earlier for earlier, later in pairwise(turns))


@given(scenarios(), several, seeds)
def test_nothing_that_has_to_be_earned_is_told_before(
    scenario: Scenario, listed: list[ExamineeMove], seed: str
) -> None:
    trace = unruly(scenario, listed, seed)
    done: set[str] = set()
    entered: set[str] = set()
    monitored = False
    for event in trace.events:
        if isinstance(event, Assessed) and event.status == "executed":
            done.add(event.action)
            monitored = monitored or scenario.actions_by_id[event.action].monitors
        if isinstance(event, StateEntered):
            entered.add(event.state)
        if "examinee" not in event.to:
            continue
        words = event.line
        for action in scenario.actions:
            assert action.result not in words or action.id in done
        for state in scenario.states:
            assert state.label not in words
            assert state.cue not in words
            assert state.status not in words or state.id in entered
        if isinstance(event, Observed):
            assert monitored or not event.vitals


@given(scenarios(), several, seeds)
def test_what_is_private_or_not_so_is_never_heard(
    scenario: Scenario, listed: list[ExamineeMove], seed: str
) -> None:
    trace = unruly(scenario, listed, seed)
    so_in = {known.id: known.states for known in scenario.knows}
    state, alone = "", False
    mother_here = scenario.people_by_id["mother"].here
    for event in trace.events:
        if isinstance(event, StateEntered):
            state = event.state
        if isinstance(event, Present) and event.who == "Mrs Vane":
            mother_here = event.here
        if isinstance(event, Spoke) and event.by == "examinee":
            alone = alone or "alone" in event.text
        if isinstance(event, Spoke) and event.by == "patient":
            assert "the fact k2" not in event.text or alone or not mother_here
            assert "the fact k3" not in event.text or not so_in["k3"] or state in so_in["k3"]


@given(scenarios(), several, seeds)
def test_the_patients_seat_is_never_told_of_acts_results_or_states(
    scenario: Scenario, listed: list[ExamineeMove], seed: str
) -> None:
    kinds = {event.kind for event in told(unruly(scenario, listed, seed), "patient")}
    assert kinds <= {"spoke", "present", "cue", "notice"}


@given(scenarios(), several, seeds, st.data())
def test_the_same_bytes_again_and_after_a_stop_at_any_exchange(
    scenario: Scenario, listed: list[ExamineeMove], seed: str, data: st.DataObject
) -> None:
    trace = unruly(scenario, listed, seed)
    assert unruly(scenario, listed, seed) == trace
    kept = data.draw(st.integers(0, len(trace.rows)))
    again = staged(
        scenario,
        seed=seed,
        settings=PATIENCE,
        recorded=trace.rows[:kept],
        examinee=Listed(listed),
        patient=UnrulyPatient(),
        controller=UnrulyController(),
    )
    assert again == trace


@given(scenarios(), several)
def test_built_in_players_never_break_a_rule(scenario: Scenario, listed: list[ExamineeMove]) -> None:
    trace = staged(scenario, examinee=Listed(listed))
    assert trace.outcome.status in ("completed", "out_of_turns"), trace.outcome.reason
    assert all(row.attempts == "[]" for row in trace.rows)
    assert all(result.text for result in trace.of(Resulted))
