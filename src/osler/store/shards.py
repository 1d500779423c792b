"""Parquet shards: a block of a run's rows as one file, and back.

A shard of cases or image files has a row for each. A shard of episodes has a row for each episode, with a
list column for each table of what belongs to it, so that a shard is whole in itself and any reader of Parquet
can query it. Each column is one compressed stretch of zstd without dictionary pages: neighbouring texts are
alike, and the compressor finds it.

Nothing is decoded before the footer says that the file has our columns and is of a size that we write; hashes
are compared before that, by `osler.store.archive`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from osler.errors import BadInput, BadStore, install_line
from osler.store.run_rows import CHILDREN, COLUMNS, EPISODES, Block, Column, Kind, Row

LEVEL: Final = 9
"""The level of zstd: 15 takes six times as long for an eighth less."""
MOST_BYTES: Final = 1 << 30
"""The most bytes of a shard's columns before they are compressed."""
MOST_ROWS: Final = 2 * EPISODES
MOST_VALUES: Final = 20_000_000
"""The most values of one column."""
OPTIONS: Final[Mapping[str, Any]] = {
    "compression": "zstd",
    "compression_level": LEVEL,
    "version": "2.6",
    "use_dictionary": False,
    "write_statistics": False,
    "data_page_size": MOST_BYTES,
    "row_group_size": MOST_ROWS,
}


def list_column(table: str) -> str:
    """The name of the list column for a table of what belongs to an episode."""
    return f"{table}_rows"


