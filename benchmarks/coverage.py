"""Do 95 % intervals hold the truth in 95 % of studies? Simulated studies whose truth is known say.

`python benchmarks/coverage.py [--studies 2000] [--many] [--kind NAME]... [--json]` prints the share of
intervals of each kind that hold the truth, with its own interval (Wilson), at 30, 107 and 500 cases and at
shares of 0.05, 0.5 and 0.95. `--many` does so at 2,001 cases, where nothing is resampled, and also where one
answer in 300 is right. Repeats of a case share its difficulty (correlation 0.25, and 1 where they always
agree). Studies without a value are left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from osler.stats.cluster_t import Floats
from osler.stats.distributions import NORMAL
from osler.stats.intervals import Estimate, pass_power, per_success, ratio_interval, wilson
from osler.stats.judge_error import corrected_rate
from osler.stats.paired import MOST_RESAMPLED, Difference, paired, paired_per_success

CASES = (30, 107, 500)
SHARES = (0.05, 0.5, 0.95)
MANY = (MOST_RESAMPLED + 1,)
RARE_SHARES = (1 / 300, *SHARES)
REPEATS = 5
SEED = 20
Random = np.random.Generator
Reach = tuple[float | None, float | None]


class Kind(NamedTuple):
    """A kind of interval: `study` draws one study of `cases` cases with true `share`, and gives its interval;
    `truth` is what that interval ought to hold, `most` how many studies are enough where it is resampled."""

    study: Callable[[Random, int, float], Reach]
    truth: Callable[[float], float]
    most: int = 1_000_000


class Row(NamedTuple):
    """How often intervals of one kind held the truth, of `studies` that had one."""

    kind: str
    cases: int
    share: float
    covered: float | None
    studies: int


def covered(kind: Kind, cases: int, share: float, studies: int) -> tuple[float | None, int]:
    """The share of intervals that hold the truth, and how many there are."""
    random = np.random.default_rng([SEED, cases, round(share * 100)])
    truth = kind.truth(share)
    held = []
    for _ in range(studies):
        low, high = kind.study(random, cases, share)
        if low is not None and high is not None:
            held.append(low - 1e-6 <= truth <= high + 1e-6)
    return (sum(held) / len(held) if held else None), len(held)


def table(studies: int, kinds: dict[str, Kind] | None = None, *, many: bool = False) -> Iterator[Row]:
    """Every kind at every number of cases and every share."""
    for name, kind in (kinds or KINDS).items():
        most = studies if many else min(studies, kind.most)
        for cases in MANY if many else CASES:
            for share in RARE_SHARES if many else SHARES:
                yield Row(name, cases, share, *covered(kind, cases, share, most))


def _right(random: Random, cases: int, share: float) -> Floats:
    """(cases, repeats) answers, 1 right and 0 wrong; a case's answers correlate by 0.25."""
    able = random.beta(3 * share, 3 * (1 - share), (cases, 1))
    return (random.random((cases, REPEATS)) < able).astype(np.float64)


def _reach(found: Estimate | Difference) -> Reach:
    return found.low, found.high


def _wilson(random: Random, cases: int, share: float) -> Reach:
    return _reach(wilson(int(random.binomial(cases, share)), cases))


def _repeats(random: Random, cases: int, share: float) -> Reach:
    right = _right(random, cases, share)
    return _reach(ratio_interval(right.sum(axis=1), np.full(cases, REPEATS * 1.0), proportion=True))


def _uneven(random: Random, cases: int, share: float) -> Reach:
    """From 1 to 5 repeats of a case, as where some are unscored."""
    kept = np.arange(REPEATS) < random.integers(1, REPEATS + 1, (cases, 1))
    right = _right(random, cases, share) * kept
    return _reach(ratio_interval(right.sum(axis=1), kept.sum(axis=1).astype(np.float64), proportion=True))


def _agreeing(random: Random, cases: int, share: float) -> Reach:
    right = REPEATS * (random.random(cases) < share).astype(np.float64)
    return _reach(ratio_interval(right, np.full(cases, REPEATS * 1.0), proportion=True))


def _graded(random: Random, cases: int, share: float) -> Reach:
    """A share such as fact coverage, anywhere between 0 and 1."""
    graded = random.beta(4 * share, 4 * (1 - share), cases)
    return _reach(ratio_interval(graded, np.ones(cases), proportion=True))


def _skewed(random: Random, cases: int, share: float) -> Reach:
    """A figure such as cost: lognormal, with a case's share of its spread; `share` plays no part."""
    shared = random.normal(0, 0.4, (cases, 1))
    cost = np.exp(shared + random.normal(0, 0.4, (cases, REPEATS)))
    return _reach(ratio_interval(cost.sum(axis=1), np.full(cases, REPEATS * 1.0)))


def _per_success(random: Random, cases: int, share: float) -> Reach:
    right = (random.random(cases) < share).astype(np.float64)
    return _reach(per_success(random.gamma(4, 25, cases) * (1.2 - 0.4 * right), right))


def _pair(random: Random, cases: int, share: float, rise: float, repeats: int) -> Reach:
    """Two runs whose answers share half of what makes a case hard, and repeats a quarter of the rest."""
    hard = random.normal(size=(cases, 1))

    def run(right: float) -> Floats:
        own = random.normal(size=(cases, 1)) if repeats > 1 else 0.0
        rng = random.normal(size=(cases, repeats))
        rest = 0.5 * own + 0.75**0.5 * rng if repeats > 1 else rng
        answers: Floats = (0.5**0.5 * (hard + rest) < NORMAL.inv_cdf(right)).astype(np.float64).ravel()
        return answers

    names = np.repeat(np.arange(cases), repeats).astype(str).tolist()
    return _reach(paired(names, run(share), run(share + rise)))


