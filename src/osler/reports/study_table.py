"""A study for a terminal: its conditions side by side, and the comparisons that were declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.reports.safe_text import safe
from osler.reports.summary import Interval
from osler.reports.tables import interval, number

STAR: Final = 0.05
COLUMNS: Final = (
    ("learning_gain", "learning gain"),
    ("step_gain", "step gain"),
    ("leak_rate", "leaks"),
    ("ets_proxy", "ets proxy"),
    ("msm_proxy", "msm proxy"),
    ("mps_proxy", "mps proxy"),
)


def conditions_table(conditions: Mapping[str, Mapping[str, Interval]]) -> RenderableType:
    """Each condition's figures with their intervals; `conditions` are figures by name."""
    table = Table()
    for place, title in enumerate(("condition", *(title for _, title in COLUMNS), "n")):
        table.add_column(Text(title), justify="right" if place else "left")
    for name, figures in conditions.items():
        cells = [_cell(figures[figure], figure == "leak_rate") for figure, _ in COLUMNS]
        scored = max(figures[figure].n for figure, _ in COLUMNS)
        table.add_row(Text(safe(name)), *map(Text, cells), Text(f"{scored:,}"))
    return table


def contrasts_table(contrasts: Sequence[Any], title: str) -> RenderableType:
    """Differences with their intervals, a row for each two conditions, a star where p (adjusted where it is)
    is below 0.05. Each has figure, condition, against, value, low, high, p, p_holm and n_pairs."""
    figures = list(dict.fromkeys(one.figure for one in contrasts))
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for one in contrasts:
        rows.setdefault((one.condition, one.against), {})[one.figure] = one
    table = Table()
    for place, column in enumerate(
        ("condition", "minus", *(name.replace("_", " ") for name in figures), "n")
    ):
        table.add_column(Text(column), justify="right" if place > 1 else "left")
    for (condition, against), found in rows.items():
        cells = [_difference(found[name]) if name in found else "" for name in figures]
        pairs = max(one.n_pairs for one in found.values())
        table.add_row(Text(safe(condition)), Text(safe(against)), *map(Text, cells), Text(f"{pairs:,}"))
    return Group(Text(title, "bold"), table)


def _difference(one: Any) -> str:
    p = one.p if one.p_holm is None else one.p_holm
    reach = f" ({number(one.low, False)} to {number(one.high, False)})" if one.low is not None else ""
    return f"{number(one.value, False)}{reach}{'*' if p is not None and p < STAR else ''}"


def _cell(found: Interval, share: bool) -> str:
    reach = interval(found, share)
    return number(found.value, share) + (f" ({reach})" if found.low is not None else "")
