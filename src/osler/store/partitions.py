"""Partitions of large runs on PostgreSQL: what such a run holds most of stands in tables of its own.

`exchanges`, `inner_exchanges` and `judgements` are partitioned by run. Most runs share the default partition;
one that plans more than `LARGE` episodes gets partitions of its own before it begins, so that deleting it
empties tables in place of deleting millions of rows, and the rows of others lie apart from its own. That is
an optimisation: whatever goes wrong, the run begins, in the default partition.

How a partition is made: an empty table of the same columns; a check on the default partition that it has no
row of the run, validated while others read and write; then the table is attached, for which the default
partition is not read since the check says enough. A run's number is drawn before all that, and one whose
partitions were not all made is never used: what is left of the attempt is in nobody's way, and is removed now
or with a later attempt.

Locks: nobody is to wait long for us, or to be chosen by the server to end a deadlock with us, for which it
looks when somebody has waited for a second (its `deadlock_timeout`). A transaction that needs one contested
lock may wait longer for it than that, whereupon autovacuum gives way. One that needs two or three waits for
all of them together for less than a second: whoever waits for us in the meantime waits for less than that,
too, and goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from osler.store.connect import explain
from osler.store.schema import episodes, exchanges, inner_exchanges, judgements, runs

LOG: Final = logging.getLogger("osler.store")
LARGE: Final = 50_000
"""A run that plans more episodes than this gets partitions of its own."""
PATIENCE: Final = "1500ms"
"""The lock timeout of a transaction that needs one contested lock."""
BRIEFLY: Final = "300ms"
"""The lock timeout, for each, of one that needs up to three of them."""
TRIES: Final = 3
_SHARES: Final = "gets no partitions of its own and shares those of the others"
_REFERRED: Final = {
    exchanges.name: runs.name,
    inner_exchanges.name: runs.name,
    judgements.name: episodes.name,
}
"""The partitioned tables in the order in which they are read, each with the table that it refers to."""
EMPTIED: Final = (exchanges, inner_exchanges)
"""The tables whose rows of a large run are deleted at once."""
_EMPTYING: Final = 0x6F736C6572 + 1  # PostgreSQL's advisory lock while tables are emptied

# The runs of which there is a table or a check, whether or not it is attached.
_NUMBERED: Final = sa.text(
    "SELECT DISTINCT CAST(substring(name FROM '_([0-9]+)$') AS bigint) FROM ("
    " SELECT relname AS name FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
    " UNION ALL SELECT conname FROM pg_constraint"
    " WHERE contype = 'c' AND connamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
    ") AS named WHERE name ~ :pattern"
)
_PATTERN: Final = f"^({'|'.join(_REFERRED)})_(run|not)_[0-9]+$"


def _own(table: str, run_id: int) -> str:
    return f"{table}_run_{run_id}"


def _check(table: str, run_id: int) -> str:
    return f"{table}_not_{run_id}"


@contextmanager
def begun(engine: Engine, planned: int) -> Iterator[dict[str, int]]:
    """Meanwhile, a run is begun: its number as the column `id`, if it is large and has partitions, or else
    nothing. If it is not begun after all, they are removed again."""
    run_id = _prepared(engine) if planned > LARGE and engine.dialect.name == "postgresql" else None
    try:
        yield {} if run_id is None else {"id": run_id}
    except BaseException:
        if run_id is not None:
            sweep(engine, run_id)
        raise


def _prepared(engine: Engine) -> int | None:
    """Make partitions for a new number of a run; `None`, and a warning, if that cannot be done."""
    try:
        with engine.begin() as connection:
            drawn = sa.func.nextval(sa.func.pg_get_serial_sequence(runs.name, "id"))
            run_id = int(connection.execute(sa.select(drawn)).scalar_one())
    except SQLAlchemyError as error:
        _warn(_SHARES, error)
        return None
    try:
        for table, referred in _REFERRED.items():
            _make(engine, table, referred, run_id)
    except SQLAlchemyError as error:
        _warn(_SHARES, error)
        sweep(engine, run_id)
        return None
    return run_id


def _make(engine: Engine, table: str, referred: str, run_id: int) -> None:
    own, check, rest = _own(table, run_id), _check(table, run_id), f"{table}_default"
    _do(
        engine,
        PATIENCE,
        f"CREATE TABLE {own} (LIKE {table} INCLUDING ALL)",
        f"ALTER TABLE {rest} ADD CONSTRAINT {check} CHECK (run <> {run_id}) NOT VALID",
    )
    _do(engine, PATIENCE, f"ALTER TABLE {rest} VALIDATE CONSTRAINT {check}")
    attach = (
        f"LOCK TABLE ONLY {table} IN SHARE UPDATE EXCLUSIVE MODE",  # which neither readers nor writers mind
        f"LOCK TABLE ONLY {referred} IN SHARE ROW EXCLUSIVE MODE",  # before what refers to it, as writers do
        f"ALTER TABLE {table} ATTACH PARTITION {own} FOR VALUES IN ({run_id})",
        f"ALTER TABLE {rest} DROP CONSTRAINT {check}",
    )
    for _ in range(TRIES - 1):
        with suppress(SQLAlchemyError):
            return _do(engine, BRIEFLY, *attach)
    _do(engine, BRIEFLY, *attach)


def held(connection: Connection, run_id: int) -> tuple[str, ...]:
    """The names of a run's partitions of `EMPTIED`; none on SQLite, or if not all of them are there."""
    if connection.dialect.name != "postgresql":
        return ()
    own = tuple(_own(table.name, run_id) for table in EMPTIED)
    attached = sa.text("SELECT relispartition FROM pg_class WHERE oid = to_regclass(:name)")
    there = [bool(connection.execute(attached, {"name": name}).scalar()) for name in own]
    return own if all(there) else ()


