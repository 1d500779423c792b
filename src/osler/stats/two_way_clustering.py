"""Two-way cluster bootstrap, for figures over streams that all meet the same cases: both are resampled.

A stream (an order and a seed) shares one memory over all its cases, and a case is met by every stream, so
neither scores of a stream nor those of a case are independent. The variance of a figure is

    V = V(streams resampled) + V(cases resampled) - V(single scores resampled)

each from 1,000 bootstrap resamples with a fixed seed; the last term removes what the first two both count.
A resample draws n - 1 of n, each with weight n / (n - 1), so that the variance of blocks of few cases is not
underestimated. The interval is value -+ t * sqrt(V), with degrees of freedom after Satterthwaite. Sources:
Cameron, Gelbach and Miller 2011 (multiway clustering); Rao and Wu 1988 (rescaled bootstrap). Resampling
streams and cases at once instead (Owen 2007) would count the residual variance of single scores three times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.stats.distributions import t_quantile
from osler.stats.intervals import Estimate, estimate

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
RESAMPLES: Final = 1_000
_SEED: Final = 2011
_FEWEST: Final = 2
_NO_SPREAD: Final = 1e-12
"""A relative spread of resampled means below this is rounding error."""


class Crossed(NamedTuple):
    """The resampling weights, shape (resamples, streams * cases) each, streams in row-major order."""

    streams: int
    cases: int
    by_stream: Floats
    by_case: Floats
    by_score: Floats


def crossed(streams: int, strata: Sequence[int], resamples: int = RESAMPLES) -> Crossed:
    """Draw resamples of `streams` streams and of cases. `strata` gives each case's block; cases are drawn
    within blocks, because every stream is probed in every block."""
    random = np.random.Generator(np.random.SFC64(_SEED))
    cases = len(strata)
    by_stream = np.repeat(_drawn(random, streams, resamples), cases, axis=1)
    one = np.zeros((resamples, cases))
    cells = np.zeros((resamples, streams, cases))
    for block in sorted(set(strata)):
        places = np.flatnonzero(np.asarray(strata) == block)
        size = len(places)
        one[:, places] = _drawn(random, size, resamples)
        cells[:, :, places] = _drawn(random, streams * size, resamples).reshape(resamples, streams, size)
    return Crossed(
        streams, cases, by_stream, np.tile(one, (1, streams)), cells.reshape(resamples, streams * cases)
    )


def _drawn(random: np.random.Generator, size: int, resamples: int) -> Floats:
    """The weights of `size` units, shape (resamples, size); a single unit always has weight 1."""
    if size < _FEWEST:
        return np.ones((resamples, size))
    drawn = random.multinomial(size - 1, np.full(size, 1 / size), resamples).astype(np.float64)
    return drawn * np.float64(size / (size - 1))


def means(scores: Floats, weights: Floats) -> Floats:
    """Weighted means, shape (resamples, columns), ignoring NaN; NaN if nothing is left."""
    there = ~np.isnan(scores)
    total = weights @ there.astype(np.float64)
    summed = weights @ np.where(there, scores, 0.0)
    result: Floats = np.divide(summed, total, out=np.full(total.shape, np.nan), where=total > 0)
    return result


def figure(
    scores: Floats,
    over: Callable[[Floats], float | None],
    draws: Crossed,
    most: float = 1.0,
    meant: Mask | None = None,
    least: float | None = None,
) -> Estimate:
    """Estimate `over` of the column means of (streams * cases, columns) scores, with its 95 % interval, cut
    at `least` (default: -`most`) and `most`.

    `meant` masks the rows the figure is over (default: all; no other row has a score): `n` of them have a
    score in some column, the rest are `unscored`. There is no interval if the figure is undefined in more
    than one resample in forty, or never varies; with one stream, the interval holds for that stream alone.
    """
    there = np.logical_not(np.isnan(scores).all(axis=1))
    n = int(there.sum())
    unscored = (len(there) if meant is None else int(meant.sum())) - n
    value = over(means(scores, np.ones((1, len(scores))))[0])
    if value is None:
        return Estimate(None, None, None, n, unscored)
    by_stream = _variance(scores, over, draws.by_stream)
    by_case = _variance(scores, over, draws.by_case)
    by_score = _variance(scores, over, draws.by_score)
    if np.isnan([by_stream, by_case, by_score]).any():
        return estimate(value, None, n, unscored)
    spread, df = _two_ways(by_stream, by_case, by_score, draws)
    if df <= 0 or spread <= (_NO_SPREAD * max(1.0, abs(value))) ** 2:
        return estimate(value, None, n, unscored)
    reach = t_quantile(df) * spread**0.5
    return estimate(
        value, (max(value - reach, -most if least is None else least), min(value + reach, most)), n, unscored
    )


def _variance(scores: Floats, over: Callable[[Floats], float | None], weights: Floats) -> float:
    result = [over(row) for row in means(scores, weights)]
    held = np.array([value for value in result if value is not None], np.float64)
    return float(held.var()) if len(held) >= 0.975 * len(result) else float("nan")


def _two_ways(streams: float, cases: float, scores: float, draws: Crossed) -> tuple[float, float]:
    """The two-way clustered variance, and its degrees of freedom."""
    if draws.streams < _FEWEST:
        return cases, draws.cases - 1.0
    if draws.cases < _FEWEST:
        return streams, draws.streams - 1.0
    # If all variance is residual, the difference may come out too small, even negative.
    whole = max(streams + cases - scores, min(streams, cases, scores))
    below = streams**2 / (draws.streams - 1) + cases**2 / (draws.cases - 1)
    df = whole**2 / below if below > 0 else 1.0
    return whole, max(df, min(draws.streams, draws.cases) - 1.0)
