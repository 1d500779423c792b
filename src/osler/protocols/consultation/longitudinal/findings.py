"""The report of a longitudinal study as one value, to be printed, drawn, or written as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from pydantic import Field

from osler.core.events import Frozen
from osler.stats.intervals import Bounded, Estimate

QUESTION: Final = (
    "Does this doctor get better with experience, does it carry over to new cases, does it forget, and what "
    "did it cost?"
)
FIGURES: Final[dict[str, tuple[str, str]]] = {
    "acc": ("ACC", "mean score over all blocks after the last stage"),
    "bwt": ("BWT", "backward transfer: after the last stage minus just after learning"),
    "fwt": ("FWT", "forward transfer: just before learning a block minus without memory"),
    "forgetting": ("forgetting", "best score of an earlier stage minus the last"),
    "lca": ("LCA", "learning-curve area: mean of the scores on a block before, within and after its cases"),
    "intransigence": ("intransigence", "oracle memory minus this, just after learning"),
    "anytime": ("anytime", "mean over stages of the mean over blocks seen by then"),
    "worst_case": ("worst case", "WC-ACC: the newest block, and the lowest score ever of the others"),
}
SHARES: Final = ("acc", "lca", "anytime", "worst_case")
"""The figures that are shares; all others are differences."""
COSTS: Final[dict[str, str]] = {
    "episodes": "episodes",
    "turns": "turns",
    "tests": "tests",
    "minutes": "minutes",
    "points": "points",
    "calls": "model calls",
    "prompt_tokens": "tokens sent",
    "completion_tokens": "tokens answered",
}
COST_NOTE: Final = (
    "Sums over all streams and stages. Conditions: their held-out cases, and the probes within blocks. "
    "Teaching, which all memories share: first and second attempts at the cases taught. Minutes are "
    "simulated; points are the tariff's. What a memory itself asks of models (summaries, vectors) is not in "
    "it."
)
RESAMPLING: Final = (
    "95 % intervals resample streams (order x seed) and cases; what both count is taken off "
    "(Cameron, Gelbach and Miller 2011). n counts pairs of stream and case. A figure that never varies has "
    "no interval."
)

ONE_STREAM: Final = (
    "Intervals are withheld: there is one stream, so one memory, and nothing tells how much another would "
    "differ. Take --orders 2 or --seeds 2 or more. n counts pairs of stream and case."
)


class PlanShown(Frozen):
    """The teaching and probing plan. `blocks` are (name, cases to be taught from, probes); `taught` is the
    total number of cases in a stream; `reserved` of the `held_out` cases have diagnoses that are never
    taught."""

    blocks: tuple[tuple[str, int, int], ...]
    taught: int
    held_out: int
    reserved: int
    streams: int
    done: int


class Spent(Frozen):
    """Costs per stage, summed over all streams: episodes, turns, tests, simulated minutes, tariff points and
    exchanges, and the calls and tokens of the models in all seats (`None` where one did not report them).
    `probing` covers the held-out cases of this condition; `teaching` covers first and second attempts at the
    cases taught, which all conditions with a memory share; `within` the probes within
    blocks. `per_correct` is tariff points per correct
    conclusion, on held-out cases after the last stage."""

    probing: list[dict[str, int | None]]
    within: list[dict[str, int | None]]
    teaching: list[dict[str, int | None]]
    per_correct: float | None


class Condition(Frozen):
    """One condition. `R[i][j]` is the mean score over all streams on block j after stage i.

    Metrics are computed from that matrix; `intervals` gives each with its 95 % interval. There `n` and
    `unscored` count (probe, stream) pairs; a pair that lacks any score the metric needs is left out.
    `transfer` is the score minus that without memory, after the last stage, on held-out cases whose diagnosis
    the stream was taught; `negative_transfer` is the share of all held-out cases that then score lower than
    without memory. `retained[d]` is the score on a block d stages after it was learnt, over the blocks that
    have one. Cards are counted over all held-out cases after all stages, including blocks not learnt yet;
    `memory_precision` is `cards_helpful` over the cards that could be judged. `unscored` is over all stages.
    """

    label: str
    R: list[list[float | None]]
    acc: float | None
    bwt: float | None
    fwt: float | None
    forgetting: float | None
    lca: float | None
    intransigence: float | None
    anytime: float | None
    worst_case: float | None
    intervals: dict[str, Estimate]
    transfer: Bounded
    transfer_uncovered: Bounded
    negative_transfer: float | None
    memory_precision: float | None
    cards_given: int
    cards_helpful: int
    cards_unjudged: int
    memory_size: list[float]
    retained: list[Estimate]
    unscored: int
    cost: Spent


class Compared(Frozen):
    """The difference `condition` minus `against` after the last stage, on held-out cases whose diagnosis was
    taught (`covered`) or not."""

    condition: str
    against: str
    cases: Literal["covered", "uncovered"]
    difference: Bounded


class StageShown(Frozen):
    """One stage: the score on the cases as they were taught (its `n` counts streams), the score on all probes
    after it by condition, and on its own block the update response (after minus before) and the retention
    (last stage minus this stage)."""

    stream: Estimate
    probes: dict[str, Estimate]
    response: Estimate
    retention: Estimate | None


class Audited(Frozen):
    """The leak audit: whether every card retrieved in the study was one that may be given."""

    clean: bool
    retrievals: int
    cards: int
    violations: tuple[tuple[str, str, str], ...] = ()


class LongitudinalReport(Frozen):
    """The report of one study, finished or not."""

    study: Literal["longitudinal"] = "longitudinal"
    question: str = QUESTION
    key: str
    design: dict[str, Any]
    cases: str
    cases_fingerprint: str
    headline: str
    """The feedback that the memory was written under, and how it is searched."""
    curve: str
    """What the learning-curve area is computed from."""
    status: Literal["done", "paused", "interrupted"]
    why: str = ""
    plan: PlanShown
    conditions: dict[str, Condition]
    compared: tuple[Compared, ...]
    stages: tuple[StageShown, ...]
    fates: list[dict[str, int]]
    audit: Audited
    resampling: str = RESAMPLING
    human_anchor: dict[str, Any] = Field(default_factory=dict)
    """The ratings by people that the judge's scores rest on, in words under `line`."""

    @property
    def label(self) -> str:
        """The disclaimer that the doctor is a built-in player; empty for a model."""
        built_in = not str(self.design["doctor"]).startswith("model:")
        return "Built-in players: an instrument check, no evidence about medicine." if built_in else ""


