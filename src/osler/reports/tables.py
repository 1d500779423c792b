"""Terminal tables of a run's summary. Untrusted text is shown as plain text, never as markup."""

from __future__ import annotations

from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.reports.summary import SHARES, KindAccuracy, RunSummary
from osler.stats.intervals import Bounded, Estimate
from osler.text.hostile import safe

_DASH: Final = "-"


def results_table(summary: RunSummary) -> RenderableType:
    """Return the results of a run: how its episodes ended, its accuracy, and its process figures."""
    ended = ", ".join(f"{count:,} {status}" for status, count in summary.ended.items())
    by = ", ".join(f"{name} ({count:,})" for name, count in summary.judged_by.items()) or "nobody"
    return Group(
        Text(f"Run {safe(summary.run)}: {summary.episodes:,} episodes ({safe(ended)})"),
        Text(f"{summary.exchanges:,} exchanges; this session took {summary.wall_s:,.1f} s"),
        Text(f"Judged by {safe(by)}", end="\n\n"),
        Text("Answered correctly", "bold"),
        _accuracy(summary),
        Text("How the work was done", "bold"),
        _process(summary),
        Text(safe(summary.label), "italic"),
    )


def number(value: float | None, share: bool) -> str:
    """Format a share as a percentage, any other figure to three significant digits, `None` as a dash."""
    if value is None:
        return _DASH
    return f"{value:.1%}" if share else f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"


def _table(*columns: str) -> Table:
    table = Table()
    for place, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if place else "left")
    return table


def _row(table: Table, *cells: str) -> None:
    table.add_row(*(Text(safe(cell)) for cell in cells))


def _accuracy(summary: RunSummary) -> Table:
    table = _table("task", "share", "95 % interval", "chance", "scored", "unscored")
    _accuracy_row(table, "all", summary.accuracy, None)
    if summary.accuracy.bounds:
        low, high = summary.accuracy.bounds
        as_if = f"{number(low, True)} to {number(high, True)}"
        _row(table, "  if all unscored were wrong, right", "", as_if, "", "", "")
    for kind, estimate in summary.by_kind.items():
        _accuracy_row(table, f"  {kind}", estimate, estimate.chance)
    return table


def _accuracy_row(table: Table, name: str, found: Bounded | KindAccuracy, chance: float | None) -> None:
    """Add a row; with more than 5 % unscored, the bounds are shown instead of a headline."""
    headline = "see bounds" if isinstance(found, Bounded) and found.bounds else number(found.value, True)
    cells = (interval(found, True), number(chance, True), f"{found.n:,}", f"{found.unscored:,}")
    _row(table, name, headline, *cells)


def _process(summary: RunSummary) -> Table:
    table = _table("figure", "mean", "95 % interval", "scored", "unscored")
    for name, found in {**summary.process, "cost_per_correct": summary.cost_per_correct}.items():
        share = name in SHARES
        cells = (number(found.value, share), interval(found, share), f"{found.n:,}", f"{found.unscored:,}")
        _row(table, name.replace("_", " "), *cells)
    return table


def interval(found: Estimate, share: bool) -> str:
    """Format an interval as "low to high", or a dash if there is none."""
    if found.low is None or found.high is None:
        return _DASH
    return f"{number(found.low, share)} to {number(found.high, share)}"
