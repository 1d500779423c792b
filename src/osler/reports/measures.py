"""Terminal tables of a protocol's measures: one run in rows, or several runs side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.core.measure import Measure
from osler.core.names import player_name
from osler.core.protocol import Protocol
from osler.reports.cells import from_to, interval, number
from osler.stats.intervals import Estimate
from osler.text.hostile import safe

BASELINES = (
    "Built-in players are baselines, not language models; what a built-in judge scores over them checks the"
    " instrument and is no evidence about medicine or teaching. For education and research only."
)


def measures_table(protocol: Protocol, run: str, totals: Any, wall_s: float) -> RenderableType:
    """Return a table of a run's figures, one per row.

    `totals` has `episodes`, `ended`, `exchanges` and `measures`.
    """
    table = _table("figure", "value", "95 % interval", "scored", "unscored")
    for measure in protocol.measures:
        found = totals.measures.get(measure.name)
        if found and (found.n or found.unscored):
            ends = totals.headline_bounds if measure is protocol.measures[0] else None
            cells = (*_value(measure, found, ends), f"{found.n:,}", f"{found.unscored:,}")
            table.add_row(*(Text(safe(cell)) for cell in (measure.words, *cells)))
    ended = ", ".join(f"{count:,} {status}" for status, count in totals.ended.items())
    return Group(
        Text(f"Run {safe(run)}: {totals.episodes:,} {protocol.many} ({safe(ended)})"),
        Text(f"{totals.exchanges:,} exchanges; this session took {wall_s:,.1f} s", end="\n\n"),
        table,
        Text(BASELINES, "italic"),
    )


def side_by_side(protocol: Protocol, runs: Mapping[str, Any]) -> RenderableType:
    """Return a table of several players on the same worlds, one column each."""
    table = _table("figure", *runs)
    summed = set().union(*(totals.measures for totals in runs.values()))
    for measure in protocol.measures:
        if measure.name not in summed:
            continue
        found = [totals.measures[measure.name] for totals in runs.values()]
        if any(one.n or one.unscored for one in found):
            bounded = measure is protocol.measures[0]
            cells = [
                "\n".join(_value(measure, one, totals.headline_bounds if bounded else None))
                if one.n or one.unscored
                else "-"
                for one, totals in zip(found, runs.values(), strict=True)
            ]
            table.add_row(*(Text(safe(cell)) for cell in (measure.words, *cells)))
    table.add_row("episodes", *(f"{totals.episodes:,}" for totals in runs.values()))
    headline = protocol.measures[0].name
    table.add_row("unscored", *(f"{totals.measures[headline].unscored:,}" for totals in runs.values()))
    role = protocol.role(protocol.under_test)
    handed = sorted({player for name in runs for player in player_name(role, name).privileged})
    told = [Text(f"{name} is privileged: it is given the answer, so it is not compared.") for name in handed]
    return Group(table, *told, Text(BASELINES, "italic"))


def _value(measure: Measure, found: Estimate, ends: tuple[float, float] | None = None) -> tuple[str, str]:
    if ends:
        return "no headline", f"{from_to(ends)} (bounds)"
    reach = interval(found, measure.share) if found.low is not None else "no interval"
    return number(found.value, measure.share), reach


def _table(*columns: str) -> Table:
    table = Table()
    for place, column in enumerate(columns):
        table.add_column(Text(safe(column)), justify="right" if place else "left")
    return table
