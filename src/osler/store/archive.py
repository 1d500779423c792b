"""Archives: a finished run as a folder of compressed shards, verified before the store lets go of its rows.

The order makes it safe to be killed at any instant. The folder is written under another name, every shard is
read back and compared with the rows, the whole is restored into a store of its own and exported, and that
export must be the live one's, byte for byte. Then the folder gets its name, and only then are the rows
deleted, in a transaction that finds the run as it was read, or else leaves it. So at every moment the rows
are there, or a verified archive is.

What a person says belongs to that person, and can be deleted from the store (`osler.store.deletion`), which
cannot reach a folder that was copied elsewhere. So a run in which people sit, or may have sat, is not
archived, whatever they permit, and an archive that says so of its run is not read.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

import osler
from osler.core.permitted import kept_people, people_in
from osler.errors import BadInput, BadStore
from osler.files import sha256_of
from osler.store.canonical import SCHEMA
from osler.store.damage import UNREADABLE
from osler.store.export import export_lines
from osler.store.manifests import (
    FORMAT,
    NAME,
    Exported,
    Manifest,
    Shard,
    check_file,
    read_manifest,
    shard_name,
)
from osler.store.permissions import people_of
from osler.store.records import RunInfo
from osler.store.run_rows import TABLES, Block, blocks_of, head_of, put_run
from osler.store.schema import HEAD, asked, deletions, judgements, permissions, practice, runs
from osler.store.shards import arrow, read_shard, write_shard
from osler.store.store import Store, open_store

_PEOPLES: Final = (asked, practice, permissions, deletions)
"""The tables in which a finished run without people has no row."""


class Archived(NamedTuple):
    """An archive: its folder, manifest, and whether the run's rows are still in the store."""

    folder: Path
    manifest: Manifest
    kept: bool


def archive_run(store: Store, name: str, out: Path, *, keep: bool = False) -> Archived:
    """Write a finished run as an archive, verify it, and delete the run from the store unless `keep`.

    Where `out` holds an archive of the run as it is, left by an attempt that was killed before the rows were
    deleted, that is verified again and used. Raises BadInput if the run is unfinished or being played, holds
    people's words, changes meanwhile, or if `out` holds anything else; BadStore if the run is damaged.
    """
    arrow()
    run = store.run(name)
    _refuse_unready(store, run)
    state = _state_of(store, run.id)
    out = out.resolve()
    if out.exists() and not (out / NAME).is_file():
        raise BadInput("there is something of this name already", where=str(out), hint="name another folder")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as beside:
            partial = Path(beside) / "archive"
            partial.mkdir()
            manifest = _write(store, run, partial)
            _verify(partial, manifest, Path(beside))
            if _state_of(store, run.id) != state:
                raise _changed(run, "nothing was archived; do it again")
            _name(partial, out, manifest)
    except OSError as error:
        raise BadInput(f"cannot be written: {error.strerror or error}", where=str(out)) from error
    if not keep:
        delete_archived(store, run, state)
    return Archived(out, manifest, keep)


def delete_archived(store: Store, run: RunInfo, state: tuple[Any, ...]) -> None:
    """Delete a run's rows if they are still those that were read. Raises BadInput if they are not."""

    def unchanged(connection: Connection) -> None:
        if _state(connection, run.id) != state:
            raise _changed(run, "its rows were not deleted, and the archive holds it as it was before")

    store.delete_run(run.name, first=unchanged)


def restore_run(store: Store, folder: Path) -> RunInfo:
    """Write an archive's run into a store, all or nothing, and compare its export with the archived one.

    Raises BadInput if the archive is damaged, of a newer Osler or not one of ours, or the run is there
    already.
    """
    manifest = read_manifest(folder)
    refuse_people(manifest.told, str(folder))
    if any(one.name == manifest.run.name for one in store.runs()):
        what = f"there is already a run {manifest.run.name!r}"
        raise BadInput(
            what, where=store.label, hint=f"osler runs delete {manifest.run.name}, if it is another"
        )
    for shard in manifest.shards:
        check_file(folder, shard)
    run_id = put_run(store, manifest.run, blocks_in(folder, manifest), at_once=True)
    try:
        _check_export(store, run_id, manifest.export, str(folder))
    except BaseException:  # whatever it is, a run that is not proven does not stay
        store.delete_run(manifest.run.name)
        raise
    return store.info(run_id)


