"""What the published code for such encounters gets wrong, where no other test would notice that it is ours.

A jump of the course or an end without the examinee's word: `test_rules`. A clock that stands still, evidence
without its turn: `test_keyed`, `test_marks_by_rule`. The opening, and ids of the source: `test_encounter`.
What the patient's seat may not read: `test_canary`. Acts in other words: `test_paraphrases`. Strategies
without a history: `test_published_mistakes_models`; what is sent again and again: `test_model_seats`.
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
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.players.controller import BaselineController
from osler.protocols.scenario.players.patient import BaselinePatientSeat
from osler.runs import run as runs
from osler.runs.totals import totals
from osler.store.store import open_store
from osler.testing.players import Watching
from tests.protocols.scenario.playing import SMALL, move, small
from tests.protocols.scenario.stage import staged

GLUCOSE = "give 100 mL of 20 % glucose intravenously"


def test_the_denominator_is_the_frozen_set_and_never_what_a_judge_returned() -> None:
    real = items_of([("PC", f"Does thing {n}") for n in range(8)])
    rubric = Rubric(case_id="a", scenario="b", version="v1", items=real, layout=())
    invented = tuple(Verdict(f"invented-{n}", True) for n in range(2))
    with pytest.raises(ValueError, match="for every item and for no other"):
        RubricJudgement("somebody", "1", rubric, invented)


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
