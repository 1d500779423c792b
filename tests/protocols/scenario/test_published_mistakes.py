"""What the published code for such encounters gets wrong: each mistake is shown here not to be ours.

Those about strategies without a history and about what is sent again and again are in
`test_published_mistakes_models.py`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from osler.cases.rubrics.model import Rubric, items_of
from osler.core.events import TurnBegan
from osler.judging.rubric.judgement import RubricJudgement
from osler.judging.rubric.scores import Verdict
from osler.players.scripted import Scripted
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.events import Assessed, Observed, StateEntered
from osler.protocols.scenario.players.controller import BaselineController
from osler.protocols.scenario.players.patient import BaselinePatientSeat
from osler.runs import run as runs
from osler.runs.totals import totals
from osler.store.store import open_store
from osler.testing.players import Watching
from tests.protocols.scenario.playing import SMALL, held, judged, move, small
from tests.protocols.scenario.stage import packet, small_as, staged, text_of

GLUCOSE = "give 100 mL of 20 % glucose intravenously"


def test_the_denominator_is_the_frozen_set_and_never_what_a_judge_returned() -> None:
    real = items_of([("PC", f"Does thing {n}") for n in range(8)])
    rubric = Rubric(case_id="a", scenario="b", version="v1", items=real, layout=())
    invented = tuple(Verdict(f"invented-{n}", True) for n in range(2))
    with pytest.raises(ValueError, match="for every item and for no other"):
        RubricJudgement("somebody", "1", rubric, invented)


@pytest.mark.parametrize("scenario", ["states", "packet"])
def test_the_course_does_not_jump_because_a_controller_says_so(scenario: str) -> None:
    jump = {"progress_index": 7, "state_label": "awake"}
    played = staged(small() if scenario == "states" else packet(), examinee=[move()], controller=[jump, jump])
    assert played.outcome.status == "simulator_fault"
    assert [each.progress for each in played.of(StateEntered)] == [0]


def test_an_end_without_the_examinees_word_is_not_honoured() -> None:
    end = {"should_end": True, "progress_index": 0, "state_label": ""}
    for scenario in (small(), packet()):
        assert staged(scenario, examinee=[move()], controller=[end, end]).outcome.status == "simulator_fault"


def test_the_clock_moves_so_that_within_five_minutes_can_be_judged() -> None:
    soon = held(judged([move("", "check the capillary glucose")]))
    late = held(judged([move("", *["attach the monitor"] * 6), move("", "check the capillary glucose")]))
    assert soon["Measures the"] is True
    assert late["Measures the"] is False


def test_the_opening_and_how_the_patient_first_looks_are_shown_before_the_first_word() -> None:
    examinee = Watching(Scripted([move()] * 8))
    trace = staged(small(), examinee=examinee)
    first = text_of(examinee.seen[:1])
    assert small().opening in first
    assert trace.of(Observed)[0].status == small().states[0].status
    assert small().states[0].status in first


def test_the_examinee_never_sees_the_id_of_the_source() -> None:
    for scenario in (small_as(case_id="mep-12-10407-s001"), packet()):
        examinee = Watching(Scripted([move("Hello")] * 12))
        staged(scenario, examinee=examinee)
        assert scenario.case_id not in text_of(examinee.seen)


def test_the_patient_is_never_shown_what_the_doctor_does_what_it_showed_or_what_a_state_is_called() -> None:
    patient = Watching(BaselinePatientSeat())
    staged(
        small(),
        examinee=[move("Hello", "check the capillary glucose", GLUCOSE), move("How are you?")],
        patient=patient,
    )
    shown = text_of(patient.seen)
    assert "How are you?" in shown
    for hidden in ("check the capillary", "1.9 mmol/L", "awake", *(state.label for state in small().states)):
        assert hidden not in shown


@pytest.mark.parametrize(
    "wording",
    [
        "Give 20 g of dextrose IV",
        "75ml of 20% glucose intravenously please",
        "I'd like to infuse glucose now",
        "IV dextros bolus",
        "glucagon 1 mg intramuscular",
    ],
)
def test_a_paraphrased_act_is_the_act(wording: str) -> None:
    assessed = staged(small(), examinee=[move("", wording)]).of(Assessed)[0]
    assert (assessed.raw, assessed.action, assessed.status) == (wording, "give_glucose", "executed")


def test_the_patient_and_the_controller_are_asked_at_the_same_time() -> None:
    under_way, most = 0, 0

    class Slow:
        name, durable = "slow", False

        def __init__(self, inner: Any) -> None:
            self.inner = inner

        async def reply(self, request: Any) -> Any:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0)
            under_way -= 1
            return await self.inner.reply(request)

    staged(
        small(),
        examinee=[move("How do you feel?", "attach the monitor")],
        patient=Slow(BaselinePatientSeat()),
        controller=Slow(BaselineController()),
    )
    assert most == 2


def test_no_more_calls_than_two_chains_a_turn() -> None:
    trace = staged(small(), examinee=[move("Hello?")] * 8)
    turns = len(trace.of(TurnBegan))
    assert trace.outcome.exchanges <= 3 * turns


def test_an_episode_stops_anywhere_and_goes_on_without_asking_again() -> None:
    listed = [move("How do you feel?", "check the capillary glucose"), move("", GLUCOSE), move("", eos=True)]
    whole = staged(small(), examinee=listed)
    for kept in range(len(whole.rows) + 1):
        patient, controller = Watching(BaselinePatientSeat()), Watching(BaselineController())
        again = staged(
            small(), examinee=listed, recorded=whole.rows[:kept], patient=patient, controller=controller
        )
        assert again == whole
        asked = len(patient.seen) + len(controller.seen)
        assert asked == sum(row.seat != "examinee" for row in whole.rows[kept:])


def test_runs_have_names_of_their_own_seeds_repeats_and_intervals_by_cluster(tmp_path: Path) -> None:
    config = ScenarioConfig(cases=str(SMALL), seed=4, repeats=3)
    with open_store(f"sqlite:///{tmp_path / 'two.db'}") as store:
        begun = [runs.begin(config, store) for _ in range(2)]
        assert begun[0].name != begun[1].name
        sat = runs.play(begun[0], store)
        summed = totals(sat.run, store)
        found = summed.measures["completion_macro"]
        assert (found.n, found.unscored, summed.clusters) == (3, 0, 1)
        assert found.low is not None
        assert store.info(begun[1].id).done == 0


def test_each_item_has_its_evidence_with_the_turn_it_was_said_in() -> None:
    found = judged([move("Hello, my name is Dr Vale.")])
    proofs = {verdict.id: verdict.quotes for verdict in found.verdicts if verdict.holds}
    assert [[(quote.turn, quote.text) for quote in quotes] for quotes in proofs.values()] == [
        [(1, "Hello, my name is Dr Vale.")]
    ]
