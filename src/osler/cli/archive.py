"""`osler runs archive` and `osler runs restore`: a finished run as a small folder, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from osler.cli.options import AsJson, RunName, StoreUrl
from osler.cli.output import command, result, say
from osler.runs.disk import size_words
from osler.store.store import open_store


@command
def archive(
    context: typer.Context,
    run: RunName,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write; it must not exist.")],
    keep: Annotated[bool, typer.Option("--keep", help="Leave the run in the store, too.")] = False,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Write a finished run as a folder of compressed files, verify it, and only then delete it from the
    store."""
    from osler.store.archive import archive_run  # noqa: PLC0415 - import time

    before, json_before = context.obj
    with open_store(store or before, create=False) as opened:
        made = archive_run(opened, run, out, keep=keep)
    manifest = made.manifest
    name, episodes, size = manifest.run.name, manifest.rows["episodes"], manifest.bytes
    stays = "and is still in the store" if made.kept else "and is no longer in the store"
    say(f"{name}: {episodes} episodes in {size_words(size)}, verified; it is in {out} {stays}.")
    value: dict[str, Any] = {
        "run": name,
        "out": str(out),
        "episodes": episodes,
        "bytes": size,
        "shards": len(manifest.shards),
        "export_sha256": manifest.export.sha256,
        "kept": made.kept,
    }
    result(as_json or json_before, value)


@command
def restore(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that osler runs archive wrote.")],
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Bring an archived run back into a store, with the same export; the folder stays."""
    from osler.store.archive import restore_run  # noqa: PLC0415 - import time
    from osler.store.manifests import read_manifest  # noqa: PLC0415 - import time

    before, json_before = context.obj
    read_manifest(folder)  # no store is created for what is no archive
    with open_store(store or before) as opened:
        info = restore_run(opened, folder)
    say(f"{info.name}: {info.done} episodes restored.")
    result(as_json or json_before, {"run": info.name, "episodes": info.done, "folder": str(folder)})
