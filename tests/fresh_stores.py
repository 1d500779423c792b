"""New stores with the tables that the migrations make, all at once instead of by one migration after another.

Tests of opening and migrating open theirs by the migrations themselves, and so does every process that a test
starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy.engine import Engine
from sqlalchemy.schema import CreateIndex, CreateTable

from osler.memory.sql_memory import metadata as of_memory
from osler.store import connect
from osler.store.migrations.versions import v0020_counts, v0021_partitions
from osler.store.schema import HEAD, VERSION_TABLE, episode_counts
from osler.store.schema import metadata as of_store

by_migrations = connect._migrate
MIGRATED = frozenset(
    f"store/test_{name}.py"
    for name in ("opening", "earlier_versions", "earlier_protocols", "backup", "processes")
)
"""The files of tests whose stores are migrated."""
VERSION = f"INSERT INTO {VERSION_TABLE} VALUES ('{HEAD}')"


class _Now:
    """The test that runs at present may be given new stores quickly."""

    quick = True


def installed() -> None:
    """Open new stores quickly from now on."""
    connect._migrate = _migrate


def told(path: Path, root: Path) -> None:
    """Say which file the next test stands in."""
    _Now.quick = path.relative_to(root).as_posix() not in MIGRATED


def _migrate(engine: Engine, label: str) -> None:
    if not _Now.quick or connect._version(engine, label) is not None:
        by_migrations(engine, label)
        return
    on_file = engine.dialect.name == "sqlite"
    if on_file:
        connect._prepare_file(engine)
    with engine.execution_options(**{connect.WRITES: True}).begin() as connection:
        if not on_file:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({connect._MIGRATION_LOCK})")
        if connect._version(connection, label) is None:  # else another process was faster
            for statement in of_file() if on_file else of_server(engine):
                connection.exec_driver_sql(statement)
            if not on_file:
                with Operations.context(MigrationContext.configure(connection)):
                    for migration in (v0020_counts, v0021_partitions):
                        migration.upgrade()


@cache
def of_file() -> Sequence[str]:
    """The statements that make an empty SQLite store of today's schema, as the migrations made them once in
    this process."""
    with TemporaryDirectory() as folder:
        label = f"{folder}/osler.db"
        engine = connect._engine(connect.address(label), label)
        by_migrations(engine, label)
        with engine.connect() as connection:
            tables = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
            found = [*connection.exec_driver_sql(tables).scalars(), VERSION]
        engine.dispose()
    return found


def of_server(engine: Engine) -> Sequence[str]:
    """One statement of many that makes an empty PostgreSQL store of today's schema, but for the triggers and
    partitions, of which the schema knows nothing."""
    made = [
        table
        for metadata in (of_store, of_memory)
        for table in metadata.sorted_tables
        if table is not episode_counts
    ]
    tables = [str(CreateTable(one).compile(engine)) for one in made]
    indexes = [str(CreateIndex(index).compile(engine)) for one in made for index in one.indexes]
    version = (
        f"CREATE TABLE {VERSION_TABLE} "
        f"(version_num VARCHAR(32) NOT NULL, CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
    )
    return [";".join([*tables, *indexes, version, VERSION])]
