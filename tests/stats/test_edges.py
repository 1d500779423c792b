"""Every estimator at its edges: no data, one or two cases, all equal, all missing, one cluster, huge and tiny
numbers. Each gives a finite value within its scale, or says that there is none."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import osler.stats
from osler.stats import (
    agreement,
    association,
    cluster_t,
    distributions,
    dominance,
    icc,
    intervals,
    judge_error,
    judged_difference,
    latin_square,
    learning_over_time,
    log_pair,
    mcnemar,
    paired,
    power,
    prediction_powered,
    rank_correlation,
    ranks,
    two_way_clustering,
    two_way_mean,
)
from osler.stats.cluster_t import Floats


class Data(NamedTuple):
    """Paired scores by case: `None` is missing, `right` are answers, `shares` 0 to 1, `marks` any size."""

    cases: list[str]
    right: list[tuple[float | None, float | None]]
    shares: list[tuple[float | None, float | None]]
    marks: list[tuple[float | None, float | None]]

    @property
    def n(self) -> int:
        return len(self.cases)


def side(pairs: list[tuple[float | None, float | None]], at: int) -> Floats:
    return np.array([np.nan if pair[at] is None else pair[at] for pair in pairs], np.float64)


def one(pairs: list[tuple[float | None, float | None]]) -> list[float | None]:
    return [first for first, _ in pairs]


def other(pairs: list[tuple[float | None, float | None]]) -> list[float | None]:
    return [second for _, second in pairs]


def whole(pairs: list[tuple[float | None, float | None]]) -> Floats:
    """Both sides without what is missing, as (pairs, 2)."""
    held = [pair for pair in pairs if None not in pair]
    return np.array(held, np.float64).reshape(len(held), 2)


def clustered(data: Data, pairs: list[tuple[float | None, float | None]], at: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for case, pair in zip(data.cases, pairs, strict=True):
        held = found.setdefault(case, [])
        if (value := pair[at]) is not None:
            held.append(value)
    return found


def sums(data: Data, pairs: list[tuple[float | None, float | None]]) -> tuple[Floats, Floats]:
    """Each cluster's sum and count of the first side."""
    held = clustered(data, pairs, 0).values()
    return np.array([sum(v) for v in held], np.float64), np.array([len(v) for v in held], np.float64)


def two_columns(data: Data) -> tuple[Floats, Floats]:
    """Part and whole of either side, (pairs, 2) each; `None` is missing."""
    values = np.array([[np.nan if v is None else v for v in pair] for pair in data.marks], np.float64)
    values = np.abs(values).reshape(data.n, 2)
    wholes = np.array([[np.nan if v is None else v for v in pair] for pair in data.right], np.float64)
    return values, wholes.reshape(data.n, 2)


def square(data: Data) -> list[list[float | None]]:
    size = int(data.n**0.5)
    values = [pair[0] for pair in data.shares]
    return [values[size * row : size * (row + 1)] for row in range(size)]


def scores_by_stream(data: Data) -> tuple[Floats, two_way_clustering.Crossed]:
    streams = 1 + data.n % 3
    cases = data.n // streams
    values = side(data.shares, 0)[: streams * cases].reshape(-1, 1)
    return values, two_way_clustering.crossed(streams, [0] * cases, resamples=40)


def in_two_ways(data: Data) -> two_way_mean.TwoWay:
    """The first side of the marks, met by one of three people each."""
    held = [
        (value, case, n % 3) for n, (value, case) in enumerate(zip(one(data.marks), data.cases, strict=True))
    ]
    there = [(value, case, person) for value, case, person in held if value is not None]
    values = np.array([value for value, _, _ in there], np.float64)
    return two_way_mean.two_way(values, [case for _, case, _ in there], [person for *_, person in there])


def over_streams(data: Data) -> Any:
    values, draws = scores_by_stream(data)
    return two_way_clustering.figure(values, lambda row: None if np.isnan(row[0]) else float(row[0]), draws)


def tries(data: Data) -> dict[str, tuple[int, int]]:
    return {key: (int(sum(v)), len(v)) for key, v in clustered(data, data.right, 0).items()}


def whole_cases(data: Data, pairs: list[tuple[float | None, float | None]]) -> list[str]:
    return [case for case, pair in zip(data.cases, pairs, strict=True) if None not in pair]


def labels(data: Data, at: int) -> list[str]:
    return [str(pair[at]) for pair in data.right]