def arrow() -> Any:
    """The package pyarrow. Raises BadInput where it is missing."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.parquet  # noqa: PLC0415 - an extra
    except ImportError:
        raise BadInput("archives are written and read with pyarrow", hint=install_line("archive")) from None
    return pa


def write_shard(path: Path, block: Block) -> None:
    """Write a block as a shard. Raises BadStore for a row that is not of its column's type, or belongs to no
    episode, and BadInput for a block too large to be read back."""
    pa = arrow()
    try:
        table = _table(pa, block)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise BadStore(
            f"a row is not what was written: {error}", where=f"{block.kind} from {block.first}"
        ) from error
    if table.nbytes > MOST_BYTES:
        what = (
            f"{table.nbytes / 1e9:.1f} GB of it would be one shard, and {MOST_BYTES / 1e9:.1f} GB is the most"
        )
        raise BadInput(what, where=f"{block.kind} {block.first} to {block.last}")
    pa.parquet.write_table(table, path, **OPTIONS)


def read_shard(path: Path, kind: Kind, count: int) -> dict[str, list[Row]]:
    """The rows of a shard of `count` cases, image files or episodes, by table, as in a block. Raises BadInput
    if it is not such a shard.

    A column that was added since the shard was written is empty, if it may be.
    """
    pa = arrow()
    try:
        with pa.parquet.ParquetFile(path) as file:
            _check(file, kind, count)
            table = file.read(use_threads=False)
            return _rows(table, kind)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, IndexError) as error:
        raise BadInput(f"is no shard of an archive: {error}", where=str(path)) from None


def _check(file: Any, kind: Kind, count: int) -> None:
    """Raise ValueError unless the footer describes a shard like those written here."""
    told = file.metadata
    if told.num_rows != count or not 0 < count <= MOST_ROWS or told.num_row_groups != 1:
        raise ValueError(f"it has {told.num_rows} rows in {told.num_row_groups} groups, not {count} in one")
    group = told.row_group(0)
    if group.total_byte_size > MOST_BYTES:
        raise ValueError(f"it would be {group.total_byte_size / 1e9:.1f} GB when read")
    for at in range(group.num_columns):
        column = group.column(at)
        odd = column.compression != "ZSTD" or any("DICTIONARY" in one for one in column.encodings)
        if odd or column.num_values > MOST_VALUES or column.total_uncompressed_size > MOST_BYTES:
            raise ValueError(f"its column {column.path_in_schema} is not as we write it")
    _check_fields(
        file.schema_arrow, COLUMNS[kind], [one.name for one in CHILDREN] if kind == "episodes" else []
    )


def _check_fields(schema: Any, columns: Sequence[Column], children: Sequence[str], inside: str = "") -> None:
    pa = arrow()
    there = {field.name: field for field in schema}
    if len(there) != len(schema):
        raise ValueError("two columns have one name")
    for column in columns:
        field = there.pop(column.name, None)
        if field is None and not column.nullable:
            raise ValueError(f"it has no column {inside}{column.name}")
        if field is not None and (str(field.type), field.nullable) != (_alias(pa, column), column.nullable):
            raise ValueError(f"its column {inside}{column.name} is of the type {str(field.type)[:80]}")
    for name in children:
        field = there.pop(list_column(name), None)
        if field is None:
            continue  # a table that was added since
        if not pa.types.is_list(field.type) or not pa.types.is_struct(field.type.value_type):
            raise ValueError(f"its column {name} is of the type {str(field.type)[:80]}")
        if field.nullable or field.type.value_field.nullable:
            raise ValueError(f"its column {name} may be empty")
        _check_fields(list(field.type.value_type), _inside(name), (), f"{name}.")
    if there:
        raise ValueError(f"its column {inside}{next(iter(there))[:80]!r} is unknown to this Osler")


def _alias(pa: Any, column: Column) -> str:
    return str(pa.type_for_alias(column.type))


def _inside(table: str) -> list[Column]:
    return [one for one in COLUMNS[table] if one.name != "ordinal"]


def _fields(pa: Any, columns: Sequence[Column]) -> list[Any]:
    return [pa.field(one.name, pa.type_for_alias(one.type), nullable=one.nullable) for one in columns]


def _table(pa: Any, block: Block) -> Any:
    columns = COLUMNS[block.kind]
    rows = block.rows[block.kind]
    fields, arrays = _fields(pa, columns), _arrays(pa, columns, rows)
    if block.kind == "episodes":
        ordinals = [row[0] for row in rows]
        for table in CHILDREN:
            array = _list(pa, table.name, block.rows[table.name], ordinals)
            fields.append(pa.field(list_column(table.name), array.type, nullable=False))
            arrays.append(array)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _arrays(pa: Any, columns: Sequence[Column], rows: Sequence[Row]) -> list[Any]:
    result = []
    for at, column in enumerate(columns):
        cells = [row[at] for row in rows]
        if not column.nullable and None in cells:
            raise ValueError(f"{column.name} is empty")
        result.append(pa.array(cells, pa.type_for_alias(column.type)))
    return result


def _list(pa: Any, table: str, rows: Sequence[Row], ordinals: Sequence[int]) -> Any:
    """A list column: of each episode the rows of a table, which are in the order of the episodes."""
    columns = COLUMNS[table]
    own = next(at for at, one in enumerate(columns) if one.name == "ordinal")
    ends, at = [0], 0
    for ordinal in ordinals:
        while at < len(rows) and rows[at][own] == ordinal:
            at += 1
        ends.append(at)
    if at < len(rows):
        raise ValueError(f"a row of {table} belongs to no ended episode")
    inside = [row[:own] + row[own + 1 :] for row in rows]
    fields = _fields(pa, _inside(table))
    struct = pa.StructArray.from_arrays(_arrays(pa, _inside(table), inside), fields=fields)
    kind = pa.list_(pa.field("element", struct.type, nullable=False))
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), struct, type=kind)


def _rows(table: Any, kind: Kind) -> dict[str, list[Row]]:
    names = table.column_names
    rows: dict[str, list[Row]] = {
        kind: _zipped(table.num_rows, COLUMNS[kind], {one: table[one] for one in names})
    }
    if kind != "episodes":
        return rows
    ordinals = [row[0] for row in rows[kind]]
    for child in CHILDREN:
        name = list_column(child.name)
        rows[child.name] = _unlisted(table[name], child.name, ordinals) if name in names else []
    return rows


def _unlisted(column: Any, table: str, ordinals: Sequence[int]) -> list[Row]:
    """The rows of a list column, with the ordinal of their episode in its place."""
    columns = COLUMNS[table]
    result = list[Row]()
    own = next(at for at, one in enumerate(columns) if one.name == "ordinal")
    begin = 0
    for chunk in column.chunks:
        struct = chunk.flatten()
        names = [field.name for field in struct.type]
        inside = dict(zip(names, struct.flatten(), strict=True))
        lengths = chunk.value_lengths().to_pylist()
        ordinal = ordinals[begin : begin + len(chunk)]
        begin += len(chunk)
        places = list(chain.from_iterable([at] * many for at, many in zip(ordinal, lengths, strict=True)))
        rows = _zipped(len(struct), _inside(table), inside)
        result += [(*row[:own], at, *row[own:]) for row, at in zip(rows, places, strict=True)]
    return result


def _zipped(count: int, columns: Sequence[Column], held: Mapping[str, Any]) -> list[Row]:
    empty = [None] * count
    cells = [held[one.name].to_pylist() if one.name in held else empty for one in columns]
    return list(zip(*cells, strict=True)) if cells else []
