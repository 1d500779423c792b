"""The measured agreement of the diagnosis judge with labelled answers; accuracy corrected for its errors."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict

from osler.stats.intervals import Estimate, wilson
from osler.stats.judge_error import corrected_rate

LEAST_SKILL: Final = 0.2
"""The least sensitivity + specificity - 1 with which a rate is corrected."""
_Z: Final = 1.959964


class Measured(BaseModel):
    """One judge under one convention, on one labelled set. `right` is (called right, truly right), `wrong`
    (called wrong, truly wrong), in answers; `None` if never measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    judge: str
    set: str | None = None
    labelled_by: str | None = None
    right: tuple[int, int] | None = None
    wrong: tuple[int, int] | None = None

    @property
    def agreement(self) -> Estimate:
        """The share of answers on which it agrees on right or wrong, with its 95 % interval."""
        if self.right is None or self.wrong is None:
            return Estimate(None, None, None, 0)
        return wilson(self.right[0] + self.wrong[0], self.right[1] + self.wrong[1])

    def corrected(self, found: Estimate) -> Estimate:
        """A share of right answers corrected for this judge's errors (Rogan-Gladen), 0 to 1.

        The interval covers both the run's and the labelled set's uncertainty. No value if it was never
        measured or is too little better than chance to correct for.
        """
        nothing = Estimate(None, None, None, found.n, found.unscored)
        if found.value is None or not found.n or self.right is None or self.wrong is None:
            return nothing
        if not (self.right[1] and self.wrong[1]):
            return nothing
        if self.right[0] / self.right[1] + self.wrong[0] / self.wrong[1] - 1 < LEAST_SKILL:
            return nothing
        n = _effective(found)
        value = corrected_rate(found.value * n, n, self.right, self.wrong)
        return Estimate(value.value, value.low, value.high, found.n, found.unscored)


class Standing(NamedTuple):
    """The judge behind a headline: its name, its convention and its agreement with labelled answers."""

    judge: str
    convention: str
    measured: Measured

    @property
    def words(self) -> str:
        """One sentence for a reader."""
        result = self.measured.agreement
        by = f"Judged by {self.judge}, convention {self.convention}"
        if result.value is None or result.low is None or result.high is None:
            return f"{by}; its agreement with labels has not been measured."
        reach = f"{result.value:.1%} [{result.low:.1%}, {result.high:.1%}]"
        return (
            f"{by}; it agrees with the labels of {reach} of {result.n} answers"
            f" ({self.measured.set}; labelled by {self.measured.labelled_by})."
        )

    def plain(self) -> dict[str, object]:
        """It as plain data."""
        result = self.measured.agreement
        return {
            "name": self.judge,
            "convention": self.convention,
            "agreement": result.value,
            "agreement_interval": None if result.low is None else [result.low, result.high],
            "n": result.n,
            "set": self.measured.set,
            "labelled_by": self.measured.labelled_by,
        }


@lru_cache(maxsize=1)
def _all() -> dict[str, Measured]:
    text = files("osler.judging.diagnosis").joinpath("measured.yaml").read_text("utf-8")
    return {name: Measured.model_validate(entry) for name, entry in yaml.safe_load(text).items()}


def standing() -> Standing:
    """The standing of the built-in judge."""
    ((convention, result),) = _all().items()
    return Standing(result.judge, convention, result)


def _effective(estimate: Estimate) -> float:
    """The number of independent answers that would give an interval as wide, at most the number scored."""
    if (
        estimate.value is None
        or estimate.low is None
        or estimate.high is None
        or estimate.high <= estimate.low
    ):
        return float(estimate.n)
    error = (estimate.high - estimate.low) / 2 / _Z
    spread = max(estimate.value * (1 - estimate.value), 0.25 / max(estimate.n, 1))
    return max(1.0, min(float(estimate.n), spread / error**2))