def difference_words(estimate: Estimate) -> str:
    """Format a difference with its interval; as bounds where too many pairs are unscored."""
    if isinstance(estimate, Bounded) and estimate.bounds:
        return f"between {estimate.bounds[0]:+.3f} and {estimate.bounds[1]:+.3f}, too many unscored"
    return _with_interval(estimate, "+.3f")


def pairs_words(found: Bounded) -> str:
    """Format a difference with its interval and the number of pairs."""
    unscored = f", {found.unscored:,} unscored" if found.unscored else ""
    return f"{difference_words(found)}, n {found.n:,}{unscored}"


def costs(report: LongitudinalReport) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the cost table, with columns as in `COSTS`: the total of each condition's held-out
    cases, then that of the teaching they share."""
    for name, one in report.conditions.items():
        each = "-" if one.cost.per_correct is None else f"{one.cost.per_correct:.0f}"
        yield (name, *_totals(one.cost.probing + one.cost.within), each)
    yield ("teaching", *_totals(report.conditions["memory"].cost.teaching), "-")


def _totals(stages: list[dict[str, int | None]]) -> Iterator[str]:
    for key in COSTS:
        counts = [stage[key] for stage in stages]
        known = [count for count in counts if count is not None]
        yield f"{sum(known):,}" if len(known) == len(counts) else "unknown"


def share_words(estimate: Estimate) -> str:
    """Format a share with its interval."""
    return _with_interval(estimate, ".3f")


def _with_interval(estimate: Estimate, form: str) -> str:
    if estimate.value is None:
        return "-"
    value = format(estimate.value, form)
    if estimate.low is None or estimate.high is None:
        return f"{value} (no interval)"
    return f"{value} ({format(estimate.low, form)} to {format(estimate.high, form)})"
