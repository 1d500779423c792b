"""One score of the same episodes by several judges as a table, and the figures that are read from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.core.events import Frozen
from osler.core.measure import NOTHING, Measure, Ratio, Value
from osler.runs.measure_sums import MeasureSums
from osler.stats.agreement import ac1, kappa
from osler.stats.cluster_t import Floats
from osler.stats.icc import icc
from osler.stats.intervals import Estimate, mean_interval
from osler.stats.paired import Difference
from osler.stats.rank_correlation import rank_correlation
from osler.studies.compare import difference_of
from osler.studies.rating.figures import Figure, figure, share

MOST_RANKED: Final = 2_000
"""The most episodes over which ranks are correlated; of more, as many that are evenly spaced."""
_TWO: Final = 2


class ScoreTable(NamedTuple):
    """One score of some episodes by several judges: each episode's key (run id, ordinal) and case, and
    `parts`, (episodes, judges, part and whole) as `osler.studies.compare.parts_of` gives them."""

    measure: Measure
    judges: tuple[str, ...]
    keys: tuple[tuple[int, int], ...]
    cases: tuple[str, ...]
    parts: NDArray[np.float64]

    @property
    def plain(self) -> Floats:
        """(episodes, judges): the score of each episode as a number, NaN where it has none."""
        part, whole = self.parts[:, :, 0], self.parts[:, :, 1]
        return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)

    @property
    def right_or_wrong(self) -> bool:
        """Whether every score is 0 or 1, in a share."""
        result = self.plain
        return self.measure.share and bool(np.isin(result[~np.isnan(result)], (0.0, 1.0)).all())

    def of_run(self, run_id: int) -> ScoreTable:
        """The episodes of one run."""
        return self.of([at for at, (run, _) in enumerate(self.keys) if run == run_id])

    def of(self, rows: Sequence[int]) -> ScoreTable:
        """Some of its episodes."""
        keys, cases = tuple(self.keys[at] for at in rows), tuple(self.cases[at] for at in rows)
        return self._replace(keys=keys, cases=cases, parts=self.parts[list(rows)])

    def headline(self, judge: int) -> Estimate:
        """The estimate of the score by one judge, over all episodes that it scored."""
        sums = MeasureSums([self.measure])
        for case, (part, whole) in zip(self.cases, self.parts[:, judge].tolist(), strict=True):
            sums.add(case, [self._value(part, whole)])
        return sums.results()[self.measure.name]

    def difference(self, first: int, second: int) -> Difference:
        """The paired difference of two judges, second minus first, over what both scored."""
        return difference_of(self.measure, self.cases, self.parts[:, [first, second]])

    def _value(self, part: float, whole: float) -> Value:
        if np.isnan(part):
            return None
        if np.isnan(whole):
            return NOTHING
        return Ratio(part, whole) if self.measure.ratio else part


class JudgeAgreement(Frozen):
    """The agreement of two judges. Of right or wrong it is the share of the same verdicts, Cohen's kappa and
    Gwet's AC1; of any other score ICC(2,1), absolute and not clustered, and Spearman's rank correlation."""

    same: Figure | None = None
    kappa: Figure | None = None
    ac1: Figure | None = None
    icc: Figure | None = None
    ranks: Figure | None = None


class Jury(Frozen):
    """The verdict of all judges together: by `majority` where an odd number says right or wrong, else their
    `mean`. `spread` is the mean over episodes of the highest minus the lowest score, `unanimous` the share of
    episodes in which all say the same. What a judge left unscored has no jury."""

    by: Literal["majority", "mean"]
    headlines: dict[str, Estimate]
    spread: Estimate
    unanimous: Figure


def agreement_of_two(table: ScoreTable, first: int, second: int) -> JudgeAgreement:
    """The agreement of two judges over the episodes that both scored."""
    plain = table.plain[:, [first, second]]
    scored = ~np.isnan(plain.sum(axis=1))
    n, left = int(scored.sum()), int((~scored).sum())
    one, other = plain[scored, 0].tolist(), plain[scored, 1].tolist()
    cases = [case for case, there in zip(table.cases, scored.tolist(), strict=True) if there]
    if table.right_or_wrong:
        verdicts = (0.0, 1.0)
        return JudgeAgreement(
            same=share(cases, [float(a == b) for a, b in zip(one, other, strict=True)], left),
            kappa=figure(n, left, lambda: kappa(one, other, verdicts, clusters=cases)),
            ac1=figure(n, left, lambda: ac1(one, other, verdicts, clusters=cases)),
        )
    return JudgeAgreement(
        icc=figure(n, left, lambda: icc(list(zip(one, other, strict=True))).single),
        ranks=ranks_of(table.cases, plain[:, 0], plain[:, 1]),
    )


def ranks_of(cases: Sequence[str], first: Floats, second: Floats) -> Figure:
    """Spearman's correlation over the episodes that have both values."""
    both = np.flatnonzero(~(np.isnan(first) | np.isnan(second)))
    left = len(first) - len(both)
    if len(both) > MOST_RANKED:
        both = both[np.linspace(0, len(both) - 1, MOST_RANKED).astype(np.intp)]
    tolists = [cases[at] for at in both.tolist()]
    return figure(len(both), left, lambda: rank_correlation(first[both], second[both], tolists))


def jury_scores(table: ScoreTable) -> Floats | None:
    """The jury's score of each episode, NaN where a judge has none; `None` for a ratio of sums, of which an
    episode is only a part."""
    if table.measure.ratio:
        return None
    plain = table.plain
    mean: Floats = plain.mean(axis=1)
    if _majority(table):
        return np.where(np.isnan(mean), np.nan, np.round(mean))
    return mean


def jury_of(table: ScoreTable, runs: Sequence[tuple[int, str]]) -> Jury | None:
    """The jury over all episodes, its headline for each run (id, name)."""
    scores = jury_scores(table)
    if scores is None:
        return None
    plain = table.plain
    there = ~np.isnan(scores)
    left = int((~there).sum())
    gaps = plain.max(axis=1) - plain.min(axis=1)
    cases = [case for case, each in zip(table.cases, there, strict=True) if each]
    ids = np.array([run for run, _ in table.keys])
    return Jury(
        by="majority" if _majority(table) else "mean",
        headlines={name: _mean(table, scores, ids == run) for run, name in runs},
        spread=_mean(table, gaps, np.full(len(ids), True)),
        unanimous=share(cases, (gaps[there] == 0).astype(float).tolist(), left),
    )


def _majority(table: ScoreTable) -> bool:
    return table.right_or_wrong and len(table.judges) % _TWO == 1


def _mean(table: ScoreTable, values: Floats, among: NDArray[np.bool_]) -> Estimate:
    by_case: dict[str, list[float]] = {}
    for at in np.flatnonzero(among & ~np.isnan(values)).tolist():
        by_case.setdefault(table.cases[at], []).append(float(values[at]))
    unscored = int((among & np.isnan(values)).sum())
    return mean_interval(by_case, unscored, proportion=table.measure.share)