def open_in(store: Store, folder: Path, *, ordinal: int | None = None) -> RunInfo:
    """Write an archive's run into a store that is thrown away; with `ordinal`, only the shard that holds this
    episode. Raises BadInput as `restore_run` does, and if the archive has no such episode."""
    manifest = read_manifest(folder)
    refuse_people(manifest.told, str(folder))
    shards = [
        one for one in manifest.shards if ordinal is None or one.kind != "episodes" or _holds(one, ordinal)
    ]
    if ordinal is not None and not any(one.kind == "episodes" for one in shards):
        raise BadInput(f"the archive has no episode {ordinal}", where=str(folder))
    blocks = blocks_in(folder, manifest.model_copy(update={"shards": tuple(shards)}))
    return store.info(put_run(store, manifest.run, blocks, at_once=False))


def blocks_in(folder: Path, manifest: Manifest) -> Iterator[Block]:
    """Yield the blocks of an archive, each from a file whose hash is right. Raises BadInput for one whose
    hash or contents are not."""
    for shard in manifest.shards:
        path = check_file(folder, shard)
        rows = read_shard(path, shard.kind, shard.count)
        firsts = [row[0] for row in rows[shard.kind]]
        if (firsts[0], firsts[-1]) != (shard.first, shard.last) or firsts != sorted(set(firsts)):
            raise BadInput("its rows are not those that the manifest tells of", where=str(path))
        yield Block(shard.kind, shard.first, shard.last, rows)


def refuse_people(manifest: dict[str, Any], where: str) -> None:
    """Raise BadInput if people sit in a run of this manifest, or may have."""
    try:
        seats = (*people_in(manifest), *kept_people(manifest))
    except (AttributeError, TypeError, ValueError):
        raise BadInput("the run's manifest is not one of ours", where=where) from None
    if seats:
        raise _peoples(where, f"a person sat, or may have sat, as {', '.join(dict.fromkeys(seats))}")


def _refuse_unready(store: Store, run: RunInfo) -> None:
    store.check_unplayed(run.id)
    if run.status != "done" or run.done < run.planned or store.partial(run.id):
        what = f"the run is unfinished ({run.status}): {run.done} of {run.planned} episodes"
        raise BadInput(what, where=run.name, hint=f"osler resume {run.name}")
    refuse_people(run.manifest, run.name)
    if people_of(store, run):
        raise _peoples(run.name, "it begins with what a person said")
    with store.connected() as connection:
        for table in _PEOPLES:
            if connection.execute(sa.select(table.c.run).where(table.c.run == run.id).limit(1)).first():
                raise _peoples(run.name, f"it has rows of {table.name}")


def _peoples(where: str, why: str) -> BadInput:
    return BadInput(
        f"what people said is not archived, since deleting it could not reach the archive: {why}",
        where=where,
        hint="leave it in the store, where osler forget deletes it; with their permission, osler export it",
    )


def _changed(run: RunInfo, what: str) -> BadInput:
    return BadInput(f"the run was changed while it was archived; {what}", where=run.name)


def _state_of(store: Store, run_id: int) -> tuple[Any, ...]:
    with store.connected() as connection:
        return _state(connection, run_id)


