"""`osler compare`: paired comparison of stored runs on the same worlds."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Annotated, Any, Final

import typer
from rich.box import SIMPLE
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import NOTHING_DONE, add_row, command, plain, result, say
from osler.errors import BadInput
from osler.reports.cells import number
from osler.stats.paired import Difference
from osler.store.records import RunInfo
from osler.store.store import open_store
from osler.studies.compare import SIGN, Compared, Comparison, compare_all
from osler.text.hostile import safe

NONE: Final = "-"
_PAIR: Final = 2
_NOTHING: Final = Compared(score="", kind="share", difference=Difference())


@command
def compare(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN RUN...", help="The baseline run, then the runs to compare with it."),
    ],
    score: Annotated[
        list[str] | None,
        typer.Option(
            help="correct, cost_per_correct, learning_gain, net, turns, ... The first is primary; p-values"
            " of further ones are Holm-adjusted.  [default: the headline score]",
            show_default=False,
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            min=0, help="Equivalence margin for the first score (TOST); 0.05 of a share is 5 points."
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            help="The judge whose scores to use: model:NAME, person:NAME, ...  [default: the built-in one]",
            show_default=False,
        ),
    ] = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Compare runs with the first on the worlds both played: second minus first, clustered by case."""
    if margin is not None and not isfinite(margin):
        raise BadInput(f"{margin} is not a margin", where="--margin", hint="give a number such as 0.05")
    if len(runs) < _PAIR:
        raise BadInput("one run cannot be compared", where="RUN RUN...", hint="name two or more runs")
    with open_store(store, create=False) as opened:
        named = [opened.run(name) for name in runs]
        found = opened.as_far_as_readable(
            lambda: compare_all(named, opened, score or [], grader=judge, margin=margin)
        )
    for run in {run.id: run for run in named}.values():
        _say_unfinished(run)
    result(as_json, as_object(found), *(_shown(pair) for pair in found if not pair.refused))
    refused = list(dict.fromkeys(reason for pair in found for reason in pair.refused))
    for reason in refused:
        say(f"osler: refused: {safe(reason)}")
    if refused:
        raise typer.Exit(NOTHING_DONE)


def as_object(found: Sequence[Comparison]) -> dict[str, Any]:
    """Comparisons as JSON, one entry of `comparisons` per pair and score. For a single pair also the primary
    score at top level and the others under `further`."""
    lines = {"comparisons": [line for pair in found for line in _lines(pair)]}
    if len(found) > 1:
        runs = [found[0].first, *(pair.second for pair in found)]
        refused = list(dict.fromkeys(reason for pair in found for reason in pair.refused))
        head = {"sign": SIGN, "runs": runs, "judge": found[0].judge, "margin": found[0].margin}
        return {**head, "refused": refused, **lines}
    plain = found[0].model_dump(mode="json", exclude={"wanted"})
    primary, *further = plain.pop("scores") or [dict.fromkeys(_NOTHING.as_json())]
    del primary["p_holm"]
    return {"sign": SIGN, **primary, **plain, "further": {one["score"]: one for one in further}, **lines}


def _lines(pair: Comparison) -> list[dict[str, Any]]:
    ends = {"a": pair.first, "b": pair.second}
    if pair.refused:
        rest = dict.fromkeys(("difference", "p", "p_adjusted", "unscored"))
        return [{**ends, "score": name, **rest, "refused": list(pair.refused)} for name in pair.wanted]
    return [
        {
            **ends,
            "score": one.score,
            "difference": one.as_json()["difference"],
            "p": one.difference.p,
            "p_adjusted": one.difference.p_holm,
            "unscored": one.difference.unscored,
        }
        for one in pair.scores
    ]


def _say_unfinished(run: RunInfo) -> None:
    if run.done < run.planned:
        say(f"{run.name} is unfinished: {run.done} of {run.planned} episodes; see osler resume")


def _shown(found: Comparison) -> RenderableType:
    table = Table(box=SIMPLE, padding=0)
    table.add_column(Text("score"), overflow="fold", min_width=10)
    names = ["first", "second", "difference (95 %)", "p", "pairs", "unscored"]
    if found.margin is not None:
        names.append(f"±{found.margin:g}")
    for name in names:
        table.add_column(Text(name), justify="right", no_wrap=True)
    for one in found.scores:
        cells = _cells(one, one.kind == "share")
        if found.margin is not None:
            cells.append({True: "yes", False: "no", None: NONE}[one.difference.equivalent])
        add_row(table, *cells)
    return Group(plain("\n".join(_heading(found))), table)


def _heading(found: Comparison) -> list[str]:
    cases = found.scores[0].difference.cases
    lines = [f"first: {found.first}", f"second: {found.second}"]
    lines += [
        f"{name}: {one} in the first, {other} in the second" for name, (one, other) in found.differs.items()
    ]
    lines.append(f"difference: {SIGN}, on worlds both played, clustered by case ({cases:,})")
    if found.margin is not None:
        lines.append(f"±{found.margin:g}: whether the first score is equivalent (two one-sided tests at 5 %)")
    if found.unpaired:
        lines.append(f"{found.unpaired:,} episodes are unpaired: only one of the two runs played their world")
    if any(one.difference.p_holm is not None for one in found.scores):
        lines.append("p-values of all scores but the first are adjusted for multiplicity (Holm)")
    return lines


def _cells(one: Compared, share: bool) -> list[str]:
    gap = one.difference
    p = gap.p if gap.p_holm is None else gap.p_holm
    low, high = gap.bounds or (gap.low, gap.high)
    value = "bounds" if gap.bounds else _signed(gap.value, share)
    reach = "" if low is None else f" ({_signed(low, share)} to {_signed(high, share)})"
    return [
        one.score.replace("_", " "),
        number(gap.first, share),
        number(gap.second, share),
        value + reach,
        NONE if p is None or gap.bounds else "<0.001" if p < 0.001 else f"{p:.3f}",
        f"{gap.n_pairs:,}",
        f"{gap.unscored:,}",
    ]


def _signed(value: float | None, share: bool) -> str:
    shown = number(value, share)
    return shown if value is None or value <= 0 else f"+{shown}"
