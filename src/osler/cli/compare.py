"""`osler compare`: two stored runs on the same worlds."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import NOTHING_DONE, command, result, say
from osler.errors import BadInput
from osler.judging.judge import GRADER
from osler.reports.safe_text import safe
from osler.reports.tables import number
from osler.store.rows import RunInfo
from osler.store.store import open_store
from osler.studies.compare import SIGN, Compared, Comparison, is_share
from osler.studies.compare import compare as compare_runs

NONE = "-"


@command
def compare(
    first: Annotated[str, typer.Argument(metavar="RUN", help="The run to start from.")],
    second: Annotated[str, typer.Argument(metavar="RUN", help="The run that is compared with it.")],
    score: Annotated[
        list[str] | None,
        typer.Option(
            help="correct, cost_per_correct, turns, cost, ... The first is the primary one; p of any further"
            " ones is adjusted (Holm).  [default: correct]",
            show_default=False,
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            min=0, help="Test whether the first score differs by less; 0.05 of a share is 5 points."
        ),
    ] = None,
    judge: Annotated[str, typer.Option(help="Whose scores: baseline, or model:NAME.")] = GRADER,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs on the worlds both have played: second minus first, clustered by case."""
    if margin is not None and not isfinite(margin):
        raise BadInput(f"{margin} is no margin", where="--margin", mend="give a number such as 0.05")
    with open_store(store, create=False) as opened:
        runs = opened.run(first), opened.run(second)
        found = compare_runs(*runs, opened, score or ["correct"], grader=judge, margin=margin)
    for run in runs:
        _say_unfinished(run)
    result(as_json, as_object(found), *([] if found.refused else [_shown(found)]))
    for reason in found.refused:
        say(f"osler: refused: {safe(reason)}")
    if found.refused:
        raise typer.Exit(NOTHING_DONE)


def as_object(found: Comparison) -> dict[str, Any]:
    """A comparison as JSON: the primary score in front, further ones under `further`."""
    plain = found.model_dump(mode="json")
    primary, *further = plain.pop("scores") or [dict.fromkeys(Compared.model_fields)]
    del primary["p_holm"]
    return {"sign": SIGN, **primary, **plain, "further": {one["score"]: one for one in further}}


def _say_unfinished(run: RunInfo) -> None:
    if run.done < run.planned:
        say(f"{run.name} is not finished: {run.done} of {run.planned} episodes; see osler resume")


def _shown(found: Comparison) -> RenderableType:
    table = Table(box=SIMPLE, padding=0)
    table.add_column(Text("score"), overflow="fold", min_width=10)
    names = ["first", "second", "difference (95 %)", "p", "pairs", "unscored"]
    if found.margin is not None:
        names.append(f"±{found.margin:g}")
    for name in names:
        table.add_column(Text(name), justify="right", no_wrap=True)
    for one in found.scores:
        cells = _cells(one, is_share(one.score, found.judge))
        if found.margin is not None:
            cells.append({True: "yes", False: "no", None: NONE}[one.equivalent])
        table.add_row(*(Text(safe(cell)) for cell in cells))
    return Group(Text(safe("\n".join(_heading(found)))), table)


def _heading(found: Comparison) -> list[str]:
    cases = found.scores[0].cases
    lines = [f"first: {found.first}", f"second: {found.second}"]
    lines += [
        f"{name}: {one} in the first, {other} in the second" for name, (one, other) in found.differs.items()
    ]
    lines.append(f"difference: {SIGN}, worlds both have played, clustered by case ({cases:,})")
    if found.margin is not None:
        lines.append(
            f"±{found.margin:g}: whether the first score differs by less (two one-sided tests at 5 %)"
        )
    if found.unpaired:
        lines.append(f"{found.unpaired:,} episodes are of worlds that only one of the two has played")
    if any(one.p_holm is not None for one in found.scores):
        lines.append("p of all scores but the first is adjusted for their number (Holm)")
    return lines


def _cells(one: Compared, share: bool) -> list[str]:
    gap, p = one.difference, one.p if one.p_holm is None else one.p_holm
    low, high = one.bounds or (gap.low, gap.high)
    value = "bounds" if one.bounds else _signed(gap.value, share)
    reach = "" if low is None else f" ({_signed(low, share)} to {_signed(high, share)})"
    return [
        one.score.replace("_", " "),
        number(one.first_mean, share),
        number(one.second_mean, share),
        value + reach,
        NONE if p is None or one.bounds else "<0.001" if p < 0.001 else f"{p:.3f}",
        f"{gap.n_pairs:,}",
        f"{one.unscored:,}",
    ]


def _signed(value: float | None, share: bool) -> str:
    shown = number(value, share)
    return shown if value is None or value <= 0 else f"+{shown}"