def _state(connection: Connection, run_id: int) -> tuple[Any, ...]:
    """Return a value that changes with the run: its row, its rows in each table, its last judging."""
    row = connection.execute(sa.select(runs).where(runs.c.id == run_id)).first()
    counts = [
        connection.execute(sa.select(sa.func.count()).where(table.c.run == run_id)).scalar_one()
        for table in (*TABLES, *_PEOPLES)
    ]
    last = connection.execute(sa.select(sa.func.max(judgements.c.judged)).where(judgements.c.run == run_id))
    return (row and tuple(row), *counts, last.scalar())


def _write(store: Store, run: RunInfo, folder: Path) -> Manifest:
    """Write the shards and the manifest. Each shard is read back: raises BadStore if it is not the rows."""
    shards, rows, numbers = list[Shard](), dict[str, int](), dict[str, int]()
    for block in blocks_of(store, run.id):
        name = shard_name(block.kind, numbers.get(block.kind, 0))
        numbers[block.kind] = numbers.get(block.kind, 0) + 1
        path = folder / name
        write_shard(path, block)
        if read_shard(path, block.kind, block.many) != block.rows:
            raise BadStore("what was written is not what is read", where=str(path), hint="check the disk")
        _sync(path)
        held = {"kind": block.kind, "first": block.first, "last": block.last, "count": block.many}
        digest = sha256_of(path)
        shards.append(Shard(name=name, **held, bytes=path.stat().st_size, sha256=digest))
        for table, each in block.rows.items():
            rows[table] = rows.get(table, 0) + len(each)
    manifest = Manifest(
        format=FORMAT,
        schema_version=HEAD,
        run=head_of(store, run.id),
        rows=rows,
        export=_export_of(store, run.id),
        shards=tuple(shards),
    )
    (folder / NAME).write_text(manifest.text(), encoding="utf-8")
    _sync(folder / NAME)
    _sync(folder)
    return manifest


def _verify(folder: Path, manifest: Manifest, beside: Path) -> None:
    """Raise BadStore unless the archive, restored into a new store, exports the same bytes."""
    with open_store(beside / "verified.db") as restored:
        run = open_in(restored, folder)
        _check_export(restored, run.id, manifest.export, str(folder))


def _export_of(store: Store, run_id: int) -> Exported:
    whole, episodes = sha256(), sha256()
    for number, line in enumerate(export_lines(store, run_id)):
        raw = f"{line}\n".encode("ascii")
        whole.update(raw)
        if number:
            episodes.update(raw)
    hashes = {"sha256": whole.hexdigest(), "episodes_sha256": episodes.hexdigest()}
    return Exported(osler=osler.__version__, export_schema=SCHEMA, **hashes)


def _check_export(store: Store, run_id: int, archived: Exported, where: str) -> None:
    """Raise BadInput if the export is not the archived one. What stands in its first line beside the run's
    configuration depends on the version of Osler, so it is compared for the same version alone."""
    try:
        result = _export_of(store, run_id)
    except (*UNREADABLE, RecursionError) as error:
        raise BadInput(f"what it holds are no episodes: {error}", where=where) from None
    same = (
        result == archived
        if result.osler == archived.osler
        else result.episodes_sha256 == archived.episodes_sha256
    )
    if result.export_schema == archived.export_schema and not same:
        raise BadInput("the export of what was restored is not the archived one", where=where)


def _name(partial: Path, out: Path, manifest: Manifest) -> None:
    """Give a verified archive its name. Where there is one, it must be of the same bytes."""
    if not out.exists():
        partial.rename(out)
        _sync(out.parent)
        return
    if read_manifest(out) != manifest:
        raise BadInput("there is another archive", where=str(out), hint="name another folder")
    for shard in manifest.shards:
        check_file(out, shard)
    shutil.rmtree(partial)


def _holds(shard: Shard, ordinal: int) -> bool:
    return int(shard.first) <= ordinal <= int(shard.last)


def _sync(path: Path) -> None:
    """Have the disk keep a file, or the names in a folder."""
    held = os.open(path, os.O_RDONLY)
    try:
        os.fsync(held)
    finally:
        os.close(held)
