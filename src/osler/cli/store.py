"""`osler store`: what a store is, and a backup of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer
from rich.table import Table

from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import NOTHING_DONE, command, plain, result, say
from osler.runs.disk import size_words
from osler.store.backup import StoreInfo
from osler.store.backup import backup as back_up
from osler.store.backup import info as describe
from osler.store.connect import CARRIED

app = typer.Typer(
    no_args_is_help=True,
    help="Describe a store (`osler store info`), back it up (`osler store backup FILE`); it is not upgraded.",
)

_STATES: Final = {
    "current": "as this program's",
    "older": "older than this program's {}: the next command that opens it upgrades it; make a backup first",
    "newer": "newer than this program's {}: upgrade Osler, or restore a backup made before",
    "unreleased": f"from before the first release (this program's is {{}}): {CARRIED}",
}


@app.command("info")
@command
def info(
    verify: Annotated[
        bool, typer.Option("--verify", help="Read every page of it, which finds damage (SQLite).")
    ] = False,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show the store's address, schema, runs and size, and whether this program can open it.

    Exits 1 if the store is newer than this program, from before the first release, or damaged.
    """
    store_info = describe(store, verify=verify)
    result(as_json, store_info.model_dump(), _table(store_info))
    if store_info.state in ("newer", "unreleased") or store_info.sound is False:
        raise typer.Exit(NOTHING_DONE)


@app.command("backup")
@command
def backup(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")],
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Copy an SQLite store to a file, as it stands at one instant, and verify the copy.

    It may be in use meanwhile. To restore it, stop the server, move the store and what stands beside it away,
    and copy the backup to its place. PostgreSQL has pg_dump for this.
    """
    store_info = back_up(store, out)
    say(
        f"{out}: {store_info.runs} runs, schema {store_info.schema_version}, "
        f"{size_words(store_info.bytes)}, verified."
    )
    result(as_json, store_info.model_dump())


def _table(store_info: StoreInfo) -> Table:
    table = Table(show_header=False)
    table.add_row("store", plain(store_info.store))
    table.add_row(
        "schema", f"{store_info.schema_version}, {_STATES[store_info.state].format(store_info.knows)}"
    )
    table.add_row("runs", str(store_info.runs))
    table.add_row("size", size_words(store_info.bytes))
    if store_info.sound is not None:
        table.add_row("verified", "every page is in order" if store_info.sound else "DAMAGED")
    return table