def gaps(data: Data) -> dict[tuple[int, int], paired.Difference]:
    return {(0, 1): paired.paired(data.cases, side(data.right, 0), side(data.right, 1), share=True)}


def rated(data: Data) -> Floats:
    found = side(data.shares, 1)
    found[::3] = np.nan
    return found


def judged_sides(data: Data) -> tuple[judged_difference.Side, judged_difference.Side]:
    """Both sides' shares as a judge's, of which people have labelled some."""
    first, second = (np.nan_to_num(side(data.shares, at), nan=0.5) for at in (0, 1))
    return judged_difference.Side(first, rated(data)), judged_difference.Side(second, rated(data))


SHARE, SIGNED, ANY, POSITIVE = (0.0, 1.0), (-1.0, 1.0), (-inf, inf), (0.0, inf)
Estimator = tuple[Callable[[Data], Any], tuple[float, float]]

ESTIMATORS: dict[Callable[..., Any], Estimator] = {
    agreement.kappa: (
        lambda d: [
            agreement.kappa(one(d.right), other(d.right), [0, 1], "quadratic", d.cases),
            agreement.kappa(one(d.marks), other(d.marks)),
        ],
        SIGNED,
    ),
    agreement.ac1: (
        lambda d: agreement.ac1(one(d.right), other(d.right), [0, 1], d.cases),
        SIGNED,
    ),
    agreement.alpha: (
        lambda d: [
            agreement.alpha(pairs, level, clusters)
            for pairs in (d.right, d.marks)
            for level in ("nominal", "ordinal", "interval")
            for clusters in (None, d.cases)
        ],
        SIGNED,
    ),
    association.association: (lambda d: association.association(labels(d, 0), labels(d, 1)), SHARE),
    icc.icc: (lambda d: [icc.icc(d.shares).single, icc.icc(d.marks).single], SIGNED),
    intervals.wilson: (
        lambda d: intervals.wilson(
            float(np.nansum(side(d.right, 0))), int((~np.isnan(side(d.right, 0))).sum())
        ),
        SHARE,
    ),
    intervals.without_declined: (
        lambda d: [
            intervals.without_declined(
                intervals.wilson(float(whole(d.right)[:, 0].sum()), len(whole(d.right))),
                int((whole(d.right)[:, 0] == 0).sum()),
            )
        ],
        SHARE,
    ),
    intervals.bounds: (
        lambda d: intervals.bounds(float(whole(d.right)[:, 0].sum()), len(whole(d.right)), d.n),
        SHARE,
    ),
    intervals.mean_interval: (
        lambda d: [
            intervals.mean_interval(clustered(d, pairs, 0), proportion=True) for pairs in (d.right, d.shares)
        ],
        SHARE,
    ),
    intervals.paired_difference: (
        lambda d: [
            intervals.paired_difference(clustered(d, pairs, 0), clustered(d, pairs, 1), share=True)
            for pairs in (d.right, d.shares)
        ],
        SIGNED,
    ),
    intervals.ratio_interval: (
        lambda d: [
            intervals.ratio_interval(*sums(d, d.marks)),
            intervals.ratio_interval(*sums(d, d.shares), proportion=True),
        ],
        ANY,
    ),
    intervals.per_success: (
        lambda d: intervals.per_success(np.abs(sums(d, d.marks)[0]), sums(d, d.right)[0]),
        POSITIVE,
    ),
    intervals.pass_power: (lambda d: [intervals.pass_power(tries(d), k) for k in (1, 2, 5)], SHARE),
    judge_error.corrected_rate: (
        lambda d: judge_error.corrected_rate(
            float(whole(d.right)[:, 0].sum()),
            len(whole(d.right)),
            (int(whole(d.right)[:, 1].sum()), len(whole(d.right))),
            (int(whole(d.right)[:, 0].sum()), len(whole(d.right))),
        ),
        SHARE,
    ),
    judged_difference.corrected_difference: (
        lambda d: judged_difference.corrected_difference(d.cases, *judged_sides(d), 0.25),
        SIGNED,
    ),
    mcnemar.mcnemar_exact: (
        lambda d: mcnemar.mcnemar_exact(
            int((whole(d.right)[:, 0] > whole(d.right)[:, 1]).sum()),
            int((whole(d.right)[:, 0] < whole(d.right)[:, 1]).sum()),
        ),
        SHARE,
    ),
    paired.paired: (
        lambda d: [
            paired.paired(d.cases, side(pairs, 0), side(pairs, 1), 0.1, share=True)
            for pairs in (d.right, d.shares)
        ],
        SIGNED,
    ),
    paired.paired_ratio: (
        lambda d: paired.paired_ratio(
            d.cases, np.stack(two_columns(d), axis=1)[:, :, 0], np.stack(two_columns(d), axis=1)[:, :, 1]
        ),
        ANY,
    ),
    paired.paired_per_success: (lambda d: paired.paired_per_success(d.cases, *two_columns(d)), ANY),
    prediction_powered.corrected_mean: (
        lambda d: prediction_powered.corrected_mean(
            d.cases, np.nan_to_num(side(d.shares, 0)), rated(d), 0.25
        ),
        SHARE,
    ),
    rank_correlation.rank_correlation: (
        lambda d: [
            rank_correlation.rank_correlation(whole(pairs)[:, 0], whole(pairs)[:, 1], whole_cases(d, pairs))
            for pairs in (d.right, d.shares, d.marks)
        ],
        SIGNED,
    ),
    ranks.ranks: (lambda d: ranks.ranks(2, gaps(d)), (1, 2)),
    two_way_clustering.figure: (over_streams, SIGNED),
    two_way_mean.two_way: (in_two_ways, ANY),
    two_way_mean.pivot_of: (
        lambda d: [two_way_mean.pivot_of(0.5, in_two_ways(d)._replace(many=(many, 5))) for many in (4, 5)],
        ANY,
    ),
    two_way_mean.needed: (lambda d: two_way_mean.needed(in_two_ways(d)._replace(many=(9, 5)), 0.1), ANY),
    learning_over_time.final_accuracy: (lambda d: learning_over_time.final_accuracy(square(d)), SHARE),
    learning_over_time.backward_transfer: (lambda d: learning_over_time.backward_transfer(square(d)), SIGNED),
    learning_over_time.forward_transfer: (
        lambda d: learning_over_time.forward_transfer(square(d), [0.5] * len(square(d))),
        SIGNED,
    ),
    learning_over_time.forgetting: (lambda d: learning_over_time.forgetting(square(d)), SIGNED),
    learning_over_time.intransigence: (
        lambda d: learning_over_time.intransigence(square(d), [0.5] * len(square(d))),
        SIGNED,
    ),
    learning_over_time.anytime_accuracy: (lambda d: learning_over_time.anytime_accuracy(square(d)), SHARE),
    learning_over_time.learning_curve_area: (
        lambda d: learning_over_time.learning_curve_area(square(d)),
        SHARE,
    ),
    learning_over_time.worst_case_accuracy: (
        lambda d: learning_over_time.worst_case_accuracy(square(d)),
        SHARE,
    ),
}
"""Each public estimator with the scale of its value and its interval."""


