"""From rounds by built-in players to a trained tutor back at the bedside, with three seeds.

In a smoke (`make test-train SMOKE=1`) it is one seed with fewer steps.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence

import pytest

from osler.stats.intervals import Estimate, mean_interval, paired_difference
from tests.training_models.chain import Played, Trained, prepared, trained

pytestmark = pytest.mark.smoke

SMOKE = bool(os.environ.get("SMOKE"))
SEEDS = (1,) if SMOKE else (1, 2, 3)
CASES, HELD_OUT, STEPS = (220, 16, 20) if SMOKE else (220, 24, 25)


@pytest.fixture(scope="module")
def tutors(tmp_path_factory: pytest.TempPathFactory) -> list[Trained]:
    """A tutor for each seed, two trained at a time."""
    folder = tmp_path_factory.mktemp("chain")
    built = prepared(folder, CASES, HELD_OUT)
    assert built["splits"]["train"]["single"] > CASES
    with multiprocessing.get_context("fork").Pool(min(2, len(SEEDS))) as pool:
        return pool.starmap(trained, [(folder, seed, STEPS) for seed in SEEDS], chunksize=1)


def pooled(played: Sequence[Played]) -> dict[str, list[float]]:
    """The turns of all seeds by case."""
    return {case: [one for each in played for one in each.valid.get(case, [])] for case in played[0].valid}


def test_more_turns_are_valid_on_cases_that_no_row_holds(tutors: list[Trained]) -> None:
    """Before, after SFT and after GRPO: shares of first answers that parse, clustered by case."""
    stages = {name: [getattr(one, name) for one in tutors] for name in ("before", "sft", "grpo")}
    for name, played in stages.items():
        found = mean_interval(pooled(played), proportion=True)
        by_seed = ", ".join(f"{one.share:.2f}" for one in played)
        print(f"valid turns, {name}: {said(found)}, by seed {by_seed}")
    for name in ("sft", "grpo"):
        gain = paired_difference(pooled(stages["before"]), pooled(stages[name]), share=True)
        print(f"gain by {name}: {said(gain)}")
        assert gain.low is not None
        assert gain.low > 0, name
    assert all(
        after.share > before.share for before, after in zip(stages["before"], stages["grpo"], strict=True)
    )


def said(found: Estimate) -> str:
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f}), n {found.n}"


def test_the_killed_training_went_on(tutors: list[Trained]) -> None:
    assert [one.resumed_from for one in tutors] == [5] * len(SEEDS)


def test_a_trained_tutor_ends_its_rounds(tutors: list[Trained]) -> None:
    """With three attempts to a turn, as any model has."""
    for one in tutors:
        assert one.grpo.ended.get("completed", 0) > one.before.ended.get("completed", 0)
