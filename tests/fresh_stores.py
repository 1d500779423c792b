"""New SQLite stores with the tables that the migrations made once in this process, instead of once for each.

`tests/store` opens its stores by the migrations themselves, and so does every process that a test starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.engine import Engine

from osler.store import connect
from osler.store.schema import HEAD, VERSION_TABLE

by_migrations = connect._migrate
MIGRATED = "store"
"""The folder of the tests whose stores are migrated."""


class _Now:
    """The test that runs at present may be given new stores quickly."""

    quick = True


def installed() -> None:
    """Open new stores quickly from now on."""
    connect._migrate = _migrate


def told(path: Path, root: Path) -> None:
    """Say which file the next test stands in."""
    _Now.quick = not path.is_relative_to(root / MIGRATED)


def _migrate(engine: Engine, label: str) -> None:
    if not _Now.quick or engine.dialect.name != "sqlite" or connect._version(engine, label) is not None:
        by_migrations(engine, label)
        return
    connect._prepare_file(engine)
    with engine.execution_options(**{connect.WRITES: True}).begin() as connection:
        if connect._version(connection, label) is None:  # else another process was faster
            for statement in statements():
                connection.exec_driver_sql(statement)


@cache
def statements() -> Sequence[str]:
    """The statements that make an empty store of today's schema."""
    with TemporaryDirectory() as folder:
        label = f"{folder}/osler.db"
        engine = connect._engine(connect.address(label), label)
        by_migrations(engine, label)
        with engine.connect() as connection:
            tables = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
            made = connection.exec_driver_sql(tables).scalars()
            found = [*made, f"INSERT INTO {VERSION_TABLE} VALUES ('{HEAD}')"]
        engine.dispose()
    return found
