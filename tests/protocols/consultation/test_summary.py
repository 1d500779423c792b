"""A run in numbers: complete, the same in any order, and honest about what was not scored."""

from __future__ import annotations

import json

import pytest
from osler.protocols.consultation.summary import Figures, RunSummary, Summary

from osler.errors import Status
from osler.judging.scores import NAMES, UNSCORED, Judgement, Score, unscored
from osler.stats.intervals import wilson

FIGURES = Figures(turns=6, tests=2, minutes=40, cost=300, exchanges=12)


def judged(right: float | None) -> Judgement:
    """A judgement of which only `correct` matters."""
    missing = Score(None, "not_in_case")
    correct = Score(None, "needs_a_judge") if right is None else Score(right)
    return Judgement("baseline", "1", {**dict.fromkeys(NAMES, missing), "correct": correct})


def summary_of(*rights: float | None, kind: str = "diagnosis", chance: float | None = None) -> RunSummary:
    """A run with one episode a case."""
    summary = Summary("a run")
    for n, right in enumerate(rights):
        summary.add(Status.COMPLETED, f"case {n}", kind, chance, FIGURES, judged(right))
    return summary.result(wall_s=1.5)


def test_the_keys_of_a_summary_are_pinned() -> None:
    value = summary_of(1.0, 0.0).model_dump(mode="json")
    assert list(value) == [
        *("run", "episodes", "ended", "accuracy", "accuracy_counting_unsupported", "accuracy_corrected"),
        *("answered", "judge", "by_kind", "turns_mean", "tests_mean", "cost_mean"),
        *("exchanges", "wall_s", "process", "cost_per_correct"),
        *("unscored_because", "judged_by", "label"),
    ]
    assert list(value["accuracy"]) == ["value", "low", "high", "n", "unscored", "bounds"]
    assert list(value["by_kind"]["diagnosis"]) == ["value", "low", "high", "n", "unscored", "chance"]
    assert set(value["process"]) == set(NAMES) - {"correct"}
    assert json.loads(json.dumps(value)) == value


def test_accuracy_is_a_wilson_interval_over_cases() -> None:
    found = summary_of(*[1.0] * 8, *[0.0] * 2)
    assert found.accuracy.value == 0.8
    expected = wilson(8, 10)
    assert (found.accuracy.low, found.accuracy.high) == (expected.low, expected.high)
    assert found.accuracy.bounds is None
    assert (found.turns_mean, found.tests_mean, found.cost_mean, found.exchanges) == (6, 2, 300, 120)


def test_cost_per_correct_counts_what_wrong_answers_cost() -> None:
    found = summary_of(1.0, 0.0, 0.0, 1.0)
    assert found.cost_per_correct.value == 600
    assert summary_of(0.0, 0.0).cost_per_correct.value is None


def test_unscored_episodes_are_counted_and_bounded() -> None:
    found = summary_of(*[1.0] * 6, *[0.0] * 2, None, None)
    assert (found.accuracy.value, found.accuracy.n, found.accuracy.unscored) == (0.75, 8, 2)
    assert found.accuracy.bounds == (0.6, 0.8)


def test_kinds_are_apart_with_their_chance() -> None:
    summary = Summary("mixed")
    summary.add(Status.COMPLETED, "a", "choice", 0.25, FIGURES, judged(1.0))
    summary.add(Status.COMPLETED, "b", "choice", 0.5, FIGURES, judged(0.0))
    summary.add(Status.COMPLETED, "c", "diagnosis", None, FIGURES, judged(None))
    found = summary.result(wall_s=0).by_kind
    assert (found["choice"].value, found["choice"].chance, found["choice"].n) == (0.5, 0.375, 2)
    assert (found["diagnosis"].value, found["diagnosis"].chance, found["diagnosis"].unscored) == (
        None,
        None,
        1,
    )


@pytest.mark.parametrize("status", sorted(UNSCORED))
def test_what_the_simulation_spoilt_moves_no_mean(status: Status) -> None:
    summary = Summary("r")
    summary.add(Status.COMPLETED, "a", "diagnosis", None, FIGURES, judged(1.0))
    spoilt = unscored("baseline", "1", str(status))
    summary.add(status, "b", "diagnosis", None, FIGURES._replace(turns=99), spoilt)
    found = summary.result(wall_s=0)
    assert found.ended == {"completed": 1, str(status): 1}
    assert (found.accuracy.value, found.accuracy.unscored, found.turns_mean) == (1.0, 1, 6)


def test_an_episode_without_a_judgement_is_unscored() -> None:
    summary = Summary("r")
    summary.add(Status.COMPLETED, "a", "diagnosis", None, FIGURES, None)
    found = summary.result(wall_s=0)
    assert (found.accuracy.value, found.accuracy.unscored, found.turns_mean) == (None, 1, 6)


def test_stored_text_and_any_order_give_the_same_summary() -> None:
    episodes = [(f"case {n % 40}", judged(float(n % 3 == 0))) for n in range(400)]
    forwards, backwards = Summary("r"), Summary("r")
    for case, judgement in episodes:
        forwards.add(Status.COMPLETED, case, "diagnosis", None, FIGURES, judgement)
    for case, judgement in reversed(episodes):
        backwards.add(Status.COMPLETED, case, "diagnosis", None, FIGURES, judgement.stored.body)
    assert forwards.result(wall_s=0) == backwards.result(wall_s=0)


def test_an_empty_run_has_no_numbers() -> None:
    found = Summary("nothing").result(wall_s=0)
    assert (found.episodes, found.accuracy.value, found.by_kind, found.cost_mean) == (0, None, {}, None)


def test_no_interval_leaves_the_range_of_its_figure() -> None:
    """A t interval over few cases would reach beyond 100 % and below nothing."""
    summary = Summary("r")
    for n, right in enumerate((1.0, 1.0, 1.0, 0.9, 0.2)):
        judgement = judged(1.0)
        judgement.scores["fact_coverage"] = Score(right)
        judgement.scores["unsafe_acts"] = Score(float(n == 0))
        summary.add(Status.COMPLETED, f"case {n}", "diagnosis", None, FIGURES, judgement)
    found = summary.result(wall_s=0).process
    assert 0.9 < (found["fact_coverage"].high or 0) <= 1.0
    assert found["unsafe_acts"].low == 0.0
