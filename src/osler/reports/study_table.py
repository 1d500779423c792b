"""Terminal tables of a study: its conditions side by side, and its declared comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.box import SIMPLE
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.core.measure import Measure
from osler.reports.cells import interval, number
from osler.reports.printed import add_row, table_of
from osler.reports.scorecard import Scorecard
from osler.reports.study_figures import difference_of, no_interval, p_value
from osler.reports.study_report import ConditionSummary, Contrast, RatedItem
from osler.stats.cluster_t import FEWEST
from osler.stats.intervals import Estimate
from osler.text.hostile import safe

STAR: Final = 0.05
_LEGEND: Final = f"Without an interval: fewer than {FEWEST} cases, or all of them alike. A dash: not scored."
_NAME_WIDTH, _COUNT_WIDTH = 16, len("unscored)")
"""The characters of a line that the name of a condition and a count of episodes have at least."""
_SD: Final = " SD: standard deviation over the repeats, each a pass over all cases."


def conditions_table(
    conditions: Mapping[str, Mapping[str, Estimate]],
    columns: Sequence[Measure],
    spread: Mapping[str, Mapping[str, float]] | None = None,
) -> RenderableType:
    """Return a table of each condition's figures with their intervals; `conditions` maps a condition to its
    figures by name, `columns` are the measures to show, `spread` standard deviations over repeats."""
    table = Table(box=SIMPLE, padding=0)
    # A name is never cut: conditions often differ only at the end of their names.
    table.add_column("condition", overflow="fold", min_width=_NAME_WIDTH)
    for one in columns:
        table.add_column(Text(one.words), justify="right", overflow="fold")
    table.add_column("n", justify="right", overflow="fold", min_width=_COUNT_WIDTH)
    for name, figures in conditions.items():
        over = (spread or {}).get(name, {})
        cells = [_cell(figures[one.spoken], one.share, over.get(one.spoken)) for one in columns]
        scored = max((figures[one.spoken].n for one in columns), default=0)
        least = min((figures[one.spoken].n for one in columns), default=0)
        unscored = max((figures[one.spoken].unscored for one in columns), default=0)
        n = f"{scored:,}" if scored == least else f"{least:,} to {scored:,}"
        n += f" ({unscored:,} unscored)" if unscored else ""
        add_row(table, name, *cells, n)
    return Group(table, Text(_LEGEND + (_SD if any((spread or {}).values()) else ""), "italic"))


def sets_table(
    measure: Measure,
    sets: Mapping[str, Mapping[str, ConditionSummary]],
    together: Mapping[str, Mapping[str, Estimate]],
) -> RenderableType:
    """Return a table of conditions by sets of cases, for one figure; `sets` maps a set's name to its
    conditions, `together` has the figures over the episodes of all sets. With repeats the standard deviation
    over them stands beside the interval."""
    last = ("all sets",) if together else ()
    table = table_of(measure.words, "condition", *sets, *last, gap=1)
    for name in dict.fromkeys(name for conditions in sets.values() for name in conditions):
        cells = [_in_set(conditions.get(name), measure) for conditions in sets.values()]
        cells += [_counted(together.get(name, {}).get(measure.spoken), measure)] if together else []
        add_row(table, name, *cells)
    return table


def _in_set(summary: ConditionSummary | None, measure: Measure) -> str:
    if summary is None:
        return "-"
    return _counted(summary.found.get(measure.spoken), measure, summary.sd.get(measure.spoken))


def _counted(found: Estimate | None, measure: Measure, sd: float | None = None) -> str:
    """A figure with the number of episodes that it is over."""
    if found is None:
        return "-"
    counts = f"n {found.n:,}" + (f", {found.unscored:,} unscored" if found.unscored else "")
    return f"{_cell(found, measure.share, sd)}, {counts}"


def experts_table(item: RatedItem) -> RenderableType:
    """Return a table of conditions by the people who rated them, for one item."""
    table = table_of(safe(item.title), "condition", *item.raters, "all ratings", gap=1)
    for name, by_rater in item.means.items():
        result = [*(by_rater.get(rater) for rater in item.raters), item.everyone.get(name)]
        cells = ["-" if one is None else f"{_cell(one, item.share, None)}, n {one.n:,}" for one in result]
        add_row(table, name, *cells)
    return table


def scorecard_tables(cards: Mapping[str, Scorecard]) -> Iterator[RenderableType]:
    """Yield the scorecards of a seat's players by condition: a row for each figure, with its interval and the
    number of answers or sentences behind it; then what could not be read."""
    first = next(iter(cards.values()))
    table = table_of(f"Scorecard of the {first.seat}", "figure", *cards, gap=1)
    for one in first.measures:
        add_row(table, one.means, *(_counted(card.figures[one.name], one) for card in cards.values()))
    yield table
    yield from (Text(safe(f"{name}: {card.in_words}"), "italic") for name, card in cards.items())


def contrasts_table(
    contrasts: Sequence[Contrast], title: str, measures: Mapping[str, Measure]
) -> RenderableType:
    """Return tables of differences with their intervals, one per figure; a star marks p (Holm-adjusted where
    there is an adjusted one) below 0.05.

    `measures` are by figure name.
    """
    tables: list[RenderableType] = []
    alike = []
    for figure in dict.fromkeys(one.figure for one in contrasts):
        if len(contrasts) > 1 and all(_alike(one) for one in contrasts if one.figure == figure):
            alike.append(measures[figure].words)
            continue
        unit = ", in percentage points" if measures[figure].share else ""
        table = Table(title=measures[figure].words + unit, title_justify="left", box=SIMPLE, padding=0)
        for place, column in enumerate(("condition", "minus", "difference", "95 % interval", "p", "n")):
            table.add_column(Text(column), justify="right" if place > 1 else "left", overflow="fold")
        for one in contrasts:
            if one.figure == figure:
                table.add_row(*(Text(safe(cell)) for cell in _difference(one, measures[figure])))
        tables.append(table)
    if alike:
        tables.append(Text(f"Exactly alike in every pair of every comparison: {', '.join(alike)}."))
    return Group(Text(title, "bold"), *tables)


def _alike(one: Contrast) -> bool:
    """Whether no pair differs: the difference is 0, without any spread."""
    return one.value == 0 and one.low is None and one.cases > 1


def _difference(one: Contrast, measure: Measure) -> tuple[str, ...]:
    value, low, high = (
        difference_of(measure, each).removesuffix(" points") for each in (one.value, one.low, one.high)
    )
    reach = no_interval(one.value, one.cases) if one.low is None else f"{low} to {high}"
    p = one.p if one.p_holm is None else one.p_holm
    star = "*" if p is not None and p < STAR else ""
    return one.condition, one.against, value + star, reach, p_value(p), f"{one.n_pairs:,}"


def _cell(found: Estimate, share: bool, sd: float | None) -> str:
    beside = [interval(found, share)] if found.low is not None else []
    beside += [f"SD {number(sd, share)}"] if sd is not None else []
    return number(found.value, share) + (f" ({'; '.join(beside)})" if beside else "")
