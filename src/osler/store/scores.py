"""Scores in a narrow table of their own, so that the episodes of a large run can be sorted and filtered by
them: each grader's latest, copied from the judgements that hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import isfinite
from operator import itemgetter

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from osler.store.schema import scores, storable

Row = tuple[int, str, str, int, float]
"""The columns' values in the table's order, texts already `storable`."""


def rows_of(run: int, ordinal: int, grader: str, body: str) -> Iterator[Row]:
    """The rows of one judgement, none for what is not a number."""
    for name, value in values_in(body).items():
        yield run, storable(grader), storable(name), ordinal, value


def values_in(body: str) -> dict[str, float]:
    """The scores of a judgement (JSON text) that are numbers; none if it cannot be read."""
    try:
        read = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    result = read.get("scores") if isinstance(read, dict) else None
    if not isinstance(result, dict):
        return {}
    held = {name: one.get("value") for name, one in result.items() if isinstance(one, dict)}
    return {
        name: float(value)
        for name, value in held.items()
        if isinstance(value, int | float) and isfinite(value)
    }


def replace(connection: Connection, run: int, judged: Iterable[tuple[int, str, str]]) -> None:
    """Replace the scores of some (ordinal, grader, body) with those of these judgements."""
    for grader, each in groupby(sorted(judged, key=itemgetter(1)), itemgetter(1)):
        result = list(each)
        _delete(connection, run, names(connection, run, grader), [ordinal for ordinal, _, _ in result])
        add(connection, (row for ordinal, _, body in result for row in rows_of(run, ordinal, grader, body)))


def forget(connection: Connection, run: int, ordinal: int) -> None:
    """Delete the scores of one episode."""
    _delete(connection, run, names(connection, run), [ordinal])


def _delete(
    connection: Connection, run: int, named: Sequence[tuple[str, str]], ordinals: Sequence[int]
) -> None:
    rows = [{"g": grader, "s": name, "o": at} for grader, name in named for at in ordinals]
    if rows:
        of = (scores.c.grader, scores.c.name, scores.c.ordinal)
        here = [column == sa.bindparam(key) for column, key in zip(of, "gso", strict=True)]
        connection.execute(sa.delete(scores).where(scores.c.run == run, *here), rows)


def names(connection: Connection, run: int, grader: str | None = None) -> list[tuple[str, str]]:
    """The (grader, name) of each score of a run. Each is looked up by the key, which is quick however many
    episodes there are."""
    pairs: list[tuple[str, str]] = []
    next_grader: str | None = grader or _first(connection, scores.c.grader, scores.c.run == run)
    while next_grader is not None:
        here = (scores.c.run == run, scores.c.grader == next_grader)
        name = _first(connection, scores.c.name, *here)
        while name is not None:
            pairs.append((next_grader, name))
            name = _first(connection, scores.c.name, *here, scores.c.name > name)
        later = (scores.c.run == run, scores.c.grader > next_grader)
        next_grader = None if grader else _first(connection, scores.c.grader, *later)
    return pairs


def has(connection: Connection, run: int, grader: str, name: str) -> bool:
    """Whether any episode of a run has a score."""
    here = (scores.c.run == run, scores.c.grader == grader, scores.c.name == name)
    return connection.execute(sa.select(scores.c.ordinal).where(*here).limit(1)).first() is not None


def _first(connection: Connection, column: sa.Column[str], *where: sa.ColumnElement[bool]) -> str | None:
    return connection.execute(sa.select(column).where(*where).order_by(column).limit(1)).scalar()


def add(connection: Connection, rows: Iterable[Row]) -> None:
    """Insert rows, whose texts are storable already."""
    names = [column.name for column in scores.columns]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    if records:
        connection.execute(sa.insert(_PLAIN), records)


# Its texts are storable already, and storing them as they are avoids encoding them twice.
_PLAIN = sa.table(
    "scores",
    sa.column("run", sa.Integer),
    sa.column("grader", sa.Text),
    sa.column("name", sa.Text),
    sa.column("ordinal", sa.Integer),
    sa.column("value", sa.Double),
)
