"""Parquet: one file for each split, pictures inside, with the types that Hugging Face's readers see.

`messages` is a list of JSON objects, so that blocks keep their own keys; it holds the target too, of a single
turn as its last message. Rows without a picture have an empty list. The writer's settings are fixed, and no
time is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, Final

from osler.errors import BadInput, install_line
from osler.training.pictures import Album
from osler.training.samples import Sample, as_row
from osler.training.writers.form import Content, data_file, splits_in

GROUP: Final = 512
"""Rows of a row group."""
OPTIONS: Final[Mapping[str, Any]] = MappingProxyType(
    {"compression": "zstd", "version": "2.6", "use_dictionary": False, "write_statistics": False}
)
_TEXTS: Final = (
    "id",
    "protocol",
    "seat",
    "run",
    "episode",
    "world",
    "case_id",
    "case_hash",
    "cluster",
    "split",
    "kind",
    "target",
)
_NUMBERS: Final = ("turn", "rounds", "dropped", "prefix")
_OBJECTS: Final = ("context", "tokens", "about", "provenance")
REFUSED: Final = "refused_drafts"
"""The column (JSON) that a data set with revisions has beside the others; empty in rows of other kinds."""
_CHAT: Final = "messages"
_HINT: Final = f"{install_line('train')}, or write --format jsonl"


def arrow() -> Any:
    """The package pyarrow. Raises BadInput where it is missing."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - the extra `train`
        import pyarrow.parquet  # noqa: PLC0415 - the extra `train`
    except ImportError:
        raise BadInput(
            "Parquet is written and read with pyarrow", where="--format parquet", hint=_HINT
        ) from None
    if not hasattr(pa, "json_"):
        raise BadInput(f"pyarrow {pa.__version__} is too old", where="--format parquet", hint=_HINT)
    return pa


def write(content: Content) -> None:
    """Write the files. Raises BadInput where pyarrow is missing."""
    pa = arrow()
    revisions = any(kind == "revision" for kind, _ in content.parts)
    schema = _schema(pa, revisions=revisions)
    for split in splits_in(content.parts):
        path = content.folder / data_file(split)
        path.parent.mkdir(parents=True, exist_ok=True)
        kinds = [kind for kind, one in content.parts if one == split]
        each = chain.from_iterable(content.rows(kind, split) for kind in kinds)
        with pa.parquet.ParquetWriter(path, schema, **OPTIONS) as writer:
            while some := list(islice(each, GROUP)):
                rows = [_row(one, content.album, revisions=revisions) for one in some]
                writer.write_table(_table(pa, rows, schema))


def _table(pa: Any, rows: list[dict[str, Any]], schema: Any) -> Any:
    """A table of rows; lists of JSON objects are made from the list of their texts."""
    columns = []
    for field in schema:
        values = [row[field.name] for row in rows]
        if field.name == _CHAT:
            texts = pa.array(values, pa.list_(pa.string()))
            each = pa.ExtensionArray.from_storage(field.type.value_type, texts.values)
            columns.append(pa.ListArray.from_arrays(texts.offsets, each, type=field.type))
        else:
            columns.append(pa.array(values, field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def _row(sample: Sample, album: Album, *, revisions: bool) -> dict[str, Any]:
    whole = as_row(sample)
    row: dict[str, Any] = {name: whole[name] for name in (*_TEXTS, *_NUMBERS)}
    row |= {name: _text(whole[name]) for name in _OBJECTS}
    row |= {"revised": sample.revised, "weight": sample.weight}
    row[_CHAT] = [_text(one) for one in sample.chat]
    talk = sample.kind == "multi"
    row["target_spans"] = list(sample.target_spans) if talk else [len(sample.messages)]
    row["weights"] = list(sample.weights) if talk else [1.0]
    if revisions:
        row[REFUSED] = _text(whole[REFUSED]) if sample.refused_drafts else ""
    row["images"] = [
        {"bytes": album.bytes_of(image), "path": image.sha256 + _ending(image.media_type)}
        for image in sample.images
    ]
    return row


def _ending(media_type: str) -> str:
    return f".{media_type.removeprefix('image/')}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _schema(pa: Any, *, revisions: bool) -> Any:
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    fields: list[tuple[str, Any, dict[str, Any]]] = [(name, pa.string(), _value("string")) for name in _TEXTS]
    fields += [(name, pa.int32(), _value("int32")) for name in _NUMBERS]
    fields += [(name, pa.string(), _value("string")) for name in _OBJECTS]
    fields += [("revised", pa.bool_(), _value("bool")), ("weight", pa.float64(), _value("float64"))]
    fields += [
        (_CHAT, pa.list_(pa.json_(pa.string())), _list({"_type": "Json"})),
        ("target_spans", pa.list_(pa.int32()), _list(_value("int32"))),
        ("weights", pa.list_(pa.float64()), _list(_value("float64"))),
    ]
    fields += [(REFUSED, pa.string(), _value("string"))] if revisions else []
    fields.append(("images", pa.list_(image), _list({"_type": "Image"})))
    features = {name: feature for name, _, feature in fields}
    metadata = {"huggingface": json.dumps({"info": {"features": features}}, sort_keys=True)}
    return pa.schema([(name, type_) for name, type_, _ in fields], metadata=metadata)


def _value(dtype: str) -> dict[str, Any]:
    return {"dtype": dtype, "_type": "Value"}


def _list(feature: dict[str, Any]) -> dict[str, Any]:
    return {"feature": feature, "_type": "List"}
