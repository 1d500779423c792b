"""Copying the start of one episode into all episodes of another run, for a branch."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from osler.store.schema import exchanges, inner_exchanges, run_cases


class KeptPart(NamedTuple):
    """The first `at` exchanges of an episode of the run with id `run`, and its case's content hash."""

    run: int
    ordinal: int
    at: int
    case: str


def keep(connection: Connection, run_id: int, planned: int, kept: KeptPart) -> None:
    """Start every planned episode of a run with the kept exchanges, in the connection's transaction.

    The rows are copies owned by the run: its parent may be deleted.
    """
    connection.execute(sa.insert(run_cases).values(run=run_id, hash=kept.case))
    for table in (exchanges, inner_exchanges):
        copy = _copy(table, run_id, kept)
        for ordinal in range(planned):
            connection.execute(copy, {"target": ordinal})


def _copy(table: sa.Table, run_id: int, kept: KeptPart) -> sa.Insert:
    names = [column.name for column in table.columns]
    target = sa.bindparam("target", type_=sa.Integer)
    given = {"run": sa.literal(run_id).label("run"), "ordinal": target.label("ordinal")}
    source = sa.select(*(given.get(name, table.c[name]) for name in names)).where(
        table.c.run == kept.run, table.c.ordinal == kept.ordinal, table.c.n <= kept.at
    )
    return sa.insert(table).from_select(names, source)
