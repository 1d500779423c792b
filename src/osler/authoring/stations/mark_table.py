"""The columns of a mark sheet's table by what they hold: the items, their marks, levels to tick, domains, numbers.

Each column is judged as a whole, by its heading and by all of its cells, so that neither the order of columns
nor where the headings stand decides. Every row is an item, a heading, a total, or told as unread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Final, Literal, NamedTuple

from osler.authoring.stations.sheet_words import (
    about_marking,
    acts,
    domain,
    head_kind,
    level,
    seems_a_head,
    steps_of,
    total,
)
from osler.text.marks import marks

_MOST_ABOVE: Final = 8
"""The most rows above the headings."""
_SEQUENCE: Final = re.compile(r"\(?(?:[a-z]{0,2}\d{1,3}(?:\.\d{1,2})*|[a-z]|[ivx]{1,5})[.):]?", re.IGNORECASE)
_YES: Final = re.compile(
    r"^\W*(?:y|yes|x|c|crit\w*|essential|mandatory|must|true|✓|✔|\*+)\W*$", re.IGNORECASE
)
_NONE: Final = re.compile(r"\s*(?:[-–—]+|n/?a|nil)\s*", re.IGNORECASE)


class Cells(NamedTuple):
    """A row: its cells, with the text of the one above where they are `merged` with it (by column)."""

    texts: tuple[str, ...]
    merged: frozenset[int] = frozenset()

    @property
    def own(self) -> tuple[int, ...]:
        """The columns that are filled in this row itself."""
        return tuple(n for n, text in enumerate(self.texts) if text and n not in self.merged)


Kind = Literal["item", "heading", "total", "unread"]


class RowReading(NamedTuple):
    """The reading of one row: its kind; of an item, and of a heading where levels give it marks, its text, its
    marks if any stand there, whether they are those of a cell that it shares with the item above, whether it
    is critical, and the domain in its own column; of an unread row, why."""

    kind: Kind
    text: str = ""
    marks: float | None = None
    shared: bool = False
    critical: bool = False
    under: str | None = None
    why: str = ""


class Columns(NamedTuple):
    """The columns of a table by what they hold; `heads` are the numbers of the rows that head them.

    `levels` has the figure of each heading, if it has one. `others` are columns with words that are none of these.
    """

    names: tuple[str, ...]
    heads: tuple[int, ...]
    item: int
    marks: int | None
    levels: dict[int, float | None]
    critical: tuple[int, ...]
    domain: int | None
    numbers: int | None
    others: tuple[int, ...]


def panels(rows: Sequence[Cells]) -> list[tuple[int, int]]:
    """The ranges of columns of tables that stand side by side under one row of equal headings; one otherwise."""
    wide = max(len(row.texts) for row in rows)
    for row in rows[:_MOST_ABOVE]:
        kinds = [head_kind(text) for text in (*row.texts, *[""] * (wide - len(row.texts)))]
        starts = [n for n, kind in enumerate(kinds) if kind == "item"]
        if len(starts) > 1 and wide % len(starts) == 0:
            step = wide // len(starts)
            ranges = [(at, at + step) for at in range(0, wide, step)]
            if len({tuple(row.texts[slice(*each)]) for each in ranges}) == 1:
                return ranges
    return [(0, wide)]


class _Table(NamedTuple):
    """A table before its columns are told apart: the words at their heads with their kinds and the figures of
    levels (`tops`), the cells below by column, and the number of rows that are neither heads nor totals."""

    rows: Sequence[Cells]
    heads: tuple[int, ...]
    names: Sequence[str]
    kinds: Sequence[str]
    tops: dict[int, float | None]
    held: Sequence[Sequence[str]]
    size: int

    def item(self, numbers: int | None) -> int:
        """The column of the items."""
        scores = {n: _as_items(self.kinds[n], self.held[n], self.size) for n in self.without(numbers)}
        return max(scores, key=lambda n: (scores[n], -n)) if scores else 0

    def levels(self, *taken: int | None) -> list[int]:
        """The columns of levels to tick, by their headings, or by one figure all down each: "0 | 1 | 2"."""
        left = self.without(*taken)
        lefts = [n for n in left if _is_level(self.names[n], self.kinds[n], self.held[n])]
        steps = [n for n in left if n not in lefts and self.kinds[n] == "" and self.held[n]]
        steps = [n for n in steps if len({marks(cell) for cell in self.held[n]}) == 1]
        values = {marks(self.held[n][0]) for n in steps} - {None}
        return steps if not lefts and len(values) > 1 and len(values) == len(steps) else lefts

    def marks(self, *taken: int | None) -> int | None:
        """The column of the marks."""
        scores = {n: _as_marks(self.kinds[n], self.held[n]) for n in self.without(*taken)}
        best = max(scores, key=lambda n: (scores[n], -n), default=None)
        return best if best is not None and scores[best] > 0 else None

    def domain(self, left: Sequence[int], critical: Sequence[int]) -> int | None:
        """The column of the domains, of those that are left."""
        if (named := next((n for n in left if self.kinds[n] == "domain"), None)) is not None:
            return named
        likely = (n for n in left if n not in critical and _is_domain(self.held[n], self.rows, n))
        return next(likely, None)

    def without(self, *taken: int | None) -> list[int]:
        """The other columns."""
        return [n for n in range(len(self.names)) if n not in taken]


def columns(rows: Sequence[Cells]) -> Columns:
    """Judge the columns of a table whose rows are all equally wide. Pure."""
    table = _table(rows)
    numbers = _numbers(table.names, table.kinds, table.held)
    item = table.item(numbers)
    levels = table.levels(item, numbers)
    best = table.marks(item, numbers, *levels)
    left = table.without(item, numbers, best, *levels)
    critical = tuple(n for n in left if table.kinds[n] == "critical")
    under = table.domain(left, critical)
    others = tuple(
        n
        for n in left
        if n not in (*critical, under) and table.kinds[n] not in ("given", "comment")
        if any(map(_worded, table.held[n]))
    )
    tops = {n: table.tops.get(n, level(table.names[n])) for n in levels}
    return Columns(tuple(table.names), table.heads, item, best, tops, critical, under, numbers, others)


def _table(rows: Sequence[Cells]) -> _Table:
    wide = len(rows[0].texts)
    heads, names = _heads(rows, wide)
    below = [
        row for number, row in enumerate(rows) if number not in heads and number >= min(heads, default=0)
    ]
    body = [row for row in below if not any(total(row.texts[n]) for n in row.own)]
    fuller = [row for row in body if len(row.own) > 1] or body  # a row with one cell may be a heading across
    tops = steps_of(names)
    kinds = ["level" if n in tops else head_kind(name) for n, name in enumerate(names)]
    ranges = [[row.texts[n] for row in fuller if n in row.own] for n in range(wide)]
    return _Table(rows, heads, names, kinds, dict(tops), ranges, len(body))


def read_table(rows: Sequence[Cells], held: Columns) -> list[RowReading]:
    """The reading of each row. A domain whose marks are the sum of the items below it is their heading, and one that
    heads nothing is an item. Pure."""
    readings = [_row(row, number, held) for number, row in enumerate(rows)]
    for at, one in enumerate(readings):
        if one.kind == "item" and _sums_up(one, readings[at + 1 :]):
            readings[at] = RowReading("heading", text=one.text)
        elif one.kind == "heading" and one.marks is not None:
            follows = next((other for other in readings[at + 1 :] if other.kind != "unread"), None)
            if follows is None or follows.kind != "item":
                readings[at] = one._replace(kind="item")  # it heads nothing
    return readings


def _sums_up(one: RowReading, after: Sequence[RowReading]) -> bool:
    """Whether a row named like a domain has the marks of all items up to the next domain."""
    if one.marks is None or not (domain(one.text) or one.text.isupper()):
        return False
    below = takewhile(lambda other: not (other.kind == "item" and domain(other.text)), after)
    worth = [other.marks for other in below if other.kind == "item"]
    return bool(worth) and None not in worth and sum(filter(None, worth)) == one.marks


def _row(row: Cells, number: int, held: Columns) -> RowReading:
    texts = row.texts
    if number in held.heads or all(texts[n] == held.names[n] for n in row.own):
        return RowReading("heading")
    if any(total(texts[n]) for n in row.own):
        return RowReading("total")
    if held.heads and number < held.heads[0]:
        alone = len(row.own) < 2
        return (
            RowReading("heading")
            if alone
            else RowReading("unread", why="stands above the headings of the mark sheet")
        )
    filled = [n for n in row.own if n != held.numbers]
    item = _item_cell(row, held, filled)
    if item is None:
        return _without_item(row, held, filled)
    if about_marking(texts[item]):
        return RowReading("total")
    given, shared, own = _marks_of(row, held, item)
    if not own and _is_heading(row, held, item, given):
        return RowReading("heading", texts[item], given)
    under = texts[held.domain] if held.domain is not None and held.domain != item else None
    yes = any(_YES.match(texts[n]) for n in held.critical)
    return RowReading("item", texts[item], given, shared, yes, under or None)


def _is_heading(row: Cells, held: Columns, item: int, given: float | None) -> bool:
    """Whether a row without marks of its own heads others: the words of a domain, and no words beside them."""
    text = row.texts[item]
    apart = (item, held.numbers, held.marks, *held.levels)
    rest = [n for n in row.own if n not in apart]
    if any(n != held.domain and _worded(row.texts[n]) for n in rest):
        return False
    if not _heads_others(text, [row.texts[n] for n in rest], by_domain=item != held.item):
        return False
    return given is None or (domain(text) and held.numbers not in row.own)


def _heads(rows: Sequence[Cells], wide: int) -> tuple[tuple[int, ...], list[str]]:
    """The rows that head the columns, and the words above each column."""
    for number, row in enumerate(rows[:_MOST_ABOVE]):
        if not seems_a_head([row.texts[n] for n in row.own]):
            if _says_an_item(row):
                break
            continue
        result, names = [number], list(row.texts)
        for below in rows[number + 1 : number + 3]:
            kinds = [head_kind(below.texts[n]) for n in below.own]
            if not kinds or any(kind in ("", "item") for kind in kinds) or _says_an_item(below):
                break
            result.append(result[-1] + 1)
            names = [
                " ".join(
                    dict.fromkeys(part for part in (name, below.texts[n] if n in below.own else "") if part)
                )
                for n, name in enumerate(_spread(names, below))
            ]
        return tuple(result), names
    return (), [""] * wide


def _spread(names: list[str], below: Cells) -> list[str]:
    """Headings with a heading that stands over several columns removed where those have their own."""
    return [
        "" if n in below.own and head_kind(name) in ("marks", "given", "item") else name
        for n, name in enumerate(names)
    ]


def _says_an_item(row: Cells) -> bool:
    """Whether a row is an item rather than a title: words of doing, and a figure or a box beside them."""
    texts = [row.texts[n] for n in row.own]
    return len(texts) > 1 and any(
        acts(text) and len(text.split()) > 1 and not head_kind(text) for text in texts
    )


def _numbers(names: Sequence[str], kinds: Sequence[str], held: Sequence[Sequence[str]]) -> int | None:
    """The column that numbers the rows."""
    for n, cells in enumerate(held):
        counted = [cell for cell in cells if _SEQUENCE.fullmatch(cell)]
        if len(cells) < 2 or len(counted) < 0.6 * len(cells) or kinds[n] in ("marks", "figure", "critical"):
            continue
        named = kinds[n] in ("number", "item", "domain") or names[n].lower() == "no"
        unnamed = not names[n] and (n == 0 or len(held) > 2)
        if kinds[n] == "number" or ((named or unnamed) and _counts_up(counted)):
            return n
    return None


def _counts_up(cells: Sequence[str]) -> bool:
    """Whether the last numbers in the cells rise by one and rarely start again."""
    rising = [int(found[0]) for cell in cells if (found := re.findall(r"\d+", cell)[-1:])]
    by_one = all(after in (before + 1, 1) for before, after in pairwise(rising))
    starts = sum(after == 1 for after in rising[1:])
    return len(rising) > 1 and by_one and rising[0] <= 1 and 2 * starts < len(rising)


def _worded(text: str) -> bool:
    return bool(re.search(r"[^\W\d_]{2,}", text))


def _share(cells: Sequence[str], holds: object) -> float:
    test = holds if callable(holds) else bool
    return sum(bool(test(cell)) for cell in cells) / len(cells) if cells else 0.0


def _as_items(kind: str, cells: Sequence[str], rows: int) -> float:
    """Rate how far a column looks like the items: its own words in most rows, mostly about doing something."""
    if not cells:
        return -10.0
    words = sum(len(cell.split()) for cell in cells) / max(1, rows)
    different = len(set(cells)) / len(cells)
    score = (
        min(words, 8.0) / 2 + 3 * _share(cells, acts) + 2 * different * min(1.0, len(cells) / max(1, rows))
    )
    score -= 5 * _share(cells, lambda cell: marks(cell) is not None)
    score += {"item": 4.0, "domain": -3.0, "comment": -4.0, "level": -5.0, "figure": -5.0, "given": -5.0}.get(
        kind, 0.0
    )
    return score - (5.0 if kind in ("marks", "number", "critical") else 0.0)


def _as_marks(kind: str, cells: Sequence[str]) -> float:
    """Rate how far a column looks like marks: figures in it, and the word at its head."""
    figures = [value for cell in cells if (value := marks(cell)) is not None]
    if not figures or kind in ("given", "comment", "number", "critical", "domain", "item"):
        return 0.0
    share = len(figures) / len(cells)
    if kind == "marks":
        return 2 + share
    counted = len(figures) > 1 and figures == [float(n) for n in range(1, len(figures) + 1)]
    return share if share > 0.8 and max(figures) <= 20 and not counted else 0.0


def _is_level(name: str, kind: str, cells: Sequence[str]) -> bool:
    """Whether a column is a level to tick: its heading says so, or says what its empty cells are worth."""
    empty = not any(marks(cell) is not None for cell in cells)
    return kind in ("level", "figure") or (kind == "marks" and empty and level(name) is not None)


def _is_domain(cells: Sequence[str], rows: Sequence[Cells], column: int) -> bool:
    """Whether a column without a heading of its own names domains: merged or seldom filled, in their words."""
    merged = any(column in row.merged for row in rows)
    return bool(cells) and all(_worded(cell) for cell in cells) and (merged or _share(cells, domain) > 0.5)


def _item_cell(row: Cells, held: Columns, filled: Sequence[int]) -> int | None:
    """Return the column that holds a row's item: its own, or the first of cells merged across it, else `None`."""
    if held.item in row.own:
        return held.item
    if held.item in row.merged:
        return None
    apart = (held.marks, *held.levels, *held.critical)
    worded = [n for n in filled if n not in apart and n < held.item and _worded(row.texts[n])]
    return worded[0] if len(worded) == 1 else None


