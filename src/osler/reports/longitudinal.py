"""What a longitudinal study found, as one value: it is printed, drawn, and written as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from osler.reports.summary import Interval
from osler.seats.events import Frozen

QUESTION: Final = (
    "Does this doctor get better with experience, does it carry over to new cases, does it forget, and what "
    "did it cost?"
)
FIGURES: Final[dict[str, tuple[str, str]]] = {
    "acc": ("ACC", "mean score over all blocks after the last stage"),
    "bwt": ("BWT", "backward transfer: after the last stage minus just after learning"),
    "fwt": ("FWT", "forward transfer: just before learning a block minus without memory"),
    "forgetting": ("forgetting", "best score of an earlier stage minus the last"),
    "lca": ("LCA", "learning-curve area: mean of the scores before and after a block's cases"),
    "intransigence": ("intransigence", "oracle memory minus this, just after learning"),
    "anytime": ("anytime", "mean over stages of the mean over blocks seen by then"),
    "worst_case": ("worst case", "WC-ACC: the newest block, and the lowest score ever of the others"),
}
SHARES: Final = ("acc", "lca", "anytime", "worst_case")
"""Those of the figures that are shares; the others are differences."""
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
    "Sums over all streams and stages. Conditions: their held-out cases. Teaching, which all memories share: "
    "first and second attempts at the cases taught. Minutes are simulated; points are the tariff's."
)
RESAMPLING: Final = (
    "95 % intervals resample streams (order x seed) and cases; what both count is taken off "
    "(Cameron, Gelbach and Miller 2011). n counts pairs of stream and case. A figure that never varies has "
    "no interval."
)


class PlanShown(Frozen):
    """What was taught and probed. `blocks` are (name, cases to be taught from, probes); `taught` is how many
    cases a stream meets in all; `reserved` of the `held_out` cases are of diagnoses that nobody is taught."""

    blocks: tuple[tuple[str, int, int], ...]
    taught: int
    held_out: int
    reserved: int
    streams: int
    done: int


class Spent(Frozen):
    """Sums over all streams, stage by stage, of episodes, turns, tests, simulated minutes, tariff points and
    exchanges, and of the models in all seats the calls and tokens (`None` where one did not report them).
    `probing` is over the held-out cases of this condition; `teaching` over first and second attempts at the
    cases taught, which the conditions with a memory share. `per_correct` is points for a right conclusion, at
    held-out cases after the last stage."""

    probing: list[dict[str, int | None]]
    teaching: list[dict[str, int | None]]
    per_correct: float | None


class Gap(Interval):
    """A difference over `n` pairs, each of one case in one stream. Above 5 % unscored, `bounds` has it as if
    all those spoke against it, and for it."""

    bounds: tuple[float, float] | None = None


class Condition(Frozen):
    """One condition. `R[i][j]` is the score on a stream's j-th block after its stage i, over all streams.

    Metrics are of that mean matrix; `intervals` has each with its 95 % interval, `n` and `unscored` being
    probes times streams: one with any score missing that a metric looks at is left out. `transfer` is on
    held-out cases whose diagnosis the stream was taught, after the last stage, minus without memory;
    `negative_transfer` the share of all held-out cases that then score less than without. `retained[d]` is
    the score on a block d stages after it was learnt, over the blocks for which there is one. Cards are
    counted over all held-out cases after all stages, also of blocks not learnt yet; `memory_precision` is
    `cards_helpful` over those that could be judged. `unscored` is over all stages.
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
    intervals: dict[str, Interval]
    transfer: Gap
    transfer_uncovered: Gap
    negative_transfer: float | None
    memory_precision: float | None
    cards_given: int
    cards_helpful: int
    cards_unjudged: int
    memory_size: list[float]
    retained: list[Interval]
    unscored: int
    cost: Spent


class Compared(Frozen):
    """`condition` minus `against` after the last stage, on held-out cases that are `covered` or not."""

    condition: str
    against: str
    cases: Literal["covered", "uncovered"]
    difference: Gap


class StageShown(Frozen):
    """One stage: the score of the cases as they were taught (its `n` counts streams), of all probes after it
    by condition, and on its own block the update response (after minus before) and the retention (last stage
    minus then)."""

    stream: Interval
    probes: dict[str, Interval]
    response: Interval
    retention: Interval | None


class Audited(Frozen):
    """Whether no card was given that must not have been, over all retrievals of the study."""

    clean: bool
    retrievals: int
    cards: int
    violations: tuple[tuple[str, str, str], ...] = ()


class LongitudinalReport(Frozen):
    """One study, finished or not."""

    study: Literal["longitudinal"] = "longitudinal"
    question: str = QUESTION
    key: str
    design: dict[str, Any]
    cases: str
    cases_fingerprint: str
    status: Literal["done", "paused", "interrupted"]
    why: str = ""
    plan: PlanShown
    conditions: dict[str, Condition]
    compared: tuple[Compared, ...]
    stages: tuple[StageShown, ...]
    fates: list[dict[str, int]]
    audit: Audited
    resampling: str = RESAMPLING

    @property
    def label(self) -> str:
        """What the doctor is, where it is built in."""
        built_in = not str(self.design["doctor"]).startswith("model:")
        return "Built-in players: an instrument check, no evidence about medicine." if built_in else ""


def difference_words(found: Interval) -> str:
    """A difference with its interval, as text; as bounds where too many are unscored."""
    if isinstance(found, Gap) and found.bounds:
        return f"between {found.bounds[0]:+.3f} and {found.bounds[1]:+.3f}, too many unscored"
    return _with_interval(found, "+.3f")


def pairs_words(found: Gap) -> str:
    """The same with the number of pairs."""
    unscored = f", {found.unscored:,} unscored" if found.unscored else ""
    return f"{difference_words(found)}, n {found.n:,}{unscored}"


def costs(report: LongitudinalReport) -> Iterator[tuple[str, ...]]:
    """What each condition's held-out cases took in all, and the teaching of all: words a row, `COSTS`
    across."""
    for name, one in report.conditions.items():
        each = "-" if one.cost.per_correct is None else f"{one.cost.per_correct:.0f}"
        yield (name, *_totals(one.cost.probing), each)
    yield ("teaching", *_totals(report.conditions["memory"].cost.teaching), "-")


def _totals(stages: list[dict[str, int | None]]) -> Iterator[str]:
    for key in COSTS:
        counts = [stage[key] for stage in stages]
        known = [count for count in counts if count is not None]
        yield f"{sum(known):,}" if len(known) == len(counts) else "unknown"


def share_words(found: Interval) -> str:
    """A share with its interval, as text."""
    return _with_interval(found, ".3f")


def _with_interval(found: Interval, form: str) -> str:
    if found.value is None:
        return "-"
    value = format(found.value, form)
    if found.low is None or found.high is None:
        return f"{value} (no interval)"
    return f"{value} ({format(found.low, form)} to {format(found.high, form)})"
