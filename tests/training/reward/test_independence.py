"""The judge of a reward never judges the evaluation, under whatever name."""

from __future__ import annotations

import pytest

from osler.errors import BadInput
from osler.training.reward.independence import (
    RewardJudge,
    check_reward_judge,
    endpoint_in,
)

JUDGE = RewardJudge("big", "model-70b")
MODELS = {"big": "model-70b", "also-big": "model-70b", "small": "model-7b"}


@pytest.mark.parametrize("evaluator", ["model:big", "rubric:model:big", "model:also-big"])
def test_a_judge_that_evaluates_is_refused(evaluator: str) -> None:
    with pytest.raises(BadInput, match="cannot judge the evaluation"):
        check_reward_judge(JUDGE, ["round", evaluator], models=MODELS)


def test_rules_and_other_models_may_evaluate() -> None:
    check_reward_judge(JUDGE, ["round", "rubric:lexical", "model:small", "baseline", ""], models=MODELS)


@pytest.mark.parametrize("player", ["model:big", "ensemble(model:big, 5)", "model:also-big"])
def test_a_judge_that_plays_what_it_rewards_is_refused(player: str) -> None:
    with pytest.raises(BadInput, match="cannot play"):
        check_reward_judge(JUDGE, [], players=[player], models=MODELS)
    check_reward_judge(JUDGE, [], players=["socratic", "model:small"], models=MODELS)


def test_the_endpoint_in_a_name() -> None:
    assert endpoint_in("model:big") == "big"
    assert endpoint_in("rubric:model:big") == "big"
    assert endpoint_in("round") == ""
    assert endpoint_in("supermodel:big") == ""
