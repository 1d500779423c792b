"""The rows of a finished run, in blocks: read from one store and written to another, as they stand.

A block holds cases, image files, or whole episodes with all that belongs to them. Texts are in their stored
form (`schema.storable`), which is the same in both databases, so that what is copied is exactly what was
kept. Nothing that people own or that is of the moment is copied: permissions, deletions, seats taken in the
browser, open questions, workers. A run that has any of them is no finished run without people; see
`osler.store.archive`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b, sha256
from itertools import islice
from typing import Annotated, Any, Final, Literal, NamedTuple

import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError

from osler.core.events import Frozen
from osler.errors import BadInput, BadStore
from osler.store import partitions
from osler.store.records import RunStatus
from osler.store.schema import cases, episodes, metadata, pictures, run_cases, run_pictures, runs
from osler.store.store import Store

Kind = Literal["cases", "pictures", "episodes"]
Row = tuple[Any, ...]

NOT_COPIED: Final = frozenset(
    {
        *("asked", "practice", "permissions", "deletions", "workers", "leases"),
        *("budgets", "listed_cases", "run_cases", "run_pictures", "episode_counts", "search_lines"),
    }
)
"""The tables of runs that are no part of a block: what is people's or of the moment, what a finished run does
without, and the links to cases and image files, the number of episodes and the index, which follow from
these."""
CHILDREN: Final = tuple(
    table
    for table in metadata.sorted_tables
    if {"run", "ordinal"} <= {*table.columns.keys()} and table.name not in {*NOT_COPIED, "episodes"}
)
"""The tables of what belongs to an episode."""
TABLES: Final = (episodes, *CHILDREN)

EPISODES: Final = 1000
"""The episodes after which a block is full."""
BYTES: Final = 16_000_000
"""The bytes of texts after which a block is full."""
_YEAR_10000: Final = 253_402_300_800
_PAGE: Final = 16  # episodes or cases read at once: those of models that keep their prompts are large


class Head(Frozen):
    """The row of a run: `created_at` is in seconds since 1970, UTC, `manifest` is JSON text."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    created_at: Annotated[float, Field(ge=0, lt=_YEAR_10000, allow_inf_nan=False)]
    status: RunStatus
    planned: Annotated[int, Field(ge=0, lt=2**31, strict=True)]
    manifest: str


class Block(NamedTuple):
    """Rows by table, without the column `run`: of `cases` (hash, body), of `pictures` (name, and the columns
    of that table), or of the tables of episodes, each sorted by ordinal and key. `first` and `last` are the
    hashes, names or ordinals of the range."""

    kind: Kind
    first: int | str
    last: int | str
    rows: Mapping[str, Sequence[Row]]

    @property
    def many(self) -> int:
        """The number of cases, image files or episodes."""
        return len(self.rows[self.kind])


class Column(NamedTuple):
    """A column of a block; `type` is what it is called in Arrow."""

    name: str
    type: str
    nullable: bool = False


def _kept(table: sa.Table) -> list[sa.Column[Any]]:
    return [one for one in table.columns if one.name != "run"]


def _type(column: sa.Column[Any]) -> str:
    kinds = ((sa.BigInteger, "int64"), (sa.Integer, "int32"), (sa.Double, "float64"))
    return next((name for kind, name in kinds if isinstance(column.type, kind)), "string")


def columns_of(table: sa.Table) -> tuple[Column, ...]:
    """The columns of a table's rows in a block of episodes."""
    return tuple(Column(one.name, _type(one), bool(one.nullable)) for one in _kept(table))


COLUMNS: Final[Mapping[str, tuple[Column, ...]]] = {
    "cases": (Column("hash", "string"), Column("body", "binary")),
    "pictures": (
        Column("name", "string"),
        Column("sha256", "string"),
        Column("media_type", "string"),
        Column("width", "int32"),
        Column("height", "int32"),
        Column("body", "binary"),
    ),
    **{table.name: columns_of(table) for table in TABLES},
}
"""The columns of each table of a block."""


