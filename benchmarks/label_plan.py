"""Do few human labels correct the difference between two judged runs, and does the plan for them hold?

`python benchmarks/label_plan.py [--studies 2000] [--json]` simulates studies whose truth is known. Two runs
answer the same cases; a judge scores every episode, and people label some cases drawn at random, in both runs
or, where `apart`, other cases in each. The judges: `fair` errs in one answer of ten, `partial` also forgives
the second run half of its wrong answers, `useless` tosses a coin. Answers are right or wrong, or marks.
For each it prints how often the 95 % interval holds people's difference, with its own interval (Wilson): the
corrected one, and the judge's own, paired; and both widths, beside that of the labelled alone.
Then the two-stage design: a pilot of labels, the number planned from it for a wanted width, as many labels:
how often the interval holds the truth, and how often it is as narrow as wanted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.stats.cluster_t import Floats
from osler.stats.intervals import wilson
from osler.stats.judged_difference import Side, corrected_difference, labels_needed
from osler.stats.paired import paired

SEED = 40
TRUTH = 0.1
"""What people would find: the second run is better by ten points."""
Random = np.random.Generator
Order = NDArray[np.int64]
Chosen = NDArray[np.bool_]


class Design(NamedTuple):
    """A simulated study: its judge, cases, repeats of each, cases labelled, whether those differ between the
    runs, and whether scores are marks on five levels instead of right or wrong."""

    judge: str
    cases: int
    labelled: int
    repeats: int = 1
    apart: bool = False
    marks: bool = False

    @property
    def step(self) -> float:
        """The least difference between two labels."""
        return 0.25 if self.marks else 1.0


DESIGNS = (
    *(Design(judge, 300, labelled) for judge in ("fair", "partial", "useless") for labelled in (20, 50, 150)),
    Design("partial", 100, 30, repeats=3),
    Design("partial", 300, 50, apart=True),
    Design("partial", 300, 50, marks=True),
    Design("partial", 2000, 100),
    Design("partial", 60, 60),
)


class Row(NamedTuple):
    """How often intervals held the truth in simulated studies, and their mean widths."""

    design: Design
    corrected: tuple[float, float, float]
    judge: float
    widths: tuple[float, float, float]
    studies: int


class Planned(NamedTuple):
    """The two-stage design: how often the interval held the truth and was as narrow as wanted, the mean
    number of cases labelled, and in how many studies no number would have done."""

    design: Design
    width: float
    covered: tuple[float, float, float]
    narrow: float
    labelled: float
    unreachable: int
    studies: int


class Study(NamedTuple):
    """One simulated study: each pair's case, and (people, judge) of both runs."""

    cases: list[str]
    first: tuple[Floats, Floats]
    second: tuple[Floats, Floats]


def study(random: Random, design: Design) -> Study:
    """Draw one study. A case's difficulty is shared by both runs and by its repeats."""
    able = np.repeat(random.beta(2, 2, design.cases) * 0.8 + 0.05, design.repeats)
    runs = [_run(random, design, np.clip(able + more, 0, 1), more > 0) for more in (0.0, TRUTH)]
    names = np.repeat(np.arange(design.cases), design.repeats).astype(str).tolist()
    return Study(names, runs[0], runs[1])


def _run(random: Random, design: Design, able: Floats, favoured: bool) -> tuple[Floats, Floats]:
    shape = able.shape
    if design.marks:  # four chances, so that the mean of the marks is `able`
        people = random.binomial(4, able) / 4
        seen = people + random.choice([-0.25, 0, 0, 0.25], shape)
        seen = seen + 0.25 * (favoured and design.judge == "partial")
        return people, np.clip(seen, 0, 1)
    people = (random.random(shape) < able).astype(np.float64)
    if design.judge == "useless":
        return people, (random.random(shape) < 0.5).astype(np.float64)
    judged = np.where(random.random(shape) < 0.1, 1 - people, people)
    if favoured and design.judge == "partial":
        judged = np.where((people == 0) & (random.random(shape) < 0.5), 1.0, judged)
    return people, judged


def sides(drawn: Study, chosen: tuple[Chosen, Chosen]) -> tuple[Side, Side]:
    """The two runs as they are known once the chosen episodes (True) are labelled."""
    both = zip((drawn.first, drawn.second), chosen, strict=True)
    first, second = (Side(judge, np.where(taken, people, np.nan)) for (people, judge), taken in both)
    return first, second


