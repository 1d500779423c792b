"""An examinee's rewards: the net score, of what a move adds and of a whole scenario."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from osler.cases.rubrics.model import Rubric
from osler.errors import Status
from osler.protocols.scenario.judge.keyed import rubric_of
from osler.protocols.scenario.training.reward import NO_MOVE, Net, outcome
from osler.training.reward.score import RewardOptions, Score
from tests.protocols.scenario.playing import small
from tests.training.reward.samples import state

RUBRIC: Rubric = rubric_of(small())
POSITIVE = [item for item in RUBRIC.items if not item.traits.negative and not item.traits.by_absence]


def scored(speak: str = "", actions: tuple[str, ...] = (), **context: Any) -> Score:
    known = {"rubric": RUBRIC.model_dump(mode="json"), "own": [], **context}
    where = state().model_copy(update={"context": known})
    text = json.dumps({"speak": speak, "actions": actions, "eos": False})
    return asyncio.run(Net().score(where, text))


def test_a_move_earns_what_it_adds_and_only_once() -> None:
    item = POSITIVE[0]
    first = scored(actions=(item.text,), speak=item.text)
    assert first.total is not None
    assert first.total > 0
    again = scored(
        actions=(item.text,), speak=item.text, own=[["examinee", item.text], ["action", item.text]]
    )
    assert again.total == 0


def test_idle_words_earn_nothing() -> None:
    assert scored("Wonderful, you are doing so well.").total == 0
    assert scored(" ".join(f"What about finding {n}?" for n in range(50))).total == 0


def test_a_text_that_is_no_move_is_below_all() -> None:
    where = state().model_copy(update={"context": {"rubric": RUBRIC.model_dump(mode="json")}})
    assert asyncio.run(Net().score(where, "I would examine the patient")).total == NO_MOVE


def test_without_a_rubric_there_is_no_score() -> None:
    assert scored("Hello.", rubric=None).unscored == "no_rubric"


def test_the_outcome_of_a_scenario() -> None:
    reward = outcome(RewardOptions())
    assert reward.of(Status.COMPLETED, {"net": 0.5}).total == 0.5
    assert reward.of(Status.COMPLETED, {"net": -7.0}).total == -1
    assert reward.of(Status.INVALID_PLAY, {"net": 0.0}).total == -2
    assert reward.of(Status.SIMULATOR_FAULT, {"net": None}).total is None
    assert reward.of(Status.COMPLETED, {}).total is None