def _rise(share: float) -> float:
    return 0.1 if share <= 0.5 else -0.1


def _paired_never_lost(random: Random, cases: int, share: float) -> Reach:
    """The second is right wherever the first is, and in one case in twenty where it is not."""
    first = (random.random(cases) < share * 0.95).astype(np.float64)
    gained = (random.random(cases) < 0.05 / (1 - share * 0.95)).astype(np.float64)
    return _reach(paired([str(n) for n in range(cases)], first, np.maximum(first, gained)))


def _paired_cost(random: Random, cases: int, share: float) -> Reach:
    hard = random.normal(0, 0.5, cases)
    first, second = (np.exp(hard + random.normal(0, 0.4, cases)) for _ in range(2))
    return _reach(paired([str(n) for n in range(cases)], first, second * 1.2))


def _paired_per_success(random: Random, cases: int, share: float) -> Reach:
    hard = random.random(cases)
    right = np.stack(
        [(hard < share), (np.where(random.random(cases) < 0.5, hard, random.random(cases)) < share)]
    )
    costs = random.gamma(4, [[25], [30]], (2, cases))
    found = paired_per_success([str(n) for n in range(cases)], costs.T, right.T.astype(np.float64))
    return _reach(found)


def _paired_per_success_skewed(random: Random, cases: int, share: float) -> Reach:
    """As `_paired_per_success`, but the costs have a long tail, and each case has three repeats."""
    repeats = 3
    hard, base = random.random((cases, 1)), random.normal(0, 0.6, (cases, 1))

    def run(price: float) -> tuple[Floats, Floats]:
        own, shared = random.random((2, cases, repeats)), random.random((cases, repeats)) < 0.5
        right = np.where(shared, hard, own[0]) < share
        cost = price * np.exp(base + random.normal(0, 0.8, (cases, repeats)))
        return cost.ravel(), right.astype(np.float64).ravel()

    (one, first), (other, second) = run(100), run(120)
    names = np.repeat(np.arange(cases), repeats).astype(str).tolist()
    return _reach(paired_per_success(names, np.stack([one, other], 1), np.stack([first, second], 1)))


def _corrected(random: Random, cases: int, share: float) -> Reach:
    """A judge that finds 85 % of right answers and 92 % of wrong ones, measured on 60 of each."""
    called = random.binomial(cases, share * 0.85 + (1 - share) * 0.08)
    sensitivity, specificity = int(random.binomial(60, 0.85)), int(random.binomial(60, 0.92))
    return _reach(corrected_rate(int(called), cases, (sensitivity, 60), (specificity, 60)))


def _pass_cubed(random: Random, cases: int, share: float) -> Reach:
    right = _right(random, cases, share).sum(axis=1).astype(int).tolist()
    return _reach(pass_power({str(n): (c, REPEATS) for n, c in enumerate(right)}, 3))


def _all_three(share: float) -> float:
    return share * (3 * share + 1) / 4 * (3 * share + 2) / 5


KINDS: dict[str, Kind] = {
    "right or wrong, once": Kind(_wilson, lambda share: share),
    "right or wrong, 5 repeats": Kind(_repeats, lambda share: share),
    "right or wrong, 1 to 5 repeats": Kind(_uneven, lambda share: share),
    "right or wrong, repeats agree": Kind(_agreeing, lambda share: share),
    "graded share, once": Kind(_graded, lambda share: share),
    "skewed mean, 5 repeats": Kind(_skewed, lambda share: float(np.exp(0.16))),
    "cost per success": Kind(_per_success, lambda share: 100 * (1.2 - 0.4 * share) / share),
    "pass^3 of 5": Kind(_pass_cubed, _all_three),
    "judge's errors corrected": Kind(_corrected, lambda share: share),
    "paired, no difference": Kind(lambda r, n, share: _pair(r, n, share, 0.0, 1), lambda share: 0.0),
    "paired, no difference, 5 repeats": Kind(
        lambda r, n, share: _pair(r, n, share, 0.0, REPEATS), lambda share: 0.0
    ),
    "paired, by 0.1": Kind(lambda r, n, share: _pair(r, n, share, _rise(share), 1), _rise),
    "paired, by 0.1, 5 repeats": Kind(lambda r, n, share: _pair(r, n, share, _rise(share), REPEATS), _rise),
    "paired, never lost": Kind(_paired_never_lost, lambda share: 0.05),
    "paired skewed mean": Kind(_paired_cost, lambda share: 0.2 * float(np.exp((0.25 + 0.16) / 2))),
    "paired cost per success": Kind(_paired_per_success, lambda share: 20 / share, most=400),
    "paired skewed cost per success": Kind(
        _paired_per_success_skewed, lambda share: 20 * float(np.exp(0.5)) / share, most=400
    ),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--many", action="store_true")
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    kinds = {name: KINDS[name] for name in given.kind or KINDS}
    shares = RARE_SHARES if given.many else SHARES
    rows = list(table(given.studies, kinds, many=given.many))
    if given.json:
        print(json.dumps([row._asdict() for row in rows]))
        return
    print(f"{'interval':34}{'cases':>6}" + "".join(f"{f'at {share:.2g}':>30}" for share in shares))
    for start in range(0, len(rows), len(shares)):
        line = rows[start : start + len(shares)]
        cells = "".join(f"{_shown(row):>30}" for row in line)
        print(f"{line[0].kind:34}{line[0].cases:>6}{cells}")


def _shown(row: Row) -> str:
    if row.covered is None:
        return "-"
    own = wilson(row.covered * row.studies, row.studies)
    return f"{row.covered:.1%} [{own.low:.1%}, {own.high:.1%}] of {row.studies:,}"


if __name__ == "__main__":
    main()
