"""Agreement of the diagnosis matcher with human labels, given as counts of right answers per case.

Each item is a reference with several answers and, if labelled, the number of answers that a dermatologist
found to mean the reference (the layout of the CRAFT-MD labels, Johri et al., 2024).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from osler.judging.diagnosis.match import Lists, Verdict, equivalent
from osler.stats.intervals import Estimate, wilson


class Item(BaseModel):
    """One reference and the answers to compare with it; `n_equivalent_by_dermatologist` of them are right."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    case_id: str | int | None = None
    reference_diagnosis: str = Field(min_length=1)
    candidate_diagnoses: list[str] = Field(min_length=1)
    n_equivalent_by_dermatologist: int | None = Field(default=None, ge=0)

    @field_validator("reference_diagnosis")
    @classmethod
    def _says_something(cls, name: str) -> str:
        if not any(map(str.isalnum, name)):
            raise ValueError("names no diagnosis")
        return name

    @model_validator(mode="after")
    def _counts_its_answers(self) -> Self:
        counted = self.n_equivalent_by_dermatologist
        if counted is not None and counted > len(self.candidate_diagnoses):
            raise ValueError(f"{counted} right answers are counted among {len(self.candidate_diagnoses)}")
        return self


class Agreement(NamedTuple):
    """The verdicts, in the items' order. `exact` is the share of labelled items whose count is met exactly.

    `mean_absolute_error` is in answers per item; `None` if no item is labelled.
    """

    verdicts: tuple[tuple[Verdict, ...], ...]
    exact: Estimate
    mean_absolute_error: float | None


def compare(items: Sequence[Item], lists: Lists) -> Agreement:
    """Judge every answer of every item and compare with the labels."""
    verdicts = tuple(
        tuple(
            equivalent(answer, item.reference_diagnosis, lists=lists) for answer in item.candidate_diagnoses
        )
        for item in items
    )
    errors = [
        abs(sum(verdict.same for verdict in row) - item.n_equivalent_by_dermatologist)
        for item, row in zip(items, verdicts, strict=True)
        if item.n_equivalent_by_dermatologist is not None
    ]
    exact = wilson(errors.count(0), len(errors), unscored=len(items) - len(errors))
    return Agreement(verdicts, exact, sum(errors) / len(errors) if errors else None)
