"""Fast bulk insert into SQLite and PostgreSQL that skips rows already present."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Dialect

Row = tuple[Any, ...]  # the columns' values in the table's order, texts already `storable`


class BulkInsert:
    """A bulk insert into one table; rows whose primary key already exists are left unchanged.

    SQLite: the driver's own `executemany`, at two thirds of the cost of Core's. PostgreSQL: all rows in one
    JSON argument, at a third of the client's time and three quarters of the wall time of row by row.
    """

    def __init__(self, table: sa.Table, dialect: Dialect) -> None:
        self._names = [column.name for column in table.columns]
        self._by_row, self._at_once = "", _from_json(table)
        if dialect.name == "sqlite":
            self._by_row = str(sqlite.insert(table).on_conflict_do_nothing().compile(dialect=dialect))

    def __call__(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Insert the rows in the connection's transaction."""
        if self._by_row:
            connection.exec_driver_sql(self._by_row, list(rows))
            return
        records = [dict(zip(self._names, row, strict=True)) for row in rows]
        text = json.dumps(records, ensure_ascii=False, default=_hex)
        connection.execute(self._at_once, {"rows": text})


def _from_json(table: sa.Table) -> sa.Insert:
    # Texts are already `storable`; treating the columns as plain text avoids encoding them twice.
    plain = [
        sa.column(c.name, sa.Text() if isinstance(c.type, sa.TypeDecorator) else c.type)
        for c in table.columns
    ]
    fresh = sa.func.json_to_recordset(sa.cast(sa.bindparam("rows", type_=sa.Text), postgresql.JSON))
    every = sa.select(*fresh.table_valued(*plain, name="fresh").render_derived(with_types=True).c)
    return postgresql.insert(table).from_select([c.name for c in plain], every).on_conflict_do_nothing()


def _hex(value: bytes) -> str:
    return f"\\x{value.hex()}"  # how PostgreSQL reads bytes
