"""`osler visitors`: the links and the visitors of a shared server, and revoking them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Final, Literal, NamedTuple, TypedDict

import typer
from rich.box import SIMPLE
from rich.table import Table

from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import add_row, command, result, say
from osler.errors import BadInput
from osler.store.passes import Belongings, Pass, Passes
from osler.store.store import open_store

app = typer.Typer(
    invoke_without_command=True,
    help="List the links and visitors of a shared server; `osler visitors revoke ID...` ends some at once.",
)
Kind = Literal["link", "visitor"]
_SHOWN: Final = 10  # hex digits of an id: 40 bits


class Row(TypedDict):
    """A link or a visitor as it is listed. Times are in UTC."""

    id: str
    kind: Kind
    rights: list[str]
    came_by: list[str]
    since: str
    until: str
    sittings: int
    rooms: int


class AccessRow(NamedTuple):
    """A link or a visitor; `passes` are its rows in the store. `id` is the link's digest or the visitor's
    id."""

    id: str
    kind: Kind
    passes: tuple[Pass, ...]
    owns: Belongings

    def row(self) -> Row:
        """The fields that are listed."""
        return {
            "id": self.id[:_SHOWN],
            "kind": self.kind,
            "rights": sorted(frozenset[str]().union(*(one.rights for one in self.passes))),
            "came_by": [_source(one) for one in self.passes if one.source],
            "since": _when(min(one.since for one in self.passes)),
            "until": _when(max(one.until for one in self.passes)),
            "sittings": self.owns.sittings,
            "rooms": self.owns.rooms,
        }


@app.callback()
def visitors(context: typer.Context, store: StoreUrl = None, as_json: AsJson = False) -> None:
    """List the links and the visitors of a shared server, each with its rights; no names are known."""
    context.obj = (store, as_json)
    if context.invoked_subcommand is None:
        list_visitors(store, as_json)


@command
def list_visitors(store: str | None, as_json: bool) -> None:
    """Print every link and every visitor that has not expired."""
    with open_store(store, create=False) as opened:
        there = _listed(Passes(opened))
    table = Table(title=None if there else "nobody was let in", box=SIMPLE, padding=(0, 1, 0, 0))
    for name in ("id", "kind", "rights", "came by", "since", "until", "owns"):
        table.add_column(name, no_wrap=name == "id", overflow="fold")
    for one in there:
        add_row(table, *_cells(one))
    result(as_json, {"visitors": [one.row() for one in there]}, table)
    say("Times are in UTC.")


@app.command("revoke")
@command
def revoke(
    context: typer.Context,
    ids: Annotated[
        list[str], typer.Argument(metavar="ID...", help="Ids as `osler visitors` lists them, or prefixes.")
    ],
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """End links and visitors at once, on a running server too.

    With a link go the rights that came by it; who came in by it stays the same visitor, and has them back by
    another link. A visitor who is revoked is a stranger, and the rooms it opened are closed.
    """
    before, json_before = context.obj  # options given before `revoke` also count
    with open_store(store or before, create=False) as opened:
        passes = Passes(opened)
        there = _listed(passes)
        rows = list({one.id: one for one in (_named(there, id) for id in ids)}.values())
        for one in rows:
            if one.kind == "link":
                passes.revoke_link(one.id)
            else:
                passes.revoke_visitor(one.id)
            say(f"revoked {one.id[:_SHOWN]} ({one.kind})")
    result(as_json or json_before, {"revoked": [one.id[:_SHOWN] for one in rows]})


def _listed(passes: Passes) -> list[AccessRow]:
    """Everything that can be revoked, links first."""
    owners, held = passes.belongings(), dict[str, list[Pass]]()
    for one in passes.valid():
        held.setdefault(one.visitor or one.digest, []).append(one)
    listeds = [
        AccessRow(id, "visitor" if rows[0].visitor else "link", tuple(rows), owners.get(id, Belongings()))
        for id, rows in held.items()
    ]
    return sorted(listeds, key=lambda one: one.kind != "link")


def _named(there: Iterable[AccessRow], id: str) -> AccessRow:
    result = [one for one in there if id and one.id.startswith(id)]
    if len(result) != 1:
        what = "is the beginning of several ids" if result else "is no id of a link or a visitor here"
        raise BadInput(f"{id!r} {what}", hint="osler visitors lists them")
    return result[0]


def _source(one: Pass) -> str:
    return f"link {one.link[:_SHOWN]}" if one.link else f"room {one.room[:_SHOWN]}"


def _cells(one: AccessRow) -> list[str]:
    """The cells of a table that fits 80 columns: a line for each right and source, day and minute apart."""
    row = one.row()
    came = [part for source in row["came_by"] for part in source.split(" ")]
    times = [time[:16].replace("T", "\n") for time in (row["since"], row["until"])]
    owns = [f"{row[name]} {name}" for name in ("sittings", "rooms") if row[name]]
    return [row["id"], row["kind"], "\n".join(row["rights"]), "\n".join(came), *times, "\n".join(owns)]


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
