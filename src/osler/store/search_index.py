"""The index by which recorded lines are searched: the words of each line of an ended episode.

It is filled when somebody searches, not while a run is played. It holds words and places, no passage: what is
shown is read from the record. Its rows go with their run or episode like any other's, and an episode is
indexed under the same lock under which its words are deleted, so that nothing comes back after that. SQLite
finds words with FTS5, PostgreSQL with its text search; both are given single words of letters and digits.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Connection

from osler.core.events import Seat
from osler.errors import Status
from osler.store.schema import episodes, search_lines
from osler.text.search_words import Phrase, words_of

MOST_WORDS: Final = 20_000
"""The words of a line that are indexed, from its first."""
_ASKED_FOR: Final = 16  # words that the index is asked for: the longest; the rest are compared as phrases
_FOUND_BY: Final = {
    "sqlite": "search_lines.id IN (SELECT rowid FROM search_words WHERE search_words MATCH :words)",
    "postgresql": "array_to_tsvector(string_to_array(btrim(search_lines.words, ' '), ' '))"
    " @@ CAST(:words AS tsquery)",
}
_ADD_AT_ONCE: Final = sa.text(
    "INSERT INTO search_lines (run, ordinal, n, place, seat, words) SELECT * FROM"
    " json_to_recordset(CAST(:rows AS json)) AS fresh"
    " (run int, ordinal int, n int, place int, seat text, words text) ON CONFLICT DO NOTHING"
)
_MARK: Final = {"n": 0, "place": 0}  # the row that says that an episode was indexed; it has no words
_columns = search_lines.c


class LineText(NamedTuple):
    """A line of an episode: after or in exchange `n`, the `place`-th there, counted from 1."""

    n: int
    place: int
    seat: Seat
    text: str


class Place(NamedTuple):
    """The place of a line."""

    run: int
    ordinal: int
    n: int
    place: int


def unread(
    connection: Connection, count: int, runs: Collection[int] | None = None, but_not: Collection[int] = ()
) -> list[tuple[int, int]]:
    """(run's id, ordinal) of at most so many ended episodes that are not indexed, of all runs or of some, but
    not of others."""
    read = sa.exists().where(
        _columns.run == episodes.c.run,
        _columns.ordinal == episodes.c.ordinal,
        *_marked(),
    )
    query = sa.select(episodes.c.run, episodes.c.ordinal).where(~read, episodes.c.status != Status.DELETED)
    if runs is not None:
        query = query.where(episodes.c.run.in_(runs))
    if but_not:
        query = query.where(episodes.c.run.not_in(but_not))
    by = (episodes.c.run.desc(), episodes.c.ordinal)
    return [(row.run, row.ordinal) for row in connection.execute(query.order_by(*by).limit(count))]


def read_of(connection: Connection, run: int, ordinals: Collection[int]) -> set[int]:
    """Those of some episodes of a run that are indexed."""
    here = (_columns.run == run, _columns.ordinal.in_(ordinals), *_marked())
    return set(connection.execute(sa.select(_columns.ordinal).where(*here)).scalars())


def add(connection: Connection, run: int, lines: Mapping[int, Iterable[LineText]]) -> None:
    """Index episodes of a run: the lines of each, by ordinal. The run must be locked
    (`osler.store.leases.lock`)."""
    rows = list[dict[str, Any]]()
    for ordinal, each in lines.items():
        key = {"run": run, "ordinal": ordinal}
        rows.append({**key, **_MARK, "seat": "", "words": ""})
        for line in each:
            words = [word.plain for word in islice(words_of(line.text), MOST_WORDS)]
            if words:
                at = {"n": line.n, "place": line.place, "seat": line.seat}
                rows.append({**key, **at, "words": f" {' '.join(words)} "})
    if connection.dialect.name == "postgresql":
        connection.execute(_ADD_AT_ONCE, {"rows": json.dumps(rows)})
    elif rows:
        connection.execute(sqlite.insert(search_lines).on_conflict_do_nothing(), rows)


def places(
    connection: Connection,
    phrases: Sequence[Phrase],
    count: int,
    *,
    runs: Collection[int] | None = None,
    seat: Seat = "",
    after: Place | None = None,
) -> list[Place]:
    """The places of the next indexed lines that hold every phrase, those of the newest run first, of all runs
    or of some, and of one seat (or one role with several) or of all."""
    if not phrases:
        return []
    at = sa.func.instr if connection.dialect.name == "sqlite" else sa.func.strpos

    def holds(phrase: Phrase) -> sa.ColumnElement[bool]:
        return at(_columns.words, f" {' '.join(phrase)} ") > 0

    query = sa.select(*(_columns[name] for name in Place._fields)).where(
        sa.text(_FOUND_BY[connection.dialect.name]), *(holds(phrase) for phrase in phrases[:_ASKED_FOR])
    )
    if runs is not None:
        query = query.where(_columns.run.in_(runs))
    if seat:
        query = query.where(
            sa.or_(_columns.seat == seat, _columns.seat.startswith(f"{seat}_", autoescape=True))
        )
    if after is not None:
        later = sa.tuple_(_columns.ordinal, _columns.n, _columns.place) > after[1:]
        query = query.where(sa.or_(_columns.run < after.run, sa.and_(_columns.run == after.run, later)))
    by = (_columns.run.desc(), _columns.ordinal, _columns.n, _columns.place)
    given = {"words": _asked_for(phrases, connection.dialect.name)}
    return [Place(*row) for row in connection.execute(query.order_by(*by).limit(count), given)]


def forget_deleted(connection: Connection) -> None:
    """Take the words of deleted lines out of SQLite's index, which otherwise only marks them as gone."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("INSERT INTO search_words (search_words) VALUES ('optimize')")


def _marked() -> list[sa.ColumnElement[bool]]:
    return [_columns[name] == value for name, value in _MARK.items()]


def _asked_for(phrases: Sequence[Phrase], dialect: str) -> str:
    words = sorted({word for phrase in phrases for word in phrase}, key=lambda word: (-len(word), word))
    if dialect == "sqlite":
        return " ".join(f'"{word}"' for word in words[:_ASKED_FOR])
    return " & ".join(f"'{word}'" for word in words[:_ASKED_FOR])
