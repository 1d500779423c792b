"""Score k belongs to sample k, whatever fails; groups are masked whole; the same turn is judged once."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from osler.errors import InfrastructureFault
from osler.judging.opening import JudgeModel
from osler.models.config import Endpoint
from osler.protocols.ward_round.training.rubric import Rubric
from osler.testing.endpoint import FakeEndpoint
from osler.testing.endpoint_plans import FaultPlan
from osler.training.reward.batch import Remembered, aligned, masked, score_all
from osler.training.reward.score import RewardOptions, Score, without_score
from tests.models.endpoint import client_of
from tests.protocols.ward_round.training.states import perfect, state_of, text_of
from tests.training.reward.samples import Counting, state

SAMPLES = 320
GROUP = 5


@pytest.mark.slow
def test_320_samples_keep_their_places_under_20_percent_faults_of_the_judge() -> None:
    """Each sample's mark is written into it; the endpoint refuses or spoils a fifth of all requests."""
    turn = perfect()
    texts = [text_of(turn._replace(guidance=f"{turn.guidance} Sample-{k}-.")) for k in range(SAMPLES)]
    owed = [k % 3 for k in range(SAMPLES)]
    rules = [
        {
            "match": {"anywhere": f"Sample-{k}-.", "schema_name": f"reward_{axis}"},
            "reply": _reply(names, owed[k]),
        }
        for k in range(SAMPLES)
        for axis, names in AXES.items()
    ]
    plan = FaultPlan(rate=0.2, seed=3, kinds={"refused": 1, "bad-json": 1, "schema-violation": 1, "empty": 1})

    async def run() -> list[Score]:
        async with FakeEndpoint(script=rules, faults=plan) as fake:
            client = client_of(fake.base_url, tries=1)
            endpoint = Endpoint(name="judge", base_url=fake.base_url, model="tiny")
            reward = Rubric(RewardOptions(judge=JudgeModel(client, endpoint)))
            try:
                return await score_all(reward, [(state_of(), text) for text in texts], at_once=32)
            finally:
                await client.close()

    scores = asyncio.run(run())
    assert len(scores) == SAMPLES
    unscored = [k for k, score in enumerate(scores) if score.total is None]
    assert 3 <= len(unscored) < SAMPLES / 2, "some faults outlast every repair"
    for k, score in enumerate(scores):
        if score.total is not None:
            assert score.total == 2 + 6 * owed[k], f"sample {k}"
    held = masked(scores, GROUP)
    assert len(held.totals) == SAMPLES
    spoilt = {k // GROUP for k in unscored}
    assert [k for k, total in enumerate(held.totals) if total is None] == [
        k for k in range(SAMPLES) if k // GROUP in spoilt
    ]
    assert held.masked == len(spoilt)


AXES = {"structure": ("IS-2", "IS-3"), "analysis": ("AQ-1", "AQ-2"), "safety": ("CS-1", "CS-2")}


def _reply(names: tuple[str, ...], mark: int) -> dict[str, object]:
    return {name: {"quote": "", "why": "", "score": mark} for name in names}


def test_three_faults_and_every_other_sample_keeps_its_own_reward() -> None:
    spoilt = {7, 101, 318}

    def of(number: int, text: str) -> Score:
        if number in spoilt:
            raise [TypeError("None"), KeyError("x"), ZeroDivisionError()][number % 3]
        return Score(float(number))

    scores = asyncio.run(score_all(Counting(of), [(state(k), "") for k in range(SAMPLES)]))
    assert [score.total for score in scores] == [None if k in spoilt else float(k) for k in range(SAMPLES)]
    assert {scores[k].unscored for k in spoilt} == {
        "reward_failed: TypeError",
        "reward_failed: KeyError",
        "reward_failed: ZeroDivisionError",
    }


def test_an_endpoints_fault_is_tried_again_and_then_costs_its_own_sample_only() -> None:
    tries: dict[int, int] = {}

    def of(number: int, text: str) -> Score:
        tries[number] = tries.get(number, 0) + 1
        if number == 2 or (number == 1 and tries[number] == 1):
            raise InfrastructureFault("down")
        return Score(1.0)

    scores = asyncio.run(score_all(Counting(of), [(state(k), "") for k in range(3)]))
    assert [score.total for score in scores] == [1, 1, None]
    assert scores[2].unscored == "endpoint_fault"
    assert tries == {0: 1, 1: 2, 2: 2}


def test_an_endpoint_that_is_down_for_all_pauses_the_training() -> None:
    def of(number: int, text: str) -> Score:
        raise InfrastructureFault("down")

    with pytest.raises(InfrastructureFault):
        asyncio.run(score_all(Counting(of), [(state(k), "") for k in range(3)]))


def test_lists_of_other_lengths_and_half_scores_are_refused() -> None:
    with pytest.raises(ValueError, match="2 scores for 3 samples"):
        aligned([Score(1.0), Score(1.0)], 3)
    with pytest.raises(ValueError, match="score 1"):
        aligned([Score(1.0), Score(None)], 2)
    with pytest.raises(ValueError, match="score 0"):
        aligned([Score(1.0, unscored="why")], 1)
    with pytest.raises(ValueError, match="groups of 5"):
        masked([Score(1.0)] * 7, 5)
    with pytest.raises(ValueError, match="says why"):
        without_score("")


def test_an_unscored_sample_masks_its_group_and_no_other() -> None:
    scores = [Score(1.0), Score(2.0), without_score("judge_refused"), Score(3.0), Score(4.0), Score(4.0)]
    held = masked(scores, 2)
    assert held.totals == [1, 2, None, None, 4, 4]
    assert (held.groups, held.masked, held.level) == (3, 1, 1)


def test_groups_with_a_veto_are_counted() -> None:
    assert masked([Score(-9.0, vetoed=True), Score(3.0)], 2).vetoed == 1


def test_the_same_turn_is_judged_once_and_what_was_not_judged_again() -> None:
    answers = iter([without_score("judge_refused"), Score(1.0)])
    inner = Counting(lambda number, text: next(answers))
    reward = Remembered(inner)

    async def twice() -> list[Score]:
        return [await reward.score(state(), "a") for _ in range(3)]

    assert [score.total for score in asyncio.run(twice())] == [None, 1.0, 1.0]
    assert (inner.asked, reward.hits) == (2, 1)


def test_turns_at_the_same_time_share_one_call() -> None:
    inner = Counting(lambda number, text: Score(float(number)))
    reward = Remembered(inner)
    samples = [(state(k % 2), "a") for k in range(10)]
    Random(1).shuffle(samples)
    scores = asyncio.run(score_all(reward, samples))
    assert [score.total for score in scores] == [float(str(one.context["number"])) for one, _ in samples]
    assert inner.asked == 2


def test_another_state_or_version_is_another_turn() -> None:
    inner = Counting(lambda number, text: Score(float(number)))
    reward = Remembered(inner)
    asyncio.run(score_all(reward, [(state(0), "a"), (state(1), "a"), (state(0), "b")]))
    assert inner.asked == 3
