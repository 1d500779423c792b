"""Many episodes: every judgement is kept as it comes; a fault stops the run without losing any."""

from __future__ import annotations

import asyncio

import pytest

from osler.errors import BadInput, InfrastructureFault
from osler.judging.model.batch import Episode, judge_all
from osler.judging.model.independence import check_independent
from osler.judging.model.judgement import ModelJudgement
from osler.judging.model.manager import ManagerJudge
from osler.models.types import CompletionRequest
from tests.judging.episodes import case_of
from tests.judging.model.judges import ENDPOINT, Scripted, careful, episode

EPISODES = [Episode(n, case_of(), episode(patient=f"Answer {n}.")) for n in range(9)]


def run(client: Scripted, kept: dict[int, ModelJudgement], at_once: int = 4) -> int:
    """Judge what is not kept yet."""
    left = (episode for episode in EPISODES if episode.ordinal not in kept)
    judge = ManagerJudge(client, ENDPOINT)
    return asyncio.run(judge_all(judge, left, False, kept.__setitem__, at_once=at_once))


def test_how_many_at_once_changes_nothing() -> None:
    one: dict[int, ModelJudgement] = {}
    many: dict[int, ModelJudgement] = {}
    assert run(Scripted(careful), one, at_once=1) == run(Scripted(careful), many, at_once=8) == 9
    assert one == many


def test_a_fault_pauses_and_nothing_is_judged_twice() -> None:
    def failing(number: int, request: CompletionRequest) -> object:
        return InfrastructureFault("quota") if number == 7 else careful(number, request)

    kept: dict[int, ModelJudgement] = {}
    with pytest.raises(InfrastructureFault, match="quota"):
        run(Scripted(failing), kept)
    before = len(kept)
    assert 0 < before < 9
    assert run(Scripted(careful), kept) == 9 - before
    whole: dict[int, ModelJudgement] = {}
    run(Scripted(careful), whole)
    assert kept == whole


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
