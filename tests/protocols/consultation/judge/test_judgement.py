"""A judgement is complete and named, and unscored is never a number."""

from __future__ import annotations

import math

import pytest
from pydantic_core import from_json

from osler.judging.scores import Score
from osler.protocols.consultation.judgement import Judgement, judgement_of, unscored
from osler.protocols.consultation.measures import MANAGER, MEASURES, NAMES


def test_every_score_is_a_measure_once_and_stored_in_one_order() -> None:
    assert len({*NAMES}) == len(NAMES)
    assert NAMES[0] == "correct"
    assert [one.name for one in MEASURES][: len(NAMES)] == list(NAMES)
    assert list(from_json(unscored("baseline", "1", "why").stored.body)["scores"]) == list(NAMES)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_score_is_a_finite_number(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        Score(value)


def test_an_unscored_item_says_why() -> None:
    with pytest.raises(ValueError, match="says why"):
        Score(None)
    assert Score(None, "not_in_case").value is None


def test_half_a_judgement_does_not_exist() -> None:
    with pytest.raises(ValueError, match="every score"):
        Judgement("baseline", "1", {"correct": Score(1.0)})


def test_a_judgement_survives_the_store() -> None:
    judgement = unscored("baseline", "1", "simulator_fault")
    judgement.scores["correct"] = Score(0.5, "half", ("a \x1b quote \u202e", "another"))
    assert judgement_of(judgement.stored.body) == judgement


def stored(scores: str) -> str:
    return f'{{"grader":"g","version":"1","kind":"choice","chance":0.2,"scores":{scores}}}'


@pytest.mark.parametrize(
    "scores",
    ["{}", '{"correct":{"value":1.0}}', '{"correct":{"value":1.0},"bedside_manner":{"value":1.0}}'],
)
def test_some_of_the_scores_and_scores_that_nobody_knows_are_no_judgement(scores: str) -> None:
    with pytest.raises(ValueError, match="score"):
        judgement_of(stored(scores))


def test_the_manager_has_a_score_for_each_of_its_questions() -> None:
    assert set(MANAGER.values()) <= set(NAMES)
