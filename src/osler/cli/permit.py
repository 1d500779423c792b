"""`osler permit` and `osler forget`: what may be done with your words, and deleting them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import add_row, command, plain, result, say
from osler.core.permitted import CONSENT, MEANING, USES, Permission, end_of, people_in
from osler.errors import BadInput
from osler.store.deletion import AT_WISH, delete_words, deleted_episodes, spoken_in
from osler.store.permissions import grant, people_of, permissions_in, withdraw
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.text.hostile import safe

SHOWN: Final = 50
Episodes = Annotated[
    str,
    typer.Argument(metavar="RUN[:NUMBER]", help="A run's name, a prefix of it, or `last`; or one episode."),
]


class _Selection(NamedTuple):
    run: RunInfo
    ordinals: range | list[int]
    whole: bool


@command
def permit(
    episodes: Episodes,
    uses: Annotated[
        str | None,
        typer.Option(
            metavar="USE[,USE...]",
            help=f"What you permit from now on, instead of what you did before: {', '.join(USES[1:])}.",
            show_default=False,
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="The last day of it, as YYYY-MM-DD; `share` needs one."),
    ] = None,
    withdraw_: Annotated[
        bool, typer.Option("--withdraw", help="Take back everything but your own practice.")
    ] = False,
    seat: Annotated[
        str | None, typer.Option(help="Only for the person in this seat.  [default: every person's]")
    ] = None,
    pseudonym: Annotated[
        str | None, typer.Option(help="A name of your choice, not your own; shown with what you permit.")
    ] = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show what may be done with the words of people in a run; permit more, or take it back."""
    if withdraw_ and uses is not None:
        raise BadInput("both permits and takes back", where="--withdraw", hint="give one of the two")
    if uses is None and (until or pseudonym):
        raise BadInput("nothing is permitted", where="--until" if until else "--pseudonym", hint="add --uses")
    seats = [seat] if seat else []
    with open_store(store, create=False) as opened:
        selection = _named(opened, episodes)
        if withdraw_:
            withdraw(opened, selection.run.id, _there(opened, selection), seats=seats)
        elif uses is not None:
            expires = end_of(until) if until else None
            parts = uses.split(",")
            grant(
                opened,
                selection.run.id,
                _there(opened, selection),
                parts,
                seats=seats,
                expires=expires,
                pseudonym=pseudonym,
            )
            say(CONSENT)
        rows = _rows(opened, selection)
        deleted = deleted_episodes(opened, selection.run.id)
        people = people_of(opened, selection.run)
    gone = {ordinal: when for ordinal, when in deleted.items() if ordinal in selection.ordinals}
    value = {
        "run": selection.run.name,
        "episodes": rows,
        "deleted": {f"{selection.run.name}:{at}": _day(when) for at, when in gone.items()},
        "kept_from": [f"{one.run}:{one.ordinal}, {one.seat}" for one in people.kept],
        "meaning": dict(MEANING),
    }
    lines = [f"{selection.run.name}:{at} was {AT_WISH} on {_day(when)}" for at, when in gone.items()]
    if people.kept or people.unknown:
        lines.append("It begins with words from an earlier run, and permits what was permitted there.")
    if not people:
        lines.append("Nobody's own words are in it: it was played by programs.")
    result(as_json, value, *([_table(rows)] if rows else []), plain("\n".join(lines)))


@command
def forget(
    episodes: Episodes,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Delete a person's words wherever the store holds them; that something was deleted stays on record."""
    with open_store(store, create=False) as opened:
        selection = _named(opened, episodes)
        spoken = sorted(spoken_in(opened, selection.run.id)) if selection.whole else selection.ordinals
        if selection.whole and not spoken:
            raise BadInput("nothing is left to delete", where=selection.run.name)
        _confirm(selection.run.name if selection.whole else episodes, len(spoken), yes)
        found = delete_words(opened, selection.run.id, spoken)
        on_server = opened.engine.dialect.name != "sqlite"
    places = [f"{name}:{ordinal}" for name, ordinal in found.episodes]
    say("What was exported, printed or sent to a model's host before stays where it is; so do backups.")
    if on_server:
        say("The database server frees the space of deleted rows by itself, and may keep older files.")
    elif not found.erased:
        say("Traces may be left in the store's file, which others use: then run osler runs compact")
    value = {"deleted": places, "cards": found.cards, "erased": found.erased}
    lines = [f"deleted: {one}" for one in places]
    lines += [f"deleted: {found.cards} cards of memories"] if found.cards else []
    result(as_json, value, plain("\n".join(lines)))


def _named(store: Store, text: str) -> _Selection:
    name, colon, number = text.rpartition(":")
    if not colon:
        run = store.run(text)
        return _Selection(run, range(run.planned), True)
    run = store.run(name)
    if not (number.isascii() and number.isdecimal() and len(number) <= 10 and int(number) < run.planned):
        raise BadInput(f"the run has no episode {number!r}", where=run.name, hint="write RUN:NUMBER")
    return _Selection(run, [int(number)], False)


def _there(store: Store, selection: _Selection) -> Iterable[int]:
    """The episodes meant: of a whole run, those that were not deleted."""
    if not selection.whole:
        return selection.ordinals
    gone = deleted_episodes(store, selection.run.id)
    return [ordinal for ordinal in selection.ordinals if ordinal not in gone]


def _rows(store: Store, selection: _Selection) -> list[dict[str, Any]]:
    if not people_in(selection.run.manifest):
        return []
    permissions = permissions_in(store, selection.run.id, _there(store, selection))
    return [
        {"episode": f"{selection.run.name}:{ordinal}", "seat": seat, **_plain(one)}
        for ordinal, each in permissions.items()
        for seat, one in each.items()
    ]


def _plain(one: Permission) -> dict[str, Any]:
    now = datetime.now(UTC).timestamp()
    return {
        "uses": [use for use in USES if use in one.at(now)],
        "until": None if one.expires is None else _day(one.expires - 1),
        "ended": one.expires is not None and one.expires <= now,
        "pseudonym": one.pseudonym,
        "consent": one.consent,
        "given": None if not one.given else _day(one.given),
    }


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    for title in ("episode", "seat", "pseudonym", "permits", "until"):
        table.add_column(title, no_wrap=title == "episode")
    for row in rows[:SHOWN]:
        until = f"{row['until']} (over)" if row["ended"] else row["until"] or ""
        add_row(table, row["episode"], row["seat"], row["pseudonym"], ", ".join(row["uses"]), until)
    if len(rows) > SHOWN:
        table.caption = Text(f"and {len(rows) - SHOWN} more; --json lists them")
    return table


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"


def _confirm(what: str, episodes: int, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadInput("no terminal to confirm that the words may be deleted", hint="add --yes")
    many = "everything said in it" if episodes == 1 else f"everything said in its {episodes} episodes"
    if not typer.confirm(f"Delete {many}: {safe(what)}? It cannot be undone.", err=True):
        raise typer.Exit(1)
