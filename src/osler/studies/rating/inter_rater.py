"""Inter-rater agreement on an item: exact, Krippendorff's alpha, weighted kappa, intraclass correlation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations

from osler.core.events import Frozen
from osler.stats.agreement import alpha, kappa
from osler.stats.icc import icc
from osler.studies.rating.figures import FEWEST, ONE_RATER, Figure, figure, share
from osler.studies.rating.scales import ScaleItem


class BetweenRaters(Frozen):
    """Inter-rater agreement on an item, over the episodes that two or more raters rated.

    `exact` is the share of pairs of ratings on the same level, `within_one` of those at most one level apart;
    `alpha` is Krippendorff's alpha, ordinal; `kappa` is quadratically weighted, keyed "one / other", for each
    pair of raters who share an episode. The intraclass correlations are over raters with at least `FEWEST`
    ratings and the episodes that all of these rated, and not clustered.
    """

    exact: Figure
    within_one: Figure
    alpha: Figure
    kappa: dict[str, Figure]
    icc_single: Figure
    icc_average: Figure


def between_raters(
    item: ScaleItem, cases: Sequence[str], levels: Sequence[Sequence[int | None]], raters: Sequence[str]
) -> BetweenRaters:
    """Compute the agreement; `levels` has a row for each rated episode and a column for each rater."""
    alone = ONE_RATER if len(raters) < 2 else ""
    gaps = [[abs(a - b) for a, b in combinations(_given(row), 2)] for row in levels]
    shared = [(case, mine) for case, mine in zip(cases, gaps, strict=True) if mine]
    n, left = len(shared), len(levels) - len(shared)

    def within(most: int) -> Figure:
        values = [sum(gap <= most for gap in mine) / len(mine) for _, mine in shared]
        return share([case for case, _ in shared], values, left, alone)

    busy = [at for at in range(len(raters)) if sum(row[at] is not None for row in levels) >= FEWEST]
    scored = [[row[at] for at in busy] for row in levels]
    complete = sum(None not in row for row in scored) if len(busy) > 1 else 0
    missing = len(levels) - complete
    return BetweenRaters(
        exact=within(0),
        within_one=within(1),
        alpha=figure(n, left, lambda: alpha(levels, "ordinal", cases), alone),
        kappa=_kappas(item, cases, levels, raters),
        icc_single=figure(complete, missing, lambda: icc(scored).single, alone),
        icc_average=figure(complete, missing, lambda: icc(scored).average, alone),
    )


def _kappas(
    item: ScaleItem, cases: Sequence[str], levels: Sequence[Sequence[int | None]], raters: Sequence[str]
) -> dict[str, Figure]:
    """Weighted kappa of each pair of raters who share an episode."""
    order, figures = range(item.top + 1), dict[str, Figure]()
    for one, other in combinations(range(len(raters)), 2):
        first, second = [row[one] for row in levels], [row[other] for row in levels]
        if both := sum(None not in two for two in zip(first, second, strict=True)):
            agreed = partial(kappa, first, second, order, "quadratic", cases)
            figures[f"{raters[one]} / {raters[other]}"] = figure(both, len(levels) - both, agreed)
    return figures


def _given(row: Sequence[int | None]) -> list[int]:
    return [level for level in row if level is not None]
