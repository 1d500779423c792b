"""Tables and lines as they are printed in a terminal, and the same as data for a page.

>>> [one.text for one in parts_of([Text("3 of 4 rated")])]
['3 of 4 rated']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import ConfigDict
from rich.box import SIMPLE
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.core.events import Frozen
from osler.text.hostile import safe

_BOLD: Final = "bold"


def plain(text: str) -> Text:
    """A text that may hold anything, safe for a terminal and without markup."""
    return Text(safe(text))


def table_of(title: str, *columns: str, gap: int = 0) -> Table:
    """An empty table whose first column holds words, and the others figures; `gap` are the spaces after a
    cell."""
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, gap, 0, 0))
    for place, column in enumerate(columns):
        table.add_column(plain(column), justify="right" if place else "left", overflow="fold")
    return table


def add_row(table: Table, *cells: str) -> None:
    """Add a row of plain texts to a table."""
    table.add_row(*map(plain, cells))


class Part(Frozen):
    """One line or table as printed: a `text`, `heading` if it is printed bold; or a table of `rows` under its
    `columns`, with `text` as its title. `right` are the places of columns that hold figures."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    text: str = ""
    heading: bool = False
    columns: tuple[str, ...] = ()
    right: tuple[int, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def parts_of(shown: Iterable[RenderableType]) -> Iterator[Part]:
    """Printed parts as data. Raises TypeError for what is no text, table or group of them."""
    for one in shown:
        match one:
            case Group():
                yield from parts_of(one.renderables)
            case Table():
                columns = one.columns
                cells = [[_words(cell) for cell in column.cells] for column in columns]
                yield Part(
                    text=_words(one.title or ""),
                    columns=tuple(_words(column.header) for column in columns),
                    right=tuple(n for n, column in enumerate(columns) if column.justify == "right"),
                    rows=tuple(zip(*cells, strict=True)),
                )
            case Text() | str():
                yield Part(text=_words(one).strip(), heading=isinstance(one, Text) and one.style == _BOLD)
            case _:
                raise TypeError(f"{type(one).__name__} is neither a text nor a table")


def _words(shown: RenderableType) -> str:
    """The words of a text, without markup."""
    if isinstance(shown, Text):
        return shown.plain
    if isinstance(shown, str):
        return Text.from_markup(shown).plain
    raise TypeError(f"{type(shown).__name__} is no text")
