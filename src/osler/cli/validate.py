"""`osler validate`: whether a set of cases, as played and judged here, is a valid measuring instrument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Final

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.cli.case_files import Format
from osler.cli.options import AsJson, ImageFiles, Limit, Seed, StoreUrl, takes_images
from osler.cli.output import NOTHING_DONE, add_row, command, plain, result, say
from osler.cli.terminal import shown
from osler.core.registry import protocol_named
from osler.reports.cells import interval, number
from osler.store.store import open_store
from osler.studies.validate import Validation
from osler.studies.validate import validate as measure
from osler.text.hostile import safe

_MOST_SHOWN: Final = 40
_MOST_NAMED: Final = 3
_HOLDS: Final = ("no", "in part", "yes")


@command
@takes_images
def validate(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, or a file or folder in an importable format.")
    ] = "library",
    protocol: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="The protocol: consultation, ward_round, scenario, or from a plug-in."
        ),
    ] = "consultation",
    limit: Limit = None,
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="Number of episodes per case.")] = 1,
    seed: Seed = 0,
    fail: Annotated[
        bool, typer.Option("--fail", help="Exit 1 if an item of the checklist does not hold.")
    ] = False,
    *,
    pictured: ImageFiles,
    store: StoreUrl = None,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Play every case with trivial baselines, probes and the oracle; report whatever scores but should not.

    Trivial baselines must score near the floor, a probe must gain nothing from the one input it sees, and the
    oracle must reach the top of the headline measure. Consultations show answer options if there are any.
    """
    wanted = protocol_named(protocol).config(
        cases=cases, format=format, **pictured._asdict(), limit=limit, repeats=repeats, seed=seed
    )
    with open_store(store) as opened, shown(what=wanted.plays.many) as on_progress:
        validation = measure(wanted, opened, lambda player: say(f"{player} ..."), on_progress)
    result(
        as_json,
        validation.as_json(),
        _players(validation),
        _lifts(validation),
        _findings(validation),
        _checklist(validation),
    )
    if fail and 0 in validation.checklist.values():
        raise typer.Exit(NOTHING_DONE)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for place, column in enumerate(columns):
        table.add_column(Text(column), no_wrap=place == 0)
    return table


def _players(validation: Validation) -> RenderableType:
    measure = protocol_named(validation.protocol).measure(validation.measure)
    over = validation.own.get("over_base_rate", {})
    more = ("over the base rate", "95 % interval") if over else ()
    columns = ("player", "input seen", measure.words, "95 % interval", "scored", "unscored", *more)
    table = _table("Players and their scores", *columns, "counts against")
    for name, one in validation.players.items():
        value = (number(one.value, measure.share), interval(one, measure.share))
        gained = _gain(over.get(name), share=True) if over else ()
        against = [f"{what} {each.value:.3g}" for what, each in validation.against.get(name, {}).items()]
        looked = validation.looks_at.get(name, "all")
        cells = (name, looked, *value, f"{one.n:,}", f"{one.unscored:,}", *gained, ", ".join(against))
        add_row(table, *cells)
    notes = [plain(note) for note in validation.notes]
    return Group(table, *notes, Text(safe(validation.label), "italic"))


def _lifts(validation: Validation) -> RenderableType:
    share = protocol_named(validation.protocol).measure(validation.measure).share
    table = _table("Lift", "player", "input seen", "gain", "95 % interval")
    for name, lift in validation.lift.items():
        gained = _gain(asdict(lift), share=share)
        add_row(table, name, validation.looks_at.get(name, "all"), *gained)
    return Group(table, plain(f"Over {validation.over}."))


def _gain(found: Mapping[str, Any] | None, *, share: bool) -> tuple[str, str]:
    """A signed difference and its interval; shares in per cent."""
    if found is None or found["value"] is None:
        return "-", "-"
    how = "+.1%" if share else "+.3g"
    low, high = found["low"], found["high"]
    reach = "-" if low is None or high is None else f"{low:{how}} to {high:{how}}"
    return f"{found['value']:{how}}", reach


def _findings(validation: Validation) -> RenderableType:
    """The table of findings, errors first, limited to a screenful."""
    flaws = validation.findings
    table = _table(f"{len(flaws)} findings", "", "what", "cases", "where", "message")
    for flaw in sorted(flaws, key=lambda flaw: flaw.level)[:_MOST_SHOWN]:
        more = len(flaw.cases) - _MOST_NAMED
        cases = ", ".join(flaw.cases[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        cells = (flaw.level, flaw.code, cases, flaw.where, flaw.message)
        add_row(table, *cells)
    left = len(flaws) - _MOST_SHOWN
    return Group(table, Text(f"and {left} more; --json lists them")) if left > 0 else table


def _checklist(validation: Validation) -> RenderableType:
    table = _table("Checklist", "item", "holds", "reason")
    for item, level in validation.checklist.items():
        table.add_row(item.replace("_", " "), _HOLDS[level], plain(validation.reasons[item]))
    return table
