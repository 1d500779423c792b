"""The summary of a run of ward rounds, with the same figures after any number of sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Final, NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.core.events import Frozen
from osler.core.measure import Scored
from osler.core.summary import Summary
from osler.protocols.ward_round.judge.outcomes import Outcomes
from osler.protocols.ward_round.judge.round_judgement import GRADER, VERSION, RoundJudgement, judgement_of
from osler.protocols.ward_round.measures import MEASURES
from osler.reports.cells import interval, number, without_interval
from osler.runs.judged_episodes import Grader, judged_episodes
from osler.runs.measured import Measured, estimates
from osler.stats.intervals import Estimate
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.text.hostile import safe

SIMULATED: Final = (
    "Students are simulated, and so is their gain; marks by proxy count words."
    " They check the instrument and are no evidence about teaching. For education and research only."
)
_SHOWN: Final = tuple(measure for measure in MEASURES if not measure.traced)
NOBODY: Final = "nobody"
ANEW: Final = " of this version; osler judge run judges it again"


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
    mean_proxy: Estimate
    facts_claimed_not_told: Estimate
    facts_told_not_claimed: Estimate
    rejected: dict[str, int]
    unguided_rounds: int
    exchanges: int
    wall_s: float
    grader: str
    label: str = SIMULATED

    def figures(self) -> dict[str, Estimate]:
        """Return every figure that has an interval, by the name of its measure."""
        return {name: value for name, value in self if isinstance(value, Estimate)}


class Taught(NamedTuple):
    """A stored run of ward rounds: its episodes with their measures, their judgements by ordinal, and the
    grader."""

    episodes: list[Measured]
    judgements: dict[int, RoundJudgement]
    grader: str


def taught(run: RunInfo, store: Store) -> Taught:
    """Read a run back. Judgements by an earlier version of the judge count as unscored."""
    episodes: list[Measured] = []
    judgements: dict[int, RoundJudgement] = {}
    for row, stored in judged_episodes(run, store):
        found = next((one for one in stored if one.grader == GRADER and one.version == VERSION), None)
        judged = judgement_of(found.body) if found else None
        if judged is not None:
            judgements[row.ordinal] = judged
        scored = Scored(row, None, partial(store.trace, run.id, row.ordinal), judged)
        values = tuple(measure.of(scored) for measure in _SHOWN)
        episodes.append(Measured(row, values, VERSION if judged else "", row.case_hash))
    return Taught(episodes, judgements, f"{GRADER} {VERSION}" if judgements else NOBODY)


def summarize_rounds(run: RunInfo, store: Store, wall_s: float) -> TeachingSummary:
    """Summarize a run of ward rounds from the store."""
    found = taught(run, store)
    outcomes = [one.outcomes for one in found.judgements.values() if one.outcomes.scored]
    ended = Counter(str(one.row.status) for one in found.episodes)
    return TeachingSummary(
        run=run.name,
        episodes=len(found.episodes),
        ended=dict(sorted(ended.items())),
        **estimates(found.episodes, _SHOWN),
        rejected=rejections(outcomes),
        unguided_rounds=sum(one.unguided for one in outcomes),
        exchanges=sum(one.row.exchanges for one in found.episodes),
        wall_s=round(wall_s, 3),
        grader=found.grader,
    )


def rejections(outcomes: Iterable[Outcomes]) -> dict[str, int]:
    """Return the numbers of drafts rejected, by "reviewer: kind of fault"."""
    found = sum((one.rejected for one in outcomes), Counter[tuple[str, str]]())
    return {f"{by}: {issue}": times for (by, issue), times in sorted(found.items())}


def summary(run: RunInfo, store: Store, wall_s: float, grader: Grader | None = None) -> Summary:
    """Return the summary of a run under the built-in judge."""
    found = summarize_rounds(run, store, wall_s)
    return Summary(found.model_dump(mode="json"), lambda: teaching_table(found), found.label)


def teaching_table(summary: TeachingSummary) -> RenderableType:
    """Return the summary as a terminal table."""
    shares = {measure.name: measure.share for measure in MEASURES}
    table = Table()
    for place, column in enumerate(("figure", "mean", "95 % interval", "scored", "unscored")):
        table.add_column(Text(column), justify="right" if place else "left")
    for name, found in summary.figures().items():
        share = shares[name]
        cells = (number(found.value, share), interval(found, share), f"{found.n:,}", f"{found.unscored:,}")
        table.add_row(*(Text(cell) for cell in (name.replace("_", " "), *cells)))
    ended = ", ".join(f"{count:,} {status}" for status, count in summary.ended.items())
    rejected = ", ".join(f"{count:,} by {who}" for who, count in summary.rejected.items()) or "none"
    return Group(
        Text(f"Run {safe(summary.run)}: {summary.episodes:,} ward rounds ({safe(ended)})"),
        Text(f"{summary.exchanges:,} exchanges; this session took {summary.wall_s:,.1f} s"),
        Text(f"Judged by {safe(summary.grader)}{'' if summary.grader != NOBODY else ANEW}", end="\n\n"),
        table,
        *map(Text, without_interval(summary.figures().values())),
        Text(f"Drafts rejected: {safe(rejected)}; rounds without guidance: {summary.unguided_rounds:,}"),
        Text(safe(summary.label), "italic"),
    )
