"""The manifest of an archive: its run's row, what it holds, and the hash of every file and of the export.

`archive.json` is read before anything else of an archive, and trusted with nothing: the names of files are
made here, not taken from it, and a size or hash that differs is refused before a file is opened as anything
else.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError

from osler.core.events import Frozen
from osler.errors import BadInput, in_words
from osler.files import sha256_of
from osler.store.run_rows import COLUMNS, Head, Kind
from osler.store.schema import HEAD

NAME: Final = "archive.json"
FORMAT: Final = 1
_LARGEST: Final = 256_000_000
_HINT: Final = "give a folder written by osler runs archive"

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, lt=2**53, strict=True)]


class Shard(Frozen):
    """A file with the rows from `first` to `last`: hashes of cases, names of image files, or ordinals."""

    name: str
    kind: Kind
    first: int | str
    last: int | str
    count: Annotated[int, Field(gt=0, lt=2**31, strict=True)]
    bytes: Count
    sha256: Sha256


class Exported(Frozen):
    """The canonical export of the run: its schema, SHA-256 of the file and of its lines after the first,
    which hold the episodes, and the version of Osler that wrote it."""

    osler: str
    export_schema: Count
    sha256: Sha256
    episodes_sha256: Sha256


class Manifest(Frozen):
    """The contents of `archive.json`. `rows` counts by table; `schema_version` is the store's."""

    format: Count
    schema_version: Annotated[str, Field(pattern=r"^[0-9]{4}$")]
    run: Head
    rows: dict[str, Count]
    export: Exported
    shards: tuple[Shard, ...]

    @property
    def bytes(self) -> int:
        """The bytes of all shards."""
        return sum(one.bytes for one in self.shards)

    @property
    def told(self) -> dict[str, Any]:
        """The run's own manifest."""
        value: dict[str, Any] = json.loads(self.run.manifest)
        return value

    def text(self) -> str:
        """The manifest as it is written."""
        return json.dumps(self.model_dump(mode="json"), indent=1, sort_keys=True) + "\n"


def shard_name(kind: Kind, number: int) -> str:
    """The name of a kind's shard."""
    return f"{kind}-{number:06d}.parquet"


def is_archive(folder: Path) -> bool:
    """Whether a folder holds an archive, sound or not."""
    return (folder / NAME).is_file()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an archive. Raises BadInput where there is none, if it was written by a newer Osler, or
    is not what one writes."""
    path = folder / NAME
    if not is_archive(folder):
        raise BadInput("there is no archive here", where=str(folder), hint=_HINT)
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError("it is too large")
        value = json.loads(path.read_bytes())
        if not isinstance(value, dict):
            raise ValueError("it is no object")
        _refuse_newer(value, path)
        manifest = Manifest.model_validate(value)
        _check_run(manifest.run)
        _check_shards(manifest)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=str(path), hint=_HINT) from None
    except (ValueError, RecursionError) as error:
        why = in_words(error) if isinstance(error, ValidationError) else str(error)
        raise BadInput(f"is not the manifest of an archive: {why}", where=str(path), hint=_HINT) from None
    return manifest


def _refuse_newer(said: dict[str, Any], path: Path) -> None:
    form, schema = said.get("format"), said.get("schema_version")
    newer = isinstance(form, int) and form > FORMAT
    if newer or (
        isinstance(schema, str) and len(schema) == len(HEAD) and schema.isdecimal() and schema > HEAD
    ):
        knows = f"format {FORMAT}, schema {HEAD}"
        raise BadInput(
            f"it was written by a newer Osler (format {form}, schema {schema}; this one knows {knows})",
            where=str(path),
            hint="upgrade Osler",
        )


def _check_run(run: Head) -> None:
    """Raise ValueError unless the row is one of a finished run."""
    if run.status != "done" or run.name == "last":
        raise ValueError("its run is not a finished one")
    value = json.loads(run.manifest) if run.manifest.isascii() else None
    if not isinstance(value, dict) or not isinstance(value.get("configuration", {}), dict):
        raise ValueError("the run's own manifest is not one of ours")


def _check_shards(manifest: Manifest) -> None:
    """Raise ValueError unless the shards are named as ours, in order, and add up."""
    numbers: dict[str, int] = {}
    last: dict[str, int | str] = {}
    counts: dict[str, int] = {}
    for one in manifest.shards:
        if one.name != (right := shard_name(one.kind, numbers.get(one.kind, 0))):
            raise ValueError(f"a shard is called {one.name[:80]!r}, not {right}")
        numbers[one.kind] = numbers.get(one.kind, 0) + 1
        key = int if COLUMNS[one.kind][0].type != "string" else str
        if not (isinstance(one.first, key) and isinstance(one.last, key)):
            raise ValueError(f"{one.name} does not say from where to where it goes")
        before = last.get(one.kind)
        if one.first > one.last or (before is not None and one.first <= before):  # type: ignore[operator]
            raise ValueError(f"{one.name} does not follow the shard before it")
        last[one.kind] = one.last
        counts[one.kind] = counts.get(one.kind, 0) + one.count
    for kind, count in counts.items():
        if manifest.rows.get(kind) != count:
            raise ValueError(f"its shards hold {count} {kind}, not {manifest.rows.get(kind)}")


def check_file(folder: Path, shard: Shard) -> Path:
    """The path of a shard whose size and hash are those of the manifest. Raises BadInput if they are not."""
    path = folder / shard.name
    try:
        if not path.is_file():
            raise BadInput("is missing", where=str(path), hint="restore the folder from a copy")
        if path.stat().st_size != shard.bytes or sha256_of(path) != shard.sha256:
            raise BadInput(
                "is damaged: it is not the file that was written",
                where=str(path),
                hint="restore it from a copy",
            )
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=str(path)) from None
    return path
