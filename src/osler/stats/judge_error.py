"""Rogan-Gladen correction of a rate for the sensitivity and specificity of an imperfect judge."""

from __future__ import annotations

from osler.stats.intervals import Z95, Estimate, estimate


def corrected_rate(
    right: float, n: float, sensitivity: tuple[int, int], specificity: tuple[int, int]
) -> Estimate:
    """Estimate the true share of right answers, given that a judge called `right` of `n` right.

    `sensitivity` is (called right, of those truly right) and `specificity` (called wrong, of those truly
    wrong), both counted on answers of known truth. `n` may be an effective sample size. No value if the
    judge is no better than chance, or if either was never measured.
    Sources: Rogan and Gladen 1978; the interval by Lang and Reiczigel 2014.
    """
    hits, truly_right = sensitivity
    refusals, truly_wrong = specificity
    if n <= 0 or truly_right <= 0 or truly_wrong <= 0:
        return Estimate(None, None, None, round(max(n, 0)))
    better = hits / truly_right + refusals / truly_wrong - 1
    if better <= 0:
        return Estimate(None, None, None, round(n))
    value = min(max((right / n + refusals / truly_wrong - 1) / better, 0.0), 1.0)

    enough, rights, wrongs = n + Z95**2, truly_right + 2, truly_wrong + 2
    called, finds, spots = (right + Z95**2 / 2) / enough, (hits + 1) / rights, (refusals + 1) / wrongs
    gain = finds + spots - 1
    if gain <= 0:
        return estimate(value, (0.0, 1.0), round(n))
    true = (called + spots - 1) / gain
    finds_error, spots_error = finds * (1 - finds) / rights, spots * (1 - spots) / wrongs
    shift = 2 * Z95**2 * (true * finds_error - (1 - true) * spots_error)
    variance = called * (1 - called) / enough + true**2 * finds_error + (1 - true) ** 2 * spots_error
    reach = Z95 * variance**0.5 / gain
    low, high = (min(max(true + shift + side, 0.0), 1.0) for side in (-reach, reach))
    return estimate(value, (low, high), round(n))
