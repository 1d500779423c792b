"""`osler validate`: is a set of cases, as it is played and judged here, fit to measure with?"""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.cli.case_format import Format
from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import NOTHING_DONE, command, result, say
from osler.cli.progress import shown
from osler.reports.safe_text import safe
from osler.reports.summary import Interval
from osler.reports.tables import interval, number
from osler.store.store import open_store
from osler.studies.build import RunConfig
from osler.studies.flaws import LOOKS_AT, Flaw
from osler.studies.validate import Validation
from osler.studies.validate import validate as measure

_MOST_SHOWN: Final = 40
_MOST_NAMED: Final = 3
_HOLDS: Final = ("no", "in part", "yes")


@command
def validate(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, or a file or folder in an importable format.")
    ] = "library",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N cases.")] = None,
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="How often each case is consulted.")] = 1,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    fail: Annotated[
        bool, typer.Option("--fail", help="Exit with 1 where an item of the checklist does not hold.")
    ] = False,
    store: StoreUrl = None,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Let trivial players, probes and the oracle consult every case; say what scores it should not.

    Trivial play must score near chance, a probe must gain nothing from the one thing it looks at, and the
    oracle must be able to play every case. Options are shown where a case has them.
    """
    wanted = RunConfig(cases=cases, format=format, limit=limit, repeats=repeats, seed=seed)
    with open_store(store) as opened, shown() as on_progress:
        found = measure(wanted, opened, lambda player: say(f"{player} ..."), on_progress)
    value = found.model_dump(mode="json")
    result(as_json, value, _players(found), _lifts(found), _findings(found.findings), _checklist(found))
    if fail and 0 in found.checklist.values():
        raise typer.Exit(NOTHING_DONE)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for place, column in enumerate(columns):
        table.add_column(Text(column), no_wrap=place == 0)
    return table


def _players(found: Validation) -> RenderableType:
    columns = (
        "player",
        "share",
        "95 % interval",
        "scored",
        "unscored",
        "over the base rate",
        "95 % interval",
    )
    table = _table("Answered rightly", *columns)
    for name, accuracy in found.players.items():
        share = (number(accuracy.value, True), interval(accuracy, True))
        gained = _gain(found.over_base_rate.get(name))
        table.add_row(name, *share, f"{accuracy.n:,}", f"{accuracy.unscored:,}", *gained)
    base = found.base_rate
    naming = f"Base rate: naming the commonest of these {found.cases:,} cases' answers, "
    naming += f"or guessing among options: {number(base.value, True)} ({interval(base, True)})."
    return Group(table, Text(naming), Text(safe(found.label), "italic"))


def _lifts(found: Validation) -> RenderableType:
    table = _table("Lift", "player", "looks at", "gains", "95 % interval")
    for name, lift in found.lift.items():
        table.add_row(name, LOOKS_AT.get(name, "all"), *_gain(lift))
    over = (
        "Over chance where options are shown, else over always-conclude, paired by case; of first-told over "
    )
    return Group(table, Text(over + "the same facts in another order."))


def _gain(found: Interval | None) -> tuple[str, str]:
    """A difference of shares and its interval, signed."""
    if found is None or found.value is None:
        return "-", "-"
    reach = "-" if found.low is None or found.high is None else f"{found.low:+.1%} to {found.high:+.1%}"
    return f"{found.value:+.1%}", reach


def _findings(flaws: tuple[Flaw, ...]) -> RenderableType:
    """Errors first; no more than a screenful."""
    table = _table(f"{len(flaws)} findings", "", "what", "cases", "where", "message")
    for flaw in sorted(flaws, key=lambda flaw: flaw.level)[:_MOST_SHOWN]:
        more = len(flaw.cases) - _MOST_NAMED
        cases = ", ".join(flaw.cases[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        cells = (flaw.level, flaw.code, cases, flaw.where, flaw.message)
        table.add_row(*(Text(safe(cell)) for cell in cells))
    left = len(flaws) - _MOST_SHOWN
    return Group(table, Text(f"and {left} more; --json lists them")) if left > 0 else table


def _checklist(found: Validation) -> RenderableType:
    table = _table("Checklist", "item", "holds", "why")
    for item, level in found.checklist.items():
        table.add_row(item.replace("_", " "), _HOLDS[level], Text(safe(found.reasons[item])))
    return table
