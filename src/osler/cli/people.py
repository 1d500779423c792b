"""`osler study people`: people and models on the same worlds, and instructions until there are any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table

from osler.cli.continuing import store_flag
from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import add_row, command, plain, result, say, write_page
from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.reports.printed import table_of
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.people.beside import Beside, PeopleBeside, beside
from osler.studies.people.differences import ASSUMED
from osler.studies.people.instructions import Instructions, instructions
from osler.studies.people.sittings import runs_of_people
from osler.studies.people.words import COLUMNS, DESIGNS, cells, designs, heading, left_words, notes, summary
from osler.studies.rating.human_anchor import HumanAnchor, human_anchor
from osler.text.hostile import safe

_MOST_REFUSED: Final = 6
NOBODY: Final = "nobody has sat these worlds"
NO_PLAYER: Final = "no player has been held against them"
NO_PAIR: Final = "no sitting has a partner"


@command
def people(
    people: Annotated[
        list[str] | None,
        typer.Option(
            "--people",
            metavar="RUN|ROOM",
            help="What people played: a run, or the code of a room; repeat it.  [default: all in the store]",
            show_default=False,
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--models",
            metavar="RUN",
            help="A run of a model or a built-in player on the same worlds; repeat it.",
            show_default=False,
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            help="The judge of both sides: model:NAME, person:SCALE:RATER, ...  [default: the built-in one]",
            show_default=False,
        ),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(help="The first is primary.  [default: those of the first table]", show_default=False),
    ] = None,
    difference: Annotated[
        float, typer.Option(min=0.001, max=1.0, help="Say how many people and cases would show this.")
    ] = 0.1,
    protocol: Annotated[
        str, typer.Option(metavar="NAME", help="Whose instructions to print while nobody has sat.")
    ] = "consultation",
    out: Annotated[
        Path | None, typer.Option(help="Also write an HTML report to this file; an existing one is replaced.")
    ] = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Hold people against models and built-in players that met the same worlds, by the same judge.

    Pairs by world; intervals are clustered by person and by case; what such a study could have shown is
    printed beside each difference. Until somebody has sat, it prints how to fill it.
    """
    if out is not None and not out.resolve().parent.is_dir():
        raise BadInput("there is no such folder", where=str(out.parent), hint="create it first")
    with open_store(store) as opened:
        flag = store_flag(opened, store)
        sat = runs_of_people(opened, people or ())
        players = [opened.run(name) for name in models or ()]
        people_beside = _told(opened, sat, players, people, score, judge, difference)
        plays = protocol_named(people_beside.protocol if people_beside else protocol)
        anchor = human_anchor(
            [opened.run(name) for name in people_beside.runs] if people_beside else [], opened
        )
    how = None
    if people_beside is None or not people_beside.anchored:
        why = (
            NOBODY
            if people_beside is None or not people_beside.sittings
            else NO_PAIR
            if players
            else NO_PLAYER
        )
        how = instructions(plays, sat, why, flag)
    value: dict[str, Any] = {
        **(
            people_beside.model_dump(mode="json")
            if people_beside
            else {"anchored": False, "protocol": plays.name, "beside": []}
        ),
        "human_anchor": anchor.model_dump(mode="json"),
        "instructions": how.as_json() if how else None,
    }
    if out is not None:
        from osler.studies.people.page import people_html  # noqa: PLC0415 - import time

        write_page(people_html(people_beside, anchor, how, plays), out)
        value["written"] = str(out)
    result(as_json, value, *_shown(people_beside, anchor, how))
    for one in people_beside.beside if people_beside else ():
        for reason in one.refused[:_MOST_REFUSED]:
            say(f"osler: kept apart: {safe(reason)}")


def _told(
    store: Store,
    sat: Sequence[RunInfo],
    players: Sequence[RunInfo],
    named: list[str] | None,
    scores: list[str] | None,
    judge: str | None,
    wanted: float,
) -> PeopleBeside | None:
    """The study; `None` while nobody has sat and nothing was named."""
    if not sat and not players:
        return None
    return store.as_far_as_readable(
        lambda: beside(
            store, sat, players, scores or (), grader=judge, wanted=wanted, named=named is not None
        )
    )


def _shown(
    people_beside: PeopleBeside | None, anchor: HumanAnchor, how: Instructions | None
) -> Iterator[RenderableType]:
    if people_beside is not None:
        yield plain(summary(people_beside))
        if people_beside.left_out:
            yield plain("\n".join(left_words(people_beside.left_out)))
        for one in people_beside.beside:
            yield from _beside(one)
    if people_beside is not None and people_beside.anchored:
        yield plain(anchor.line)
    if how is not None:
        yield from _instructions(how)


def _beside(one: Beside) -> Iterator[RenderableType]:
    yield plain("\n".join((f"\n{heading(one)}", *(f"  {line}" for line in left_words(one.left_out)))))
    if not one.pairs:
        return
    table = table_of("", *COLUMNS, gap=1)
    for each in one.scores:
        add_row(table, *cells(each))
    yield table
    yield plain("\n".join(notes(one)))


def _instructions(how: Instructions) -> Iterator[RenderableType]:
    yield plain(f"\n{how.why}\n")
    yield plain("\n".join(f"{at}. {step}" for at, step in enumerate(how.steps, 1)))
    table = Table(title=DESIGNS, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    head, *rows = designs(how)
    for name in head:
        table.add_column(name, justify="right")
    for row in rows:
        add_row(table, *row)
    yield table
    yield plain(ASSUMED)
    yield plain("\n".join(("\nThe same worlds for a player:", *(f"  {one}" for one in how.commands))))