def of_many(data: Data) -> paired.Difference:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paired, "MOST_RESAMPLED", 1)
        return paired.paired_per_success(data.cases, *two_columns(data), 0.1)


ON_MARKS: dict[str, Estimator] = {
    "paired": (lambda d: paired.paired(d.cases, side(d.marks, 0), side(d.marks, 1), marks=True), ANY),
    "mean_interval": (lambda d: intervals.mean_interval(clustered(d, d.marks, 0)), ANY),
    "paired_difference": (
        lambda d: intervals.paired_difference(clustered(d, d.marks, 0), clustered(d, d.marks, 1)),
        ANY,
    ),
    "icc of the mean": (lambda d: icc.icc(d.marks).average, SIGNED),
    "cost per success of many cases": (lambda d: of_many(d), ANY),
}
"""Those that also take marks on any scale."""

NO_ESTIMATORS: set[Callable[..., Any]] = {
    *(each for _, each in inspect.getmembers(distributions, inspect.isfunction)),
    *(each for _, each in inspect.getmembers(cluster_t, inspect.isfunction)),
    *(each for _, each in inspect.getmembers(power, inspect.isfunction)),
    intervals.too_few_scored,
    dominance.dominance,
    judged_difference.labels_needed,
    latin_square.latin_square,
    intervals.estimate,
    log_pair.log_pair,
    paired.bootstrap,
    paired.holm,
    paired.adjusted,
    ranks.told_apart,
    two_way_clustering.crossed,
    two_way_clustering.means,
    distributions.t_quantile,
}
"""Distributions, pivots, power and steps of the estimators: their arguments are theirs to check."""


