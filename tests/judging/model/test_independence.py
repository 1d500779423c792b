"""A judge is another model than the players it judges, unless somebody allows otherwise."""

from __future__ import annotations

import pytest

from osler.errors import BadInput
from osler.judging.model.independence import check_independent


def test_a_judge_is_not_the_player_it_judges() -> None:
    assert (
        check_independent("b", ["baseline", "model:a", "model:b-large", "scripted:b"], override=False) is None
    )
    for players in (["model:b"], ["baseline", "ensemble(model:a, model:b, n=5)"]):
        with pytest.raises(BadInput, match="judge b is also a player"):
            check_independent("b", players, override=False)
        said = check_independent("b", players, override=True)
        assert said
        assert said.startswith("The judge b is also a player of this run")


def test_one_model_under_two_names_is_noticed() -> None:
    models = {"a": "tiny", "b": "tiny", "c": "large"}
    with pytest.raises(BadInput, match="same model"):
        check_independent("b", ["model:a"], override=False, models=models)
    assert check_independent("c", ["model:a"], override=False, models=models) is None


def test_the_judge_of_a_reward_never_evaluates_what_it_rewarded() -> None:
    models = {"a": "tutor-7b", "b": "large", "c": "large", "d": "other"}
    rewarded = {"a": ("large",)}
    for judge in ("b", "c"):
        with pytest.raises(BadInput, match="judged the reward that a was trained on"):
            check_independent(judge, ["model:a"], override=True, models=models, rewarded=rewarded)
    assert check_independent("d", ["model:a"], override=False, models=models, rewarded=rewarded) is None
    assert check_independent("b", ["model:d"], override=False, models=models, rewarded=rewarded) is None


def test_a_family_is_said_and_not_refused() -> None:
    models = {"a": "meta-llama/Llama-3.1-8B-Instruct", "b": "llama-3.3-70b", "c": "gpt-4o", "d": "o3"}
    said = check_independent("b", ["model:a"], override=False, models=models)
    assert said is not None
    assert said.startswith("The judge b is of the same family of models as a player, a (llama)")
    assert check_independent("c", ["ensemble(model:a, model:b, n=5)"], override=False, models=models) is None
    assert "(gpt)" in (
        check_independent("c", ["model:b+panel(model:d)"], override=False, models=models) or ""
    )
    assert check_independent("e", ["model:a"], override=False, models=models) is None, "its model is unknown"
