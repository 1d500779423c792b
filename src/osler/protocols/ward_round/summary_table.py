"""The summary of a run of ward rounds: gains, leaks, participation and marks, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.core.events import Frozen
from osler.protocols.ward_round.judge.built_in_marks import PROXIES
from osler.protocols.ward_round.judge.figures import figures
from osler.protocols.ward_round.judge.round_judgement import RoundJudgement
from osler.reports.tables import interval, number
from osler.stats.intervals import Estimate, mean_interval
from osler.text.hostile import safe

SIMULATED: Final = (
    "Students are simulated, and so is their gain; marks by proxy count words."
    " They check the instrument and are no evidence about teaching. For education and research only."
)
NOBODY: Final = "nobody"
ANEW: Final = " of this version; osler judge run judges it again"
GAINS: Final = ("learning_gain", "step_gain", "answer_gain")
INF: Final = float("inf")
_MARKS: Final = (1.0, 10.0)
_SHARES: Final = frozenset({"leak_rate", "participation", "uptake"})


class TeachingSummary(Frozen):
    """The results of a run of ward rounds.

    `learning_gain` is over unseen sibling questions, `step_gain` over the steps' key questions (by words),
    `answer_gain` over the case's own question where guidance did not name the answer. `rejected` counts
    drafts by "reviewer: kind of fault"; `wall_s` is wall-clock seconds.
    """

    run: str
    episodes: int
    ended: dict[str, int]
    learning_gain: Estimate
    step_gain: Estimate
    answer_gain: Estimate
    leak_rate: Estimate
    participation: Estimate
    uptake: Estimate
    steps_per_round: Estimate
    ets_proxy: Estimate
    msm_proxy: Estimate
    mps_proxy: Estimate
    rejected: dict[str, int]
    unguided_rounds: int
    exchanges: int
    wall_s: float
    grader: str
    label: str = SIMULATED

    def figures(self) -> dict[str, Estimate]:
        """Return every figure that has an interval, by name."""
        return {name: value for name, value in self if isinstance(value, Estimate)}


def teaching_summary(
    run: str,
    ended: Mapping[str, int],
    judgements: Sequence[RoundJudgement],
    *,
    exchanges: int,
    wall_s: float,
    grader: str,
) -> TeachingSummary:
    """Summarize a run. Episodes without a judgement count as unscored."""
    found = figures([each.outcomes for each in judgements])
    missing = sum(ended.values()) - len(judgements)
    estimates = {
        **{name: getattr(found, name) for name in (*GAINS, "leak_rate", "participation", "uptake")},
        "steps_per_round": found.steps_per_round,
        **{name: _marks(judgements, name) for name in PROXIES},
    }
    return TeachingSummary(
        run=run,
        episodes=sum(ended.values()),
        ended=dict(sorted(ended.items())),
        **{name: _interval(name, each, missing) for name, each in estimates.items()},
        rejected=found.rejected,
        unguided_rounds=found.unguided_rounds,
        exchanges=exchanges,
        wall_s=round(wall_s, 3),
        grader=grader,
    )


def teaching_table(summary: TeachingSummary) -> RenderableType:
    """Return the summary as a terminal table."""
    table = Table()
    for place, column in enumerate(("figure", "mean", "95 % interval", "scored", "unscored")):
        table.add_column(Text(column), justify="right" if place else "left")
    for name, found in summary.figures().items():
        share = name in _SHARES
        cells = (number(found.value, share), interval(found, share), f"{found.n:,}", f"{found.unscored:,}")
        table.add_row(*(Text(cell) for cell in (name.replace("_", " "), *cells)))
    ended = ", ".join(f"{count:,} {status}" for status, count in summary.ended.items())
    rejected = ", ".join(f"{count:,} by {who}" for who, count in summary.rejected.items()) or "none"
    return Group(
        Text(f"Run {safe(summary.run)}: {summary.episodes:,} ward rounds ({safe(ended)})"),
        Text(f"{summary.exchanges:,} exchanges; this session took {summary.wall_s:,.1f} s"),
        Text(f"Judged by {safe(summary.grader)}{'' if summary.grader != NOBODY else ANEW}", end="\n\n"),
        table,
        Text(f"Drafts rejected: {safe(rejected)}; rounds without guidance: {summary.unguided_rounds:,}"),
        Text(safe(summary.label), "italic"),
    )


def _marks(judgements: Sequence[RoundJudgement], name: str) -> Estimate:
    values: dict[str, list[float]] = {}
    unscored = 0
    for each in judgements:
        mark = each.proxies[name].value
        if mark is None:
            unscored += 1
        else:
            values.setdefault(each.outcomes.case, []).append(mark)
    return mean_interval(values, unscored)


def _interval(name: str, found: Estimate, missing: int) -> Estimate:
    """Return an interval with its ends clipped to the figure's range."""
    least, most = _MARKS if name in PROXIES else (-INF, 1.0) if name in GAINS else (0.0, INF)
    return replace(found.within(least, most), unscored=found.unscored + missing)
