"""A copy of a store while it is being written to, and what a store is: its schema, size and soundness.

A store is looked at as it stands, of whatever version; nothing here migrates it.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from osler.core.events import Frozen
from osler.errors import BadInput, BadStore
from osler.files import whole_file
from osler.store.connect import SALVAGE, State, address, as_it_stands, label_of, state_of
from osler.store.schema import HEAD, VERSION_TABLE, runs

_BYTES: Final = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size() WHERE :known <> ''",
    "postgresql": "SELECT sum(pg_total_relation_size(each.oid)) FROM pg_class AS each JOIN pg_class AS known "
    "USING (relnamespace) WHERE each.relkind = 'r' AND known.oid = CAST(:known AS regclass)",
}
"""The bytes of a store; on a server, of all tables in the schema of the table `known`."""


class StoreInfo(Frozen):
    """A store's schema beside this program's (`knows`), its runs, and its size in bytes. `sound` is `None` if
    it was not verified."""

    store: str
    schema_version: str
    knows: str
    state: State
    runs: int
    bytes: int
    sound: bool | None = None


def info(url: str | None, *, verify: bool = False) -> StoreInfo:
    """Describe a store; with `verify` every page of an SQLite file is read. Raises BadStore where there is
    none."""
    where = address(url)
    with as_it_stands(where) as (engine, version):
        with engine.connect() as connection:
            kept = connection.execute(sa.select(sa.func.count()).select_from(runs)).scalar_one()
            taken = bytes_of(connection)
        return StoreInfo(
            store=label_of(where),
            schema_version=version,
            knows=HEAD,
            state=state_of(version),
            runs=kept,
            bytes=taken,
            sound=_sound(engine) if verify else None,
        )


def bytes_of(connection: Connection) -> int:
    """The bytes of a store's file, or of all its tables, their partitions and indexes on a server."""
    query = sa.text(_BYTES[connection.dialect.name])
    return int(connection.execute(query, {"known": VERSION_TABLE}).scalar_one())


def backup(url: str | None, out: Path) -> StoreInfo:
    """Copy an SQLite store to a new file, as it stood at one instant, and verify the copy; its description.

    Others may go on writing. The file is readable by its owner alone and appears only when it is whole.
    Raises BadInput if it exists already or cannot be written, BadStore if the store or the copy is damaged
    or the store is on a server.
    """
    where = address(url)
    if where.get_backend_name() != "sqlite":
        raise BadStore(
            "a database server is backed up with its own program",
            where=label_of(where),
            hint="pg_dump --format=custom --file=FILE DATABASE",
        )
    if out.exists():
        raise BadInput("there is a file of this name", where=str(out), hint="name another one")
    with whole_file(out, private=True) as partial, as_it_stands(where) as (engine, _):
        _copy(engine, partial)
        store_info = info(str(partial), verify=True)
        if not store_info.sound:
            raise BadStore("the file is damaged", where=label_of(where), hint=SALVAGE)
    return store_info.model_copy(update={"store": label_of(address(str(out)))})


def _copy(engine: Engine, path: Path) -> None:
    source = engine.raw_connection()
    copied = sqlite3.connect(path, isolation_level=None)
    try:
        held = source.driver_connection
        assert isinstance(held, sqlite3.Connection)
        held.backup(copied)  # all pages in one step: a snapshot, and no writer waits for it
    finally:
        copied.close()
        source.close()


def _sound(engine: Engine) -> bool | None:
    """Whether SQLite finds every page and index in order; a server's database is not looked at."""
    if engine.dialect.name != "sqlite":
        return None
    with engine.connect() as connection:
        return connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar() == "ok"