def _without_item(row: Cells, held: Columns, filled: Sequence[int]) -> RowReading:
    if held.item in row.merged and filled:
        return RowReading("unread", why="is a further line of the item above, whose cell is merged")
    if not filled:
        return (
            RowReading("heading")
            if not row.own
            else RowReading("unread", why="holds a number and nothing else")
        )
    return RowReading("unread", why="holds nothing in the column of the items")


def _marks_of(row: Cells, held: Columns, item: int) -> tuple[float | None, bool, bool]:
    """The marks of a row, whether they stand in a cell that it shares with the row above, and whether they stand
    in the row itself rather than in the headings of levels."""
    if held.marks is not None and held.marks != item:
        text = row.texts[held.marks]
        given = marks(text.rstrip(" %") if "%" in held.names[held.marks] else text)
        if given is not None or not held.levels:
            return given, given is not None and held.marks in row.merged, given is not None
    own = [value for n in held.levels if (value := marks(row.texts[n])) is not None]
    if own and max(own) > 0:
        return max(own), False, True
    tops = [top for n, top in held.levels.items() if top is not None and not _NONE.fullmatch(row.texts[n])]
    return max(tops, default=0.0) or None, False, any(row.texts[n] for n in held.levels)


def _heads_others(text: str, others: Sequence[str], *, by_domain: bool) -> bool:
    """Whether a row without marks is a heading: the words of a domain, and nothing beside it."""
    if any(_worded(other) for other in others):
        return False
    named = domain(text) or text.isupper() or text.endswith(":")
    return named or (by_domain and not acts(text))
