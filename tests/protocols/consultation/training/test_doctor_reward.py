"""A doctor's rewards: correctness minus cost, of a move and of a whole consultation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from osler.errors import Status
from osler.protocols.consultation.training.reward import (
    LOWEST,
    NO_MOVE,
    REACH,
    TURN,
    Correct,
    cost_share,
    outcome,
    points_of,
)
from osler.protocols.consultation.training.seat import DOCTOR
from osler.training.reward.opening import of_turns, open_reward
from osler.training.reward.probes import run_probes
from osler.training.reward.score import Reward, RewardOptions, Score
from osler.training.state import State
from tests.training.reward.samples import state


def at(kind: str = "diagnosis", options: dict[str, str] | None = None, **context: Any) -> State:
    task = {"kind": kind, "question": "What is it?", "options": options}
    known = {"task": task, "answer": "Pulmonary embolism", "answers": ["Lung embolism"], "options": options}
    return state().model_copy(update={"context": {**known, **context}})


def scored(text: str, where: State | None = None) -> Score:
    return asyncio.run(Correct().score(where or at(), text))


@pytest.mark.parametrize(
    ("said", "total"),
    [
        ("DIAGNOSIS READY: [Pulmonary embolism]", 1),
        ("DIAGNOSIS READY: [lung embolism]", 1),
        ("DIAGNOSIS READY: [pneumonia]", 0),
        ("DIAGNOSIS READY: [something serious]", 0),
        ("DIAGNOSIS READY: [pneumonia or pulmonary embolism or asthma]", 0),
    ],
)
def test_a_conclusion_is_right_or_wrong(said: str, total: float) -> None:
    found = scored(said)
    assert (found.total, found.items) == (total, {"correct": total})


def test_options_are_read_by_letter_and_by_text() -> None:
    options = {"A": "Pneumonia", "B": "Pulmonary embolism"}
    where = at("choice", options)
    assert scored("DIAGNOSIS READY: [B]", where).total == 1
    assert scored("DIAGNOSIS READY: [Pulmonary embolism]", where).total == 1
    assert scored("DIAGNOSIS READY: [A]", where).total == 0
    assert scored("DIAGNOSIS READY: [A or B]", where).total == 0


def test_what_no_rule_can_tell_is_unscored_and_not_wrong() -> None:
    where = at("open", answer="Give fluids", answers=[])
    assert scored("DIAGNOSIS READY: [give fluids]", where).total == 1
    found = scored("DIAGNOSIS READY: [start an infusion]", where)
    assert found.total is None
    assert found.unscored


def test_orders_cost_by_the_formulary_and_words_a_little() -> None:
    assert scored("Does it hurt to breathe?").total == -TURN
    dear, cheap = scored("REQUEST TEST: [CT of the chest]"), scored("REQUEST TEST: [ECG]")
    assert dear.total is not None
    assert cheap.total is not None
    assert -0.5 <= dear.total < cheap.total < 0
    assert cheap.total == -cost_share(points_of("ECG"))


def test_no_saving_outweighs_being_right() -> None:
    assert 1 - cost_share(10 * REACH) > 0 - cost_share(0)
    assert cost_share(-5) == 0


def test_no_move_is_below_every_move() -> None:
    assert scored("").total == NO_MOVE
    assert scored("REQUEST TEST: [CT of the chest]").total > NO_MOVE  # type: ignore[operator]


def test_no_probe_beats_the_right_conclusion() -> None:
    states = [
        at(),
        at("choice", {"A": "Pneumonia", "B": "Pulmonary embolism"}).model_copy(update={"case_hash": "other"}),
    ]
    reward = Correct()
    found = asyncio.run(run_probes(reward, states, reward.probing))
    assert found[0].total == 1
    assert [one.name for one in found[1:] if one.above] == []


def test_the_outcome_of_a_consultation() -> None:
    reward = outcome(RewardOptions())
    right = reward.of(Status.COMPLETED, {"correct": 1.0, "cost": REACH / 2})
    assert right.total == pytest.approx(0.75)
    assert right.axes == {"correct": 1.0, "cost": -0.25}
    assert reward.of(Status.OUT_OF_TURNS, {"correct": 0.0, "cost": 0.0}).total == 0
    assert reward.of(Status.INVALID_PLAY, {"correct": 0.0, "cost": 0.0}).total == LOWEST
    for spoilt in (Status.SIMULATOR_FAULT, Status.ENDPOINT_FAULT):
        assert reward.of(spoilt, {"correct": None, "cost": None}).total is None
    assert reward.of(Status.COMPLETED, {"correct": None, "cost": 3.0}).total is None


def test_both_are_opened_by_name() -> None:
    assert isinstance(open_reward(DOCTOR), Reward)
    assert of_turns(open_reward(DOCTOR, "correct")).name == "correct"
    assert not isinstance(open_reward(DOCTOR, "outcome"), Reward)
