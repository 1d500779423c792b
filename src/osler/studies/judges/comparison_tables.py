"""A comparison of judges as printed tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from osler.reports.cells import cell, interval, number
from osler.reports.printed import add_row, plain, table_of
from osler.reports.sentences import p_value, points
from osler.stats.intervals import Estimate
from osler.stats.paired import Difference
from osler.studies.judges.between_runs import Between
from osler.studies.judges.comparison import JudgeComparison, OfScore
from osler.studies.rating.agreement_tables import figure_cell
from osler.studies.rating.figures import Figure


def judges_shown(found: JudgeComparison) -> Iterator[RenderableType]:
    """Tables of judges: each score under every judge, pair by pair, by jury and by length; and kinship."""
    yield plain(f"{', '.join(found.runs)}: judged by {', '.join(found.judges)}")
    for one in found.scores:
        yield from _score(one)
    yield plain(
        "\n".join([*(found.kinship or ["No judge is known to share a model or a family."]), found.order])
    )


def _score(one: OfScore) -> Iterator[RenderableType]:
    share = one.kind == "share"
    yield Text(one.score.replace("_", " "), "bold")
    yield _headlines(one, share)
    yield _pairs(one, share)
    if one.jury is None:
        yield plain("jury: none of a ratio of sums, of which an episode is only a part")
    else:
        lines = [f"{run} {_estimate(found, share)}" for run, found in one.jury.headlines.items()]
        yield plain(f"jury, {one.jury.by} of {len(one.judges)}: {'; '.join(lines)}")
        spread = f"mean spread between judges {_estimate(one.jury.spread, share)}"
        yield plain(f"{spread}; all say the same in {_figure(one.jury.unanimous, 100, '%')}")
    if one.between_runs:
        yield plain("\n".join(_between(one.between_runs, share)))
    yield _length(one)


def _headlines(one: OfScore, share: bool) -> Table:
    table = table_of("The headline under each judge", "judge", "run", "value", "95 %", "episodes")
    for each in one.headlines:
        shown = cell(each.estimate, share)
        add_row(table, each.judge, each.run, shown.value, shown.interval, shown.counts)
    return table


def _pairs(one: OfScore, share: bool) -> Table:
    right = any(pair.agreement.same for pair in one.pairs)
    names = ("same verdict", "kappa", "AC1") if right else ("ICC", "ranks")
    table = table_of(
        "Every two judges of the same episodes", "judges", *names, "second minus first", "p", "n"
    )
    for pair in one.pairs:
        held = pair.agreement
        if held.same and held.kappa and held.ac1:
            cells = [_figure(held.same, 100, "%"), _figure(held.kappa), _figure(held.ac1)]
        else:
            cells = [_figure(each) if each else "-" for each in (held.icc, held.ranks)]
        gap = pair.difference
        both = f"{pair.first} / {pair.second}"
        add_row(table, both, *cells, _gap(gap, share), p_value(gap), f"{gap.n_pairs:,}")
    return table


def _between(found: Sequence[Between], share: bool) -> Iterator[str]:
    """Yield a line for each judge on the difference between two runs, and one on its correction by people."""
    for one in found:
        if one.refused or one.difference is None:
            yield f"{one.second} minus {one.first}: refused: {'; '.join(one.refused)}"
            continue
        gap = one.difference
        yield f"{one.second} minus {one.first}, {one.judge}: {_gap(gap, share)}, p {p_value(gap)}"
        if one.corrected is not None:
            reach = _signed(one.corrected, share)
            yield f"  as {one.corrected.n:,} labels by people correct it: {reach}"
        if one.plan is not None:
            yield f"  {_plan(one, share)}"


def _plan(one: Between, share: bool) -> str:
    plan = one.plan
    assert plan is not None, "only called with a plan"
    now, least = number(plan.now, share), number(plan.narrowest, share)
    if plan.cases is None:
        return f"no number of labels makes it so narrow: {now} wide now, {least} with labels of every case"
    return f"labels of {plan.cases:,} cases make it so narrow ({plan.labels:,} episodes); {now} wide now"


def _length(one: OfScore) -> Table:
    title = "Rank correlation of the transcript's length with the score, and with the score minus"
    table = table_of(title, "judge", "score", "other judges", "people")
    for each in one.length:
        people = "no labels" if each.minus_people is None else _figure(each.minus_people)
        add_row(table, each.judge, _figure(each.score), _figure(each.minus_others), people)
    return table


def _estimate(found: Estimate, share: bool) -> str:
    return f"{number(found.value, share)} ({interval(found, share)}) of {found.n:,}"


def _signed(found: Estimate | Difference, share: bool) -> str:
    if found.low is None or found.high is None:
        return f"{points(found.value, share)} (no interval)"
    return f"{points(found.value, share)} ({points(found.low, share)} to {points(found.high, share)})"


def _gap(gap: Difference, share: bool) -> str:
    if gap.bounds is None:
        return _signed(gap, share)
    return f"bounds {points(gap.bounds[0], share)} to {points(gap.bounds[1], share)}"


def _figure(one: Figure, times: int = 1, unit: str = "") -> str:
    return figure_cell(one, times, unit, "({} to {})")
