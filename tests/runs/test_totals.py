"""A run in numbers: complete, the same in any order, and honest about what was not scored."""

from __future__ import annotations

import json

import pytest

from osler.errors import Status
from osler.judging.scores import UNSCORED
from osler.protocols.consultation.judgement import unscored
from osler.protocols.consultation.measures import NAMES
from osler.stats.intervals import wilson
from tests.runs.episodes import Ended, judged, totals_of, totals_over

ESTIMATE = {"value", "low", "high", "n", "unscored"}


def test_every_measure_stands_once_in_json_in_one_form() -> None:
    value = totals_of(1.0, 0.0).as_json()
    assert json.loads(json.dumps(value)) == value
    assert value["measures"].keys() >= set(NAMES)
    assert {frozenset(found) for found in value["measures"].values()} == {frozenset(ESTIMATE)}
    assert value.keys().isdisjoint(value["measures"])


def test_accuracy_is_a_wilson_interval_over_cases() -> None:
    found = totals_of(*[1.0] * 8, *[0.0] * 2)
    right = found.measures["correct"]
    expected = wilson(8, 10)
    assert (right.value, right.low, right.high) == (0.8, expected.low, expected.high)
    assert found.headline_bounds is None
    used = [found.measures[name].value for name in ("turns", "tests", "cost")]
    assert (used, found.exchanges) == ([6, 2, 300], 120)


def test_cost_per_correct_counts_what_wrong_answers_cost() -> None:
    assert totals_of(1.0, 0.0, 0.0, 1.0).measures["cost_per_correct"].value == 600
    assert totals_of(0.0, 0.0).measures["cost_per_correct"].value is None


def test_unscored_episodes_are_counted_with_their_reason_and_bounded() -> None:
    found = totals_of(*[1.0] * 6, *[0.0] * 2, None, None)
    right = found.measures["correct"]
    assert (right.value, right.n, right.unscored) == (0.75, 8, 2)
    assert found.headline_bounds == (0.6, 0.8)
    assert found.unscored_because["correct"] == {"needs_a_judge": 2}


def test_groups_part_the_headline_with_their_clusters_and_chance() -> None:
    episodes = (
        Ended("a", judged(1.0, "choice", 0.25)),
        Ended("b", judged(0.0, "choice", 0.5)),
        Ended("c", judged(None)),
    )
    groups = totals_over(episodes).groups["kind"]
    choice, diagnosis = groups["choice"], groups["diagnosis"]
    assert (choice.headline.value, choice.headline.n, choice.clusters, choice.chance) == (0.5, 2, 2, 0.375)
    assert (diagnosis.headline.value, diagnosis.headline.unscored, diagnosis.chance) == (None, 1, None)


@pytest.mark.parametrize("status", sorted(UNSCORED))
def test_what_the_simulation_spoilt_moves_no_mean(status: Status) -> None:
    spoilt = Ended("b", unscored("baseline", "1", str(status)), status, turns=99)
    found = totals_over([Ended("a", judged(1.0)), spoilt])
    assert found.ended == {"completed": 1, str(status): 1}
    right, turns = found.measures["correct"], found.measures["turns"]
    assert (right.value, right.unscored, turns.value, turns.unscored) == (1.0, 1, 6, 1)
    assert found.unscored_because["turns"] == {str(status): 1}


def test_an_episode_without_a_judgement_is_unscored_and_what_is_counted_stays() -> None:
    found = totals_over([Ended("a", None)])
    right = found.measures["correct"]
    assert (right.value, right.unscored, found.measures["turns"].value) == (None, 1, 6)
    assert (found.graders, found.unscored_because["correct"]) == ({}, {"not_judged": 1})


def test_any_order_gives_the_same_totals() -> None:
    episodes = [Ended(f"case {n % 40}", judged(float(n % 3 == 0))) for n in range(400)]
    assert totals_over(episodes) == totals_over(reversed(episodes))


def test_graders_and_different_cases_are_counted() -> None:
    found = totals_over([Ended("a", judged(1.0)), Ended("a", judged(0.0)), Ended("b", judged(1.0))])
    assert (found.episodes, found.clusters, found.graders) == (3, 2, {"baseline 1": 3})


def test_an_empty_run_has_no_numbers() -> None:
    found = totals_over([])
    assert (found.episodes, found.groups["kind"], found.headline_bounds) == (0, {}, None)
    assert {one.value for one in found.measures.values()} == {None}


def test_no_interval_leaves_the_range_of_its_figure() -> None:
    """A t interval over few cases would reach beyond 100 % and below nothing."""
    shares = (1.0, 1.0, 1.0, 0.9, 0.2)
    found = totals_over(
        Ended(f"case {n}", judged(1.0, fact_coverage=share, unsafe_acts=float(n == 0)))
        for n, share in enumerate(shares)
    ).measures
    assert 0.9 < (found["fact_coverage"].high or 0) <= 1.0
    assert found["unsafe_acts"].low == 0.0
