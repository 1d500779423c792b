"""Locating, creating, opening and migrating a store, and the errors of its database in plain language."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from osler.errors import BadStore, InfrastructureFault, install_line
from osler.files import create_private
from osler.store.schema import FIRST, HEAD, VERSION_TABLE

State = Literal["current", "older", "newer", "unreleased"]
DEFAULT: Final = "sqlite:///osler.db"
WRITES: Final = "osler_writes"  # execution option: this connection's transactions will write
_WAIT_S: Final = 30.0  # how long to wait for another writer of the same file
_PAGE_BYTES: Final = 16384  # a model's rows fit in one page: half the disk space of 4096
_MIGRATION_LOCK: Final = 0x6F736C6572  # "osler", PostgreSQL's advisory lock while migrating
_SETTING: Final = "OSLER_STORE"
_REFUSED: Final = "FATAL:"  # the prefix of PostgreSQL's reason for rejecting a client
SALVAGE: Final = (
    "restore a copy; what is left can be had with `sqlite3 DAMAGED .recover | sqlite3 NEW` and --store NEW"
)
MIGRATIONS: Final = Path(__file__).parent / "migrations"
CARRIED: Final = (
    "with the Osler that wrote it, osler runs archive RUN --out FOLDER, which osler runs restore FOLDER reads"
    " here; or osler export RUN --out FILE, of which osler show FILE:0 shows an episode"
)
"""How the runs of a store from before the first release are carried over."""
_COPY: Final = "copy it, and what stands beside it, to a folder that is writable"
_KNOWN: Final = (
    ("is locked", "another program is writing to it", "try again when that has finished"),
    ("not a database", "this is not an Osler store", f"name another file in {_SETTING}"),
    ("unable to open", "the file cannot be opened", "check that it may be read, and that its folder exists"),
    ("readonly", "the store is read-only", _COPY),
    ("malformed", "the file is damaged", SALVAGE),
    ("decode", "the file is damaged", SALVAGE),
    # The version is checked when a store is opened, so a table that lacks a column has lost it.
    ("has no column", "the file is damaged", SALVAGE),
    ("no such column", "the file is damaged", SALVAGE),
    ("is full", "the disk is full", "free some space; recorded data is safe"),
    ("no space left", "the server's disk is full", "free some space; recorded data is safe"),
    ("disk i/o error", "the disk cannot be read or written", "check the disk; recorded data is safe"),
    ("foreign key", "the run was deleted in the meantime", "start another run"),
    ("connection", "the database server does not answer", f"check that it is running, and {_SETTING}"),
)


def address(url: str | os.PathLike[str] | None) -> URL:
    """The store's address: as given (a URL or a path), else OSLER_STORE, else `osler.db` in this folder."""
    text = os.fspath(url or os.environ.get("OSLER_STORE") or DEFAULT)
    if "://" not in text:
        return URL.create("sqlite", database=str(Path(text).expanduser()))
    try:
        parsed = make_url(text)
    except (ArgumentError, ValueError):
        # The address itself may hold a password, so the message does not repeat it.
        raise BadStore(
            "this is not the address of a store",
            hint="write a path, sqlite:///PATH or postgresql://USER@HOST/DATABASE",
        ) from None
    kind = parsed.get_backend_name()
    if kind in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise BadStore(f"{kind} is not supported as a store", hint="use SQLite or PostgreSQL")
    if parsed.database in (None, "", ":memory:"):
        raise BadStore("an in-memory store would be lost", hint="name a file: sqlite:///osler.db")
    return parsed.set(drivername="sqlite")


def label_of(url: URL) -> str:
    """The address in a form safe to show and record: no password, no options."""
    if url.get_backend_name() == "sqlite":
        return f"sqlite:///{url.database}"
    plain = URL.create("postgresql", url.username, None, url.host, url.port, url.database)
    return plain.render_as_string()