def freeze(connection: Connection, own: Sequence[str]) -> bool:
    """Let nobody else write to a run's partitions until the transaction ends; whether that was possible.
    Reads nothing, so that what is read next, at whatever isolation, is all that they will ever hold."""
    return _possible(connection, f"LOCK TABLE {', '.join(own)} IN SHARE ROW EXCLUSIVE MODE") if own else False


def empty(connection: Connection, own: Sequence[str]) -> bool:
    """Delete all rows of a run's partitions at once, in the connection's transaction; whether that was
    possible. To be done last in it: until it ends nobody can read them, nor anything that is not asked for
    one run alone, such as the checks of a run's deletion, so that two cannot be emptied at the same time.

    They are not dropped here: that would halt the users of all other runs, too. Judgements are not among
    them: the deletion of each episode looks for those of its own, in all partitions.
    """
    alone = f"SELECT pg_advisory_xact_lock({_EMPTYING})"
    return _possible(connection, alone, f"TRUNCATE {', '.join(own)}") if own else False


def sweep(engine: Engine, run_id: int) -> None:
    """Drop the partitions of a run that is not there any more, or was not begun, and what earlier attempts
    have left. What cannot be locked at once stays, empty, for the next time."""
    with suppress(SQLAlchemyError):
        with engine.begin() as connection:
            numbered = set(connection.execute(_NUMBERED, {"pattern": _PATTERN}).scalars())
            newest = connection.execute(sa.select(sa.func.max(runs.c.id))).scalar() or 0
            there = set(connection.execute(sa.select(runs.c.id).where(runs.c.id.in_(numbered))).scalars())
        # A higher number may be that of a run that another process is about to begin.
        for number in sorted(one for one in numbered - there if one == run_id or one < newest):
            for table in _REFERRED:
                with suppress(SQLAlchemyError):
                    _drop(engine, table, number)


def _drop(engine: Engine, table: str, run_id: int) -> None:
    own = _own(table, run_id)
    with engine.begin() as connection:
        _wait(connection, PATIENCE)
        connection.exec_driver_sql(f"LOCK TABLE ONLY {table} IN ACCESS EXCLUSIVE MODE")
        _wait(connection, BRIEFLY)  # with that lock, there is hardly anybody left to wait for
        connection.exec_driver_sql(
            f"ALTER TABLE {table}_default DROP CONSTRAINT IF EXISTS {_check(table, run_id)}"
        )
        if connection.execute(sa.select(sa.func.to_regclass(own))).scalar() is None:
            return
        # Only now that nobody else can write to it: a run of this number may have begun in the meantime.
        there = connection.execute(sa.select(runs.c.id).where(runs.c.id == run_id)).first()
        if there or connection.exec_driver_sql(f"SELECT 1 FROM {own} LIMIT 1").first():  # noqa: S608 - our name
            return
        connection.exec_driver_sql(f"DROP TABLE {own}")


def _do(engine: Engine, patience: str, *statements: str) -> None:
    with engine.begin() as connection:
        _wait(connection, patience)
        for statement in statements:
            connection.exec_driver_sql(statement)


def _wait(connection: Connection, patience: str) -> None:
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{patience}'")


def _possible(connection: Connection, *statements: str) -> bool:
    try:
        with connection.begin_nested():
            _wait(connection, BRIEFLY)
            for statement in statements:
                connection.exec_driver_sql(statement)
            connection.exec_driver_sql("SET LOCAL lock_timeout = DEFAULT")
    except SQLAlchemyError as error:
        _warn("is deleted row by row, which takes longer", error)
        return False
    return True


def _warn(what: str, error: SQLAlchemyError) -> None:
    LOG.warning("the run %s: %s", what, explain(error)[0])
