"""Prediction-powered inference: human ratings of all episodes, estimated from a judge's scores of all and
people's ratings of some.

The mean of the rated plus slope x (the judge's mean over all - its mean over the rated): the regression
estimator of double sampling, also known as prediction-powered inference with power tuning. It is valid
however good the judge is, as long as the rated episodes were drawn at random from all; a good judge makes
it more precise, a useless one leaves the mean of the rated.
Sources: Cochran 1977, chapter 12; Angelopoulos, Duchi and Zrnic 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from osler.stats.cluster_t import Floats
from osler.stats.distributions import t_quantile
from osler.stats.intervals import Estimate, estimate

LEAST_CASES: Final = 5


def corrected_mean(cases: Sequence[str], judged: Floats, rated: Floats, step: float) -> Estimate:
    """Estimate the mean that people would have given, 0 to 1, with its 95 % interval, clustered by case.

    `judged` is the judge's score of every episode; `rated` is people's, NaN where not rated; `step` is the
    least difference between two ratings. The interval is as if one more case had been rated a step higher
    than the judge suggests and one a step lower, because a few ratings that all fit prove little (as Agresti
    and Caffo 2000). `n` counts the rated episodes, `unscored` the others. No interval below 5 rated cases.
    """
    known = ~np.isnan(rated)
    n, every = int(known.sum()), len(judged)
    if not n:
        return Estimate(None, None, None, 0, every)
    seen, given = judged[known], rated[known]
    spread = float(((seen - seen.mean()) ** 2).sum())
    slope = float(((seen - seen.mean()) * (given - given.mean())).sum()) / spread if spread > 0 else 0.0
    value = float(given.mean() + slope * (judged.mean() - seen.mean()))
    value = min(max(value, 0.0), 1.0)

    _, where = np.unique(np.array(cases, dtype=object), return_inverse=True)
    rated_cases = len(np.unique(where[known]))
    if rated_cases < LEAST_CASES:
        return estimate(value, None, n, every - n)
    a_case = n / rated_cases
    weight = n + 2 * a_case
    left = given - slope * seen
    each = slope * (judged - judged.mean()) / every
    each[known] += (left - left.mean()) * np.sqrt(rated_cases / (rated_cases - 2)) / weight
    sums = np.append(np.bincount(where, each), [step * a_case / weight, -step * a_case / weight])
    freedom = rated_cases - 2.0
    reach = t_quantile(freedom) * float(np.sqrt((sums**2).sum()))
    return estimate(value, (max(value - reach, 0.0), min(value + reach, 1.0)), n, every - n)
