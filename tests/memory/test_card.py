"""Cards: what their id depends on, and their utility."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from pydantic import ValidationError

from osler.memory.card import Card, age_band, descriptor
from tests.memory.cards import card, origin

COUNT = st.integers(0, 50)


@given(COUNT, COUNT, COUNT, st.sampled_from(["active", "retired"]))
def test_use_changes_no_id(uses: int, helped: int, harmed: int, state: str) -> None:
    used = card().model_copy(update={"uses": uses, "helped": helped, "harmed": harmed, "state": state})
    assert used.id == card().id
    assert 0 < used.utility < 1


@pytest.mark.parametrize(
    "changes",
    [
        {"content": "Something else."},
        {"kind": "insight"},
        {"diagnosis": "Gout"},
        {"feedback": "gold"},
        {"origin": origin(1)},
        {"scope": {"sex": "female"}},
        {"components": {"results": "complaint 0"}},
    ],
)
def test_whatever_a_card_says_changes_its_id(changes: dict[str, Any]) -> None:
    assert card(**changes).id != card().id


def test_a_card_read_back_has_the_same_id() -> None:
    assert Card.model_validate_json(card(7).model_dump_json()).id == card(7).id


def test_a_card_that_helped_is_worth_more_than_a_new_one_and_that_more_than_one_that_harmed() -> None:
    assert card(helped=1, uses=1).utility > card().utility == 0.5 > card(harmed=1, uses=1).utility


def test_an_empty_card_is_refused() -> None:
    with pytest.raises(ValidationError):
        card(content="")


@pytest.mark.parametrize(
    ("years", "band"),
    [
        (None, None),
        (0.9, "infant"),
        (1, "child"),
        (12, "adolescent"),
        (18, "adult"),
        (64.9, "adult"),
        (65, "older"),
        (130, "older"),
    ],
)
def test_age_bands(years: float | None, band: str | None) -> None:
    assert age_band(years) == band


@given(arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(-100, 100, width=32)))
def test_a_descriptor_keeps_its_direction(vector: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    kept = descriptor("any", vector).vector
    length = float(np.linalg.norm(vector))
    if length < 1e-30:
        return
    assert float(kept @ (vector / length)) > 0.99
