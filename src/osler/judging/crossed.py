"""Figures over streams that all meet the same cases: both are resampled.

A stream (an order and a seed) shares one memory over all its cases, and a case is met by every stream, so
neither scores of a stream nor those of a case are independent. The variance of a figure is

    V = V(streams resampled) + V(cases resampled) - V(single scores resampled)

each from 1,000 bootstrap resamples with a fixed seed and corrected for few clusters by n / (n - 1); the last
term takes off what the first two both count. The interval is value -+ t * sqrt(V), with degrees of freedom
after Satterthwaite. Source: Cameron, Gelbach and Miller 2011 (multiway clustering). Resampling streams and
cases at once instead (Owen 2007) would count what is left to chance in single scores three times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.judging.distributions import t_quantile
from osler.judging.statistics import Estimate, estimate

Floats = NDArray[np.float64]
RESAMPLES: Final = 1_000
_SEED: Final = 2011
_FEWEST: Final = 2


class Crossed(NamedTuple):
    """Weights of resamples: (resamples, streams * cases) each, row by row of streams."""

    streams: int
    cases: int
    by_stream: Floats
    by_case: Floats
    by_score: Floats


def crossed(streams: int, strata: Sequence[int], resamples: int = RESAMPLES) -> Crossed:
    """Resamples of `streams` streams and of cases; `strata` gives each case's block, within which cases are
    drawn, because every stream is probed in every block."""
    random = np.random.Generator(np.random.SFC64(_SEED))
    cases = len(strata)
    drawn = random.multinomial(streams, np.full(streams, 1 / streams), resamples).astype(np.float64)
    by_stream = np.repeat(drawn, cases, axis=1)
    one = np.zeros((resamples, cases))
    cells = np.zeros((resamples, streams, cases))
    for block in sorted(set(strata)):
        places = np.flatnonzero(np.asarray(strata) == block)
        size = len(places)
        one[:, places] = random.multinomial(size, np.full(size, 1 / size), resamples)
        many = random.multinomial(streams * size, np.full(streams * size, 1 / (streams * size)), resamples)
        cells[:, :, places] = many.reshape(resamples, streams, size)
    return Crossed(
        streams, cases, by_stream, np.tile(one, (1, streams)), cells.reshape(resamples, streams * cases)
    )


def means(scores: Floats, weights: Floats) -> Floats:
    """(resamples, columns) weighted means of (scores, columns); NaN is left out, and nothing left is NaN."""
    there = ~np.isnan(scores)
    total = weights @ there.astype(np.float64)
    summed = weights @ np.where(there, scores, 0.0)
    found: Floats = np.divide(summed, total, out=np.full(total.shape, np.nan), where=total > 0)
    return found


def figure(
    scores: Floats, over: Callable[[Floats], float | None], draws: Crossed, most: float = 1.0
) -> Estimate:
    """`over` of the column means of (streams * cases, columns) scores, with its 95 % interval, cut at
    -`most` and `most`.

    `n` counts scored scores that any column needs. There is no interval where a figure cannot be worked out
    in one resample of forty, or never varies; with one stream the interval holds for that stream alone.
    """
    there = ~np.isnan(scores).all(axis=1)
    value = over(means(scores, np.ones((1, len(scores))))[0])
    n = int(there.sum())
    if value is None:
        return Estimate(None, None, None, n)
    parts = [_variance(scores, over, weights) for weights in (draws.by_stream, draws.by_case, draws.by_score)]
    sizes = draws.streams, draws.cases, n
    corrected = [
        part * size / (size - 1) if size >= _FEWEST else 0.0 for part, size in zip(parts, sizes, strict=True)
    ]
    if any(np.isnan(corrected)):
        return estimate(value, None, n)
    by_stream, by_case, by_score = corrected
    spread, df = _two_ways(by_stream, by_case, by_score, draws)
    if spread <= 0:
        return estimate(value, None, n)
    reach = t_quantile(df) * spread**0.5
    return estimate(value, (max(value - reach, -most), min(value + reach, most)), n)


def _variance(scores: Floats, over: Callable[[Floats], float | None], weights: Floats) -> float:
    found = [over(row) for row in means(scores, weights)]
    held = np.array([value for value in found if value is not None], np.float64)
    return float(held.var()) if len(held) >= 0.975 * len(found) else float("nan")


def _two_ways(streams: float, cases: float, scores: float, draws: Crossed) -> tuple[float, float]:
    """The variance, and its degrees of freedom."""
    if draws.streams < _FEWEST:
        return cases, draws.cases - 1.0
    if draws.cases < _FEWEST:
        return streams, draws.streams - 1.0
    # Where chance in single scores is all there is, the difference may come out too small, even negative.
    whole = max(streams + cases - scores, min(streams, cases, scores))
    below = streams**2 / (draws.streams - 1) + cases**2 / (draws.cases - 1)
    df = whole**2 / below if below > 0 else 1.0
    return whole, max(df, min(draws.streams, draws.cases) - 1.0)