def head_of(store: Store, run_id: int) -> Head:
    """The row of a run. Raises BadInput if it is no longer there."""
    with store.connected() as connection:
        row = connection.execute(sa.select(runs).where(runs.c.id == run_id)).first()
    if row is None:
        raise BadInput("the run no longer exists", where=store.label)
    return Head(**{name: value for name, value in row._mapping.items() if name != "id"})


def blocks_of(store: Store, run_id: int) -> Iterator[Block]:
    """Yield the blocks of a run: its cases by hash, its image files by name, its episodes by ordinal. Not
    more than one block is in memory. Raises BadStore where rows are not what was written."""
    yield from _blocks("cases", _case_pages(store, run_id))
    yield from _blocks("pictures", _picture_pages(store, run_id))
    yield from _blocks("episodes", _episode_pages(store, run_id))


def _blocks(kind: Kind, pages: Iterable[Mapping[str, list[Row]]]) -> Iterator[Block]:
    held: dict[str, list[Row]] = {}
    size = 0
    for page in pages:
        for name, rows in page.items():
            held.setdefault(name, []).extend(rows)
            size += sum(len(cell) for row in rows for cell in row if isinstance(cell, str | bytes))
        if size >= BYTES or len(held[kind]) >= EPISODES:
            yield _block(kind, held)
            held, size = {}, 0
    if held:
        yield _block(kind, held)


def _block(kind: Kind, rows: Mapping[str, list[Row]]) -> Block:
    return Block(kind, rows[kind][0][0], rows[kind][-1][0], rows)


def _case_pages(store: Store, run_id: int) -> Iterator[Mapping[str, list[Row]]]:
    joined = run_cases.join(cases, cases.c.hash == run_cases.c.hash)
    query = sa.select(cases).select_from(joined).where(run_cases.c.run == run_id)
    after = ""
    while True:
        with store.connected() as connection:
            later = query.where(run_cases.c.hash > after).order_by(run_cases.c.hash).limit(_PAGE)
            rows = [(row.hash, zlib.decompress(row.body)) for row in connection.execute(later)]
        if not rows:
            return
        for case_hash, body in rows:
            if not is_case(case_hash, body):
                raise BadStore(f"the case {case_hash} is not what was written", where=store.label)
        yield {"cases": list[Row](rows)}
        after = rows[-1][0]


def _picture_pages(store: Store, run_id: int) -> Iterator[Mapping[str, list[Row]]]:
    joined = run_pictures.join(pictures, pictures.c.sha256 == run_pictures.c.sha256)
    names = sa.select(sa.type_coerce(run_pictures.c.name, sa.Text)).where(run_pictures.c.run == run_id)
    with store.connected() as connection:
        listed = sorted(connection.execute(names).scalars())
    wanted = [one.name for one in COLUMNS["pictures"][1:]]
    for name in listed:  # one at a time: each may have many megabytes
        with store.connected() as connection:
            query = sa.select(*(pictures.c[one] for one in wanted)).select_from(joined)
            here = (run_pictures.c.run == run_id, sa.type_coerce(run_pictures.c.name, sa.Text) == name)
            *cells, body = connection.execute(query.where(*here)).one()
        yield {"pictures": [(name, *cells, bytes(body))]}


def _episode_pages(store: Store, run_id: int) -> Iterator[Mapping[str, list[Row]]]:
    ordinals = iter(store.done(run_id))
    while some := list(islice(ordinals, _PAGE)):
        with store.connected() as connection:
            yield {table.name: _rows(connection, table, run_id, some[0], some[-1]) for table in TABLES}


def _rows(connection: Connection, table: sa.Table, run_id: int, first: int, last: int) -> list[Row]:
    columns = _kept(table)
    as_stored = [
        sa.type_coerce(one, sa.Text) if isinstance(one.type, sa.TypeDecorator) else one for one in columns
    ]
    query = sa.select(*as_stored).where(table.c.run == run_id, table.c.ordinal.between(first, last))
    names = [one.name for one in columns]
    key = [names.index(one.name) for one in table.primary_key if one.name not in ("run", "ordinal")]
    at = names.index("ordinal")
    rows = [tuple(row) for row in connection.execute(query)]
    return sorted(rows, key=lambda row: (row[at], *(row[one] for one in key)))