def open_engine(url: URL, *, create: bool = True) -> Engine:
    """Connect, migrate if needed, create only if asked to; raises `BadStore` if that fails."""
    label = label_of(url)
    if not create and url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        raise _no_store(label)  # connecting would create the file
    if create and url.get_backend_name() == "sqlite" and "uri" not in url.query:
        with suppress(OSError):  # SQLite says what is wrong, and gives what stands beside it the same mode
            create_private(Path(url.database or ""))
    readable = _readable(url)
    engine = _engine(readable, label)
    try:
        version = _version(engine, label)
        if version is None and not create:
            raise _no_store(label)
        if not _is_current(version, label):
            if readable != url:
                what = "the store was written by an older Osler, must be brought up to date, and is read-only"
                raise BadStore(what, where=label, hint=_COPY)
            _bring_up_to_date(engine, label)
    except (SQLAlchemyError, UnicodeDecodeError) as error:  # SQLite quotes damaged bytes in its message
        engine.dispose()
        what, hint = explain(error)
        if readable != url and "immutable" not in readable.query:
            what, hint = "the store is read-only, and some of its rows still stand in a file beside it", _COPY
        raise BadStore(what, where=label, hint=hint) from error
    except BadStore:
        engine.dispose()
        raise
    return engine


@contextmanager
def as_it_stands(url: URL) -> Iterator[tuple[Engine, str]]:
    """Meanwhile, an engine on a store of whatever version, which is not migrated, and its schema's version;
    raises `BadStore` if there is no store."""
    label = label_of(url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise _no_store(label)
    engine = _engine(_readable(url), label)
    try:
        version = _version(engine, label)
        if version is None:
            raise _no_store(label)
        if not _is_ours(version):
            raise BadStore("this database belongs to another program", where=label, hint="name another one")
        yield engine, version
    except (SQLAlchemyError, sqlite3.Error, UnicodeDecodeError) as error:
        what, hint = explain(error)
        raise BadStore(what, where=label, hint=hint) from error
    finally:
        engine.dispose()


def _readable(url: URL) -> URL:
    """The address under which a store that cannot be written, such as one on read-only media, can be read."""
    path = Path(url.database or "")
    if url.get_backend_name() != "sqlite" or not path.exists():
        return url
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return url
    # SQLite writes beside the file even to read it, unless it is told that no one will change it. Where rows
    # still stand beside it, someone may be writing, and it must be asked the usual way.
    unwritten = any(_holds_rows(path.with_name(path.name + end)) for end in ("-wal", "-journal"))
    query = {**url.query, "uri": "true", "mode": "ro"} | ({} if unwritten else {"immutable": "1"})
    return url.set(database=f"file:{quote(str(path.resolve()))}", query=query)


def _holds_rows(beside: Path) -> bool:
    return beside.exists() and beside.stat().st_size > 0


def _no_store(label: str) -> BadStore:
    return BadStore(
        "there is no store here",
        where=label,
        hint="check --store and OSLER_STORE; osler consult creates a store",
    )


def _engine(url: URL, label: str) -> Engine:
    try:
        if url.get_backend_name() == "sqlite":
            return _sqlite(url)
        return _postgresql(url)
    except ImportError:
        raise BadStore("PostgreSQL needs psycopg", where=label, hint=install_line("postgres")) from None
    except (ArgumentError, ValueError):
        raise BadStore("an option in the address is invalid", where=label) from None


def _postgresql(url: URL) -> Engine:
    engine = sa.create_engine(url, hide_parameters=True)

    @sa.event.listens_for(engine, "connect")
    def _settings(connection: Any, _record: object) -> None:  # a DBAPI connection has no type
        # A machine that disappears in mid-transaction must not block others from its episodes.
        connection.execute(f"SET idle_in_transaction_session_timeout = '{_WAIT_S:.0f}s'")
        connection.commit()

    return engine


class _File:
    """The file of an SQLite store. A process can go on writing to a file that was removed or replaced, and
    nobody would ever read it."""

    def __init__(self, url: URL) -> None:
        self._path, self._label = Path(url.database or ""), label_of(url)
        self._first: tuple[int, int] | None = None

    def opened(self) -> None:
        """Remember which file the first connection opened."""
        self._first = self._first or self._now()

    def check(self) -> None:
        """Raise InfrastructureFault if the path now leads to no file, or to another one."""
        if self._first is not None and self._now() != self._first:
            raise InfrastructureFault(
                "the store was removed or replaced while it was in use",
                where=self._label,
                hint="what was recorded is in the file that was there; put it back, or start another run",
            )

    def _now(self) -> tuple[int, int] | None:
        try:
            result = self._path.stat()
        except OSError:
            return None
        return result.st_dev, result.st_ino


def _sqlite(url: URL) -> Engine:
    wait = {} if "timeout" in url.query else {"timeout": _WAIT_S}
    # Writers keep theirs while they queue: readers must not wait for one of them to come back.
    in_memory = url.database in (None, "", ":memory:") or "uri" in url.query
    pool: dict[str, Any] = {} if in_memory else {"pool_size": 64, "max_overflow": 64}
    engine = sa.create_engine(url, connect_args=wait, hide_parameters=True, **pool)
    file, one_writer = _File(url), Lock()

    @sa.event.listens_for(engine, "connect")
    def _settings(connection: Any, _record: object) -> None:  # a DBAPI connection has no type
        connection.isolation_level = None  # transactions begin below, where their purpose is known
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")
        file.opened()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A read transaction that upgrades to writing fails at once if another process wrote in between;
        # one that begins as a writer waits its turn.
        writes = connection.get_execution_options().get(WRITES, False)
        if writes:
            file.check()
            # SQLite has writers look again after up to 0.1 s; those of one process need not wait so long.
            if not connection.info.get(WRITES):
                connection.info[WRITES] = one_writer.acquire(timeout=_WAIT_S)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    @sa.event.listens_for(engine, "checkin")
    def _given_back(_connection: Any, record: Any) -> None:  # a DBAPI connection has no type
        if record.info.pop(WRITES, False):
            one_writer.release()

    return engine


def _version(source: Engine | Connection, label: str) -> str | None:
    """The schema's version, or `None` for an empty database; `BadStore` if the database is something else."""
    if isinstance(source, Engine):
        with source.connect() as connection:
            return _version(connection, label)
    tables = sa.inspect(source).get_table_names()
    if VERSION_TABLE in tables:
        version = sa.select(sa.column("version_num", sa.Text)).select_from(sa.table(VERSION_TABLE))
        return source.execute(version).scalar()
    if tables:
        raise BadStore(
            "this database holds something else",
            where=label,
            hint="name another file, or for PostgreSQL a database or schema of its own",
        )
    return None


def _is_current(version: str | None, label: str) -> bool:
    if version is None or version == HEAD:
        return version == HEAD
    if not _is_ours(version):
        raise BadStore("this database belongs to another program", where=label, hint="name another one")
    state = state_of(version)
    if state == "unreleased":
        raise BadStore(
            f"this store was made before the first release (schema {version}; this Osler begins at {FIRST})",
            where=label,
            hint=CARRIED,
        )
    if state == "newer":
        raise BadStore(
            f"this store was written by a newer Osler (schema {version}; this one knows {HEAD})",
            where=label,
            hint="upgrade Osler, or name another store",
        )
    return False


def state_of(version: str) -> State:
    """The state of a store of this schema: "older" ones are brought up to date as they are opened, "newer"
    ones and those from before the first release ("unreleased") are refused."""
    if version < FIRST:
        return "unreleased"
    if version == HEAD:
        return "current"
    return "older" if version < HEAD else "newer"


def _is_ours(version: str) -> bool:
    return len(version) == len(HEAD) and version.isdecimal()


def _bring_up_to_date(engine: Engine, label: str) -> None:
    if engine.dialect.name == "sqlite":
        _prepare_file(engine)
    with engine.execution_options(**{WRITES: True}).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
        version = _version(connection, label)
        if _is_current(version, label):
            return  # another process was faster
        if version is None:
            from osler.store.creation import create  # noqa: PLC0415 - import time

            create(connection)
        else:
            _migrate(connection)


def _migrate(connection: Connection) -> None:
    # Imported here because it takes a third of a second and a store is nearly always up to date.
    from alembic import command  # noqa: PLC0415 - import time
    from alembic.config import Config  # noqa: PLC0415 - import time

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _prepare_file(engine: Engine) -> None:
    """Set the options stored in the file. SQLite does not wait for other writers here, so we retry."""
    deadline = time.monotonic() + _WAIT_S
    while True:
        connection = engine.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA page_size={_PAGE_BYTES}")
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if time.monotonic() > deadline:
                raise OperationalError(None, None, error) from error
            time.sleep(0.02)
        finally:
            connection.close()


def explain(error: BaseException) -> tuple[str, str]:
    """(problem, hint) for a SQLAlchemy exception; reveals no statement and no values."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    text = str(cause).strip() or type(cause).__name__
    if _REFUSED in text:
        reason = text.split(_REFUSED, 1)[1].strip().splitlines()[0]
        return f"the database server refuses: {reason}", f"check {_SETTING}"
    for sign, what, hint in _KNOWN:
        if sign in text.lower():
            return what, hint
    return f"the database says: {text.splitlines()[0]}", ""