def chosen_cases(order: Order, design: Design, labelled: int) -> tuple[Chosen, Chosen]:
    """Which episodes are labelled in each run: those of the first cases of a random order, or, `apart`, of
    the first and of the last."""
    ends = (order[:labelled], order[-labelled:] if design.apart else order[:labelled])
    first, second = (np.repeat(np.isin(np.arange(design.cases), end), design.repeats) for end in ends)
    return first, second


def row(design: Design, studies: int) -> Row:
    """Simulate studies of one design."""
    random = np.random.default_rng([SEED, design.cases, design.labelled])
    held, own, widths = 0, 0, np.zeros(3)
    for _ in range(studies):
        drawn = study(random, design)
        chosen = chosen_cases(random.permutation(design.cases), design, design.labelled)
        first, second = sides(drawn, chosen)
        found = corrected_difference(drawn.cases, first, second, design.step)
        alone = paired(drawn.cases, first.judged, second.judged, marks=design.marks)
        both = paired(drawn.cases, first.rated, second.rated, marks=design.marks)
        held += holds(found.low, found.high)
        own += holds(alone.low, alone.high)
        widths += [_width(one.low, one.high) for one in (found, alone, both)]
    mean = (widths / studies).round(3).tolist()
    return Row(design, share(held, studies), own / studies, (mean[0], mean[1], mean[2]), studies)


def planned(design: Design, width: float, studies: int) -> Planned:
    """Simulate the two-stage design: `labelled` is the pilot."""
    random = np.random.default_rng([SEED, design.cases, design.labelled, 2])
    held, narrow, unreachable, used = 0, 0, 0, list[int]()
    for _ in range(studies):
        drawn, order = study(random, design), random.permutation(design.cases)
        pilot = sides(drawn, chosen_cases(order, design, design.labelled))
        plan = labels_needed(drawn.cases, *pilot, design.step, width)
        if plan is None or plan.cases is None:
            unreachable += 1
            continue
        whole = sides(drawn, chosen_cases(order, design, plan.cases))
        found = corrected_difference(drawn.cases, *whole, design.step)
        held += holds(found.low, found.high)
        narrow += _width(found.low, found.high) <= width
        used.append(plan.cases)
    n = len(used)
    mean = round(sum(used) / n, 1) if n else float("nan")
    return Planned(design, width, share(held, n), narrow / n if n else 0.0, mean, unreachable, n)


def holds(low: float | None, high: float | None) -> bool:
    """Whether an interval holds the truth."""
    return low is not None and high is not None and low <= TRUTH <= high


def share(held: int, studies: int) -> tuple[float, float, float]:
    """The share of studies, with Wilson's interval."""
    found = wilson(held, studies)
    return found.value or 0.0, found.low or 0.0, found.high or 0.0


def _width(low: float | None, high: float | None) -> float:
    return float("nan") if low is None or high is None else high - low


PLANS = (
    (Design("fair", 1000, 30), 0.15),
    (Design("partial", 1000, 30), 0.2),
    (Design("partial", 1000, 50), 0.2),
    (Design("partial", 300, 30, repeats=3), 0.2),
    (Design("partial", 1000, 30, marks=True), 0.08),
)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rows = [row(design, asked.studies) for design in DESIGNS]
    plans = [planned(design, width, asked.studies) for design, width in PLANS]
    if asked.json:
        table = [
            [{**one._asdict(), "design": one.design._asdict()} for one in part] for part in (rows, plans)
        ]
        print(json.dumps({"rows": table[0], "plans": table[1]}))
        return
    print("\n".join([*_lines(rows), "", *_planned_lines(plans)]))


def _words(design: Design) -> str:
    what = f"{design.judge:8} {design.cases:5} cases x {design.repeats}, {design.labelled:4} labelled"
    return what + (" apart" if design.apart else "") + (" marks" if design.marks else "")


def _lines(rows: list[Row]) -> Iterator[str]:
    yield "design: corrected holds the truth; the judge's own; widths: corrected, judge, labelled alone"
    for one in rows:
        value, low, high = one.corrected
        widths = " ".join(f"{width:.3f}" for width in one.widths)
        yield f"{_words(one.design):48} {value:.1%} ({low:.1%} to {high:.1%})  {one.judge:6.1%}  {widths}"


def _planned_lines(plans: list[Planned]) -> Iterator[str]:
    yield "pilot, wanted width: holds the truth; as narrow as wanted; cases labelled; not to be had"
    for one in plans:
        value, low, high = one.covered
        reach = f"{value:.1%} ({low:.1%} to {high:.1%})"
        rest = f"{one.narrow:6.1%} {one.labelled:7} {one.unreachable:5}"
        yield f"{_words(one.design):48} {one.width:.2f}  {reach} {rest}"


if __name__ == "__main__":
    main()
