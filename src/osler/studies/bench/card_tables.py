"""A card of the benchmark as printed tables, players in rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from osler.reports.printed import add_row
from osler.studies.bench.card import players
from osler.text.hostile import safe


def card_shown(card: dict[str, Any]) -> Iterator[Table]:
    """The tables of a card."""
    for table in card["tables"]:
        grid = Table(title=Text(safe(table["name"])), title_justify="left")
        for column in ("player", *table["measures"].values()):
            grid.add_column(Text(safe(column)))
        for name, cells, _ in players(table):
            figures = (f"{one.value}\n{one.interval}" for one in cells)
            add_row(grid, name.replace(" (", "\n("), *figures)
        yield grid
