"""How often 95 % intervals of the mean of a long-tailed figure hold the truth, and how wide they are.

`python benchmarks/skewed_mean.py [--studies 2000] [--json]` (needs scipy). Methods: Student's t, Hall's
transformation with Satterthwaite's degrees of freedom (`skewed_mean_pivot`) and with n - 1, and the BCa
bootstrap of `scipy.stats.bootstrap` with 999 resamples. A study is one sample of n cases from a known
distribution; studies without any variation have no interval and are left out. The width is the median over
studies, as a multiple of that of Student's t. `below` and `above` are the shares of intervals that lie wholly
below or above the truth.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from osler.stats.cluster_t import Floats, mean_pivot, skewed_mean_pivot

CASES: Final = (10, 20, 50, 100, 200)
SEED: Final = 1992
_RESAMPLES: Final = 999
Random = np.random.Generator


class Kind(NamedTuple):
    """A distribution: how to draw n values, and its mean."""

    draw: Callable[[Random, int], Floats]
    mean: float


class Row(NamedTuple):
    """The performance of one method on one distribution at one number of cases."""

    kind: str
    cases: int
    method: str
    covered: float
    below: float
    above: float
    width: float
    studies: int


def _zeros(random: Random, n: int, share: float) -> Floats:
    found: Floats = np.where(random.random(n) < share, 0.0, random.lognormal(0, 1, n))
    return found


KINDS: Final[dict[str, Kind]] = {
    "normal": Kind(lambda random, n: random.normal(1, 1, n), 1.0),
    "exponential": Kind(lambda random, n: random.exponential(1, n), 1.0),
    "lognormal, sigma 0.5": Kind(lambda random, n: random.lognormal(0, 0.5, n), float(np.exp(0.125))),
    "lognormal, sigma 1": Kind(lambda random, n: random.lognormal(0, 1, n), float(np.exp(0.5))),
    "lognormal, sigma 1.5": Kind(lambda random, n: random.lognormal(0, 1.5, n), float(np.exp(1.125))),
    "half zero, else lognormal": Kind(lambda random, n: _zeros(random, n, 0.5), 0.5 * float(np.exp(0.5))),
    "80 % zero, else lognormal": Kind(lambda random, n: _zeros(random, n, 0.8), 0.2 * float(np.exp(0.5))),
}


def student(values: Floats) -> tuple[float, float] | None:
    """Student's t."""
    found = mean_pivot(values, np.ones(len(values)))
    return found.interval() if found else None


def hall(values: Floats) -> tuple[float, float] | None:
    """Hall's transformation, Satterthwaite's degrees of freedom."""
    found = skewed_mean_pivot(values, np.ones(len(values)))
    return found.interval() if found else None


def hall_n(values: Floats) -> tuple[float, float] | None:
    """Hall's transformation, n - 1 degrees of freedom."""
    found = skewed_mean_pivot(values, np.ones(len(values)))
    return found._replace(freedom=len(values) - 1).interval() if found else None


def bca(values: Floats) -> tuple[float, float] | None:
    """The bias-corrected and accelerated bootstrap."""
    if np.ptp(values) == 0:
        return None
    random = np.random.default_rng(len(values))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a degenerate resample, counted below as no interval
        found = stats.bootstrap((values,), np.mean, n_resamples=_RESAMPLES, method="BCa", rng=random)
    low, high = found.confidence_interval
    return (float(low), float(high)) if np.isfinite([low, high]).all() else None


METHODS: Final[dict[str, Callable[[Floats], tuple[float, float] | None]]] = {
    "t": student,
    "Hall, Satterthwaite": hall,
    "Hall, n - 1": hall_n,
    "BCa": bca,
}


def rows(kind: str, cases: int, studies: int) -> list[Row]:
    """Every method on the same studies."""
    random = np.random.default_rng([SEED, cases, list(KINDS).index(kind)])
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in METHODS}
    for _ in range(studies):
        values = KINDS[kind].draw(random, cases)
        for name, method in METHODS.items():
            if (reach := method(values)) is not None:
                ends[name].append(reach)
    found = []
    usual = np.median([high - low for low, high in ends["t"]])
    for name, held in ends.items():
        lows, highs = np.array(held).T
        below, above = float((highs < KINDS[kind].mean).mean()), float((lows > KINDS[kind].mean).mean())
        width = float(np.median(highs - lows) / usual)
        found.append(Row(kind, cases, name, 1 - below - above, below, above, width, len(held)))
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = [row for kind in KINDS for cases in CASES for row in rows(kind, cases, given.studies)]
    if given.json:
        print(json.dumps([row._asdict() for row in found]))
        return
    print("coverage (share below, share above the truth; width as a multiple of that of t)")
    print(f"{'':32}" + "".join(f"{name:>30}" for name in METHODS))
    for start in range(0, len(found), len(METHODS)):
        line = found[start : start + len(METHODS)]
        said = (f"{r.covered:.1%} ({r.below:.1%}, {r.above:.1%}; {r.width:.2f})" for r in line)
        print(f"{line[0].kind:26}{line[0].cases:>6}" + "".join(f"{one:>30}" for one in said))


if __name__ == "__main__":
    main()