def is_case(case_hash: str, body: bytes) -> bool:
    """Whether a case's JSON has this content hash."""
    return blake2b(body, digest_size=16).hexdigest() == case_hash


def put_run(store: Store, head: Head, blocks: Iterable[Block], *, at_once: bool) -> int:
    """Write a run that was read in blocks as a new run, and return its id. `at_once`: in one transaction, all
    or nothing; otherwise each block in one of its own.

    Raises BadInput if there is a run of this name, and as `put_block` does.
    """
    rest = iter(blocks)
    with partitions.begun(store.engine, head.planned) as number, store.writing() as connection:
        insert = sa.insert(runs).values(**head.model_dump(), **number)
        try:
            run_id = int(connection.execute(insert.returning(runs.c.id)).scalar_one())
        except IntegrityError:
            what = f"there is already a run {head.name!r}"
            raise BadInput(
                what, where=store.label, hint=f"osler runs delete {head.name}, if it is another"
            ) from None
        for block in rest if at_once else ():
            put_block(connection, run_id, block)
    for block in rest:
        with store.writing() as connection:
            put_block(connection, run_id, block)
    return run_id


def put_block(connection: Connection, run_id: int, block: Block) -> None:
    """Write a block's rows in the connection's transaction. Raises BadInput for a case or an image file that
    does not have the hash it is kept under."""
    if block.kind == "cases":
        _put_cases(connection, run_id, block.rows["cases"])
    elif block.kind == "pictures":
        _put_pictures(connection, run_id, block.rows["pictures"])
    else:
        for table in TABLES:
            names = ["run", *(one.name for one in _kept(table))]
            _put(connection, table, names, [(run_id, *row) for row in block.rows[table.name]])


def _put_cases(connection: Connection, run_id: int, rows: Sequence[Row]) -> None:
    for case_hash, body in rows:
        if not is_case(case_hash, body):
            raise BadInput(f"the case {case_hash[:40]!r} has another content hash")
    held = [{"hash": case_hash, "body": zlib.compress(body, 1)} for case_hash, body in rows]
    _put_shared(connection, cases, held)
    _put(connection, run_cases, ["hash", "run"], [(case_hash, run_id) for case_hash, _ in rows])


def _put_pictures(connection: Connection, run_id: int, rows: Sequence[Row]) -> None:
    names = [one.name for one in COLUMNS["pictures"]]
    named = [dict(zip(names, row, strict=True)) for row in rows]
    for one in named:
        if sha256(one["body"]).hexdigest() != one["sha256"]:
            raise BadInput(f"the image file {one['name'][:40]!r} has another hash")
    _put_shared(connection, pictures, [{k: v for k, v in one.items() if k != "name"} for one in named])
    links = [(run_id, one["name"], one["sha256"]) for one in named]
    _put(connection, run_pictures, ["run", "name", "sha256"], links)


def _put_shared(connection: Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    """Insert what runs share; what is there already stays."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    connection.execute(dialect.insert(table).on_conflict_do_nothing(), rows)


def _put(connection: Connection, table: sa.Table, names: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert rows in their stored form, in bulk: by COPY on PostgreSQL, by the driver's own loop on
    SQLite."""
    if not rows:
        return
    if any("\0" in cell for row in rows for cell in row if isinstance(cell, str)):
        raise BadInput(f"a text of {table.name} holds a character that is never stored")
    quote = connection.dialect.identifier_preparer.quote
    into = f"{quote(table.name)} ({', '.join(map(quote, names))})"
    if connection.dialect.name == "sqlite":
        places = ", ".join("?" * len(names))
        connection.exec_driver_sql(f"INSERT INTO {into} VALUES ({places})", list(rows))  # noqa: S608 - our names
        return
    driver: Any = connection.connection
    faults: Any = connection.dialect.dbapi
    try:
        with driver.cursor() as cursor, cursor.copy(f"COPY {into} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    except faults.Error as error:
        raise DBAPIError("COPY", None, error) from error