def public() -> Iterator[Callable[..., Any]]:
    for found in pkgutil.iter_modules(osler.stats.__path__, "osler.stats."):
        module = importlib.import_module(found.name)
        for name, each in inspect.getmembers(module, callable):
            own = getattr(each, "__module__", "") == found.name and not inspect.isclass(each)
            if own and not name.startswith("_"):
                yield each


def test_no_estimator_is_missing_from_the_list() -> None:
    missing = [each.__name__ for each in public() if each not in {*ESTIMATORS, *NO_ESTIMATORS}]
    assert not missing, "list them in ESTIMATORS, with their scale"


def numbers(found: Any) -> Iterator[tuple[str, Any]]:
    """Every field of a result, however nested."""
    if is_dataclass(found):
        for field in fields(found):
            yield from ((field.name, v) for _, v in numbers(getattr(found, field.name)))
    elif hasattr(found, "_asdict"):
        for name, value in found._asdict().items():
            yield from ((name, v) for _, v in numbers(value))
    elif isinstance(found, list | tuple):
        for each in found:
            yield from numbers(each)
    elif not isinstance(found, str):
        yield "value", found


def each_result(found: Any) -> Iterator[Any]:
    if isinstance(found, list):
        for each in found:
            yield from each_result(each)
    else:
        yield found


def check(found: Any, scale: tuple[float, float]) -> None:
    for result in each_result(found):
        low, high = (getattr(result, end, None) for end in ("low", "high"))
        assert (low is None) == (high is None), result
        for name, value in numbers(result):
            assert value is None or isfinite(value), (name, result)
            if value is not None and name in ("value", "low", "high", "v", "raw", "by_chance", "rank"):
                assert scale[0] <= value <= scale[1], (name, result)
            if value is not None and name in ("p", "p_holm"):
                assert 0 <= value <= 1, (name, result)
        if low is not None and getattr(result, "value", None) is not None:
            slack = 1e-6 * (1 + abs(result.value))
            assert low <= result.value + slack, result
            assert high >= result.value - slack, result


@st.composite
def data(draw: st.DrawFn) -> Data:
    """Small samples with what breaks formulas: nothing, one value, no spread, one cluster, extreme sizes."""
    n = draw(st.sampled_from([0, 1, 2, 2, 3, 4, 5, 9, 12]))
    clusters = draw(st.sampled_from([1, 2, 3, 20]))
    equal = draw(st.booleans())
    missing = draw(st.sampled_from([0.0, 0.0, 0.3, 1.0]))
    scale = 10.0 ** draw(st.sampled_from([-12, -3, 0, 0, 3, 9, 12]))

    def pairs(of: st.SearchStrategy[float]) -> list[tuple[float | None, float | None]]:
        same = draw(of)
        values = [(same, same) if equal else (draw(of), draw(of)) for _ in range(n)]
        gone = [(draw(st.floats(0, 1)) < missing, draw(st.floats(0, 1)) < missing) for _ in range(n)]
        return [
            (None if no else a, None if neither else b)
            for (a, b), (no, neither) in zip(values, gone, strict=True)
        ]

    share = st.one_of(st.sampled_from([0.0, 1.0, 0.1, 1 / 3, 0.7]), st.floats(0, 1))
    mark = st.one_of(st.sampled_from([0.0, 1.0, -2.0, 1 / 3, 0.1]), st.floats(-10, 10)).map(
        lambda v: v * scale
    )
    cases = [f"case {draw(st.integers(1, clusters))}" for _ in range(n)]
    return Data(cases, pairs(st.sampled_from([0.0, 1.0])), pairs(share), pairs(mark))


FOUND = [*((each.__name__, held) for each, held in ESTIMATORS.items()), *ON_MARKS.items()]


@pytest.mark.parametrize(("of", "scale"), [held for _, held in FOUND], ids=[name for name, _ in FOUND])
@given(data())
def test_every_estimator_gives_a_finite_value_on_its_scale_or_none(
    of: Callable[[Data], Any], scale: tuple[float, float], data: Data
) -> None:
    check(of(data), scale)


@pytest.mark.parametrize("freedom", [0, -1, -0.5, float("nan")])
def test_t_has_no_quantile_without_freedom(freedom: float) -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        distributions.t_quantile(freedom)
