"""Comparing lists of answers with references, and the verdicts with people's counts."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from osler.judging.diagnosis.agreement import Item, compare

SCABIES = {
    "reference_diagnosis": "Scabies",
    "candidate_diagnoses": ["scabies, impetigo", "Norwegian itch", "scabies"],
}


def _item(**changes: Any) -> Item:
    return Item.model_validate({**SCABIES, **changes})


def test_a_list_counts_as_asked() -> None:
    accepted = compare([_item()], "accept").verdicts
    rejected = compare([_item()], "reject").verdicts
    assert [verdict.same for verdict in accepted[0]] == [True, False, True]
    assert [verdict.same for verdict in rejected[0]] == [False, False, True]


def test_agreement_is_over_labelled_items_only() -> None:
    items = [_item(n_equivalent_by_dermatologist=2), _item(n_equivalent_by_dermatologist=0), _item()]
    found = compare(items, "accept")
    assert (found.exact.value, found.exact.n, found.exact.unscored) == (0.5, 2, 1)
    assert found.mean_absolute_error == 1.0
    assert found.exact.low is not None
    assert found.exact.high is not None
    assert 0 <= found.exact.low < 0.5 < found.exact.high <= 1


def test_without_labels_there_is_no_agreement() -> None:
    found = compare([_item()], "reject")
    assert found.exact.value is None
    assert found.mean_absolute_error is None


@pytest.mark.parametrize(
    "changes",
    [
        {"reference_diagnosis": " ... "},
        {"reference_diagnosis": 3},
        {"candidate_diagnoses": []},
        {"candidate_diagnoses": "scabies"},
        {"candidate_diagnoses": ["scabies", None]},
        {"n_equivalent_by_dermatologist": 4},
        {"n_equivalent_by_dermatologist": -1},
        {"n_equivalent_by_dermatologist": "2"},
    ],
)
def test_an_item_that_makes_no_sense_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        _item(**changes)
