"""`osler compare`: paired comparison of stored runs on the same worlds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import isfinite
from string import ascii_uppercase
from typing import Annotated, Any, Final

import typer
from rich.box import SIMPLE
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.cli.archived import takes_archives
from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import NOTHING_DONE, add_row, command, plain, result, say
from osler.errors import BadInput
from osler.reports.cells import number
from osler.reports.sentences import p_value, points, verdict
from osler.runs.run import protocol_of
from osler.stats.paired import Difference
from osler.store.records import RunInfo
from osler.store.store import open_store
from osler.studies.compare import (
    FAMILIES,
    SIGN,
    Compared,
    Comparison,
    Comparisons,
    compare_all,
    shown_first,
)
from osler.studies.ranking import PassPower, Ranked
from osler.studies.rating.human_anchor import human_anchor
from osler.text.hostile import safe

NONE: Final = "-"
LETTERS: Final = ascii_uppercase
_PAIR: Final = 2
_NOTHING: Final = Compared(score="", kind="share", difference=Difference())


@command
@takes_archives("runs")
def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN RUN...", help="Two runs or archives, or more: every pair of them is compared."
        ),
    ],
    score: Annotated[
        list[str] | None,
        typer.Option(
            help="correct, cost_per_correct, learning_gain, net, turns, ... The first is primary: it ranks"
            " the runs; p-values of further ones are Holm-adjusted.  [default: the headline score,"
            " with those that stand beside it]",
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
    """Compare runs pair by pair on the worlds both played, clustered by case, and rank them."""
    if margin is not None and not isfinite(margin):
        raise BadInput(f"{margin} is not a margin", where="--margin", hint="give a number such as 0.05")
    if len(runs) < _PAIR:
        raise BadInput("one run cannot be compared", where="RUN RUN...", hint="name two or more runs")
    with open_store(store, create=False) as opened:
        infos = [opened.run(name) for name in runs]
        found = opened.as_far_as_readable(
            lambda: compare_all(
                infos, opened, score or _shown_first(infos, judge), grader=judge, margin=margin
            )
        )
        anchor = human_anchor(infos, opened)
    for run in {run.id: run for run in infos}.values():
        _say_unfinished(run)
    shown = [] if found.refused else [*_shown(found), plain(anchor.line)]
    value = {**as_object(found), "human_anchor": anchor.model_dump(mode="json")}
    result(as_json, value, *shown)
    for reason in found.refused:
        say(f"osler: refused: {safe(reason)}")
    if found.refused:
        raise typer.Exit(NOTHING_DONE)


def _shown_first(runs: Sequence[RunInfo], judge: str | None) -> list[str]:
    """The scores compared unless others are named, for our own judge."""
    protocol = protocol_of(runs[0])
    return [] if judge is not None and judge not in protocol.graders else shown_first(protocol)


def as_object(found: Comparisons) -> dict[str, Any]:
    """Comparisons as JSON, one entry of `comparisons` per pair and score, with ranks and pass^k. For a single
    pair also the primary score at top level and the others under `further`."""
    lines: dict[str, Any] = {
        "comparisons": [line for pair in found.pairs for line in _lines(pair)],
        "ranks": [one.model_dump(mode="json") for one in found.ranks],
        "pass_k": [one.model_dump(mode="json") for one in found.passes],
    }
    first = found.pairs[0]
    if len(found.pairs) > 1:
        head = {"sign": SIGN, "score": found.measure.name, "runs": list(found.runs)}
        rest = {"judge": first.judge, "margin": first.margin, "refused": found.refused, "adjusted": FAMILIES}
        return {**head, **rest, **lines}
    pair = first.model_dump(mode="json", exclude={"wanted"})
    primary, *further = pair.pop("scores") or [dict.fromkeys(_NOTHING.as_json())]
    del primary["p_holm"]
    return {"sign": SIGN, **primary, **pair, "further": {one["score"]: one for one in further}, **lines}


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


def _shown(found: Comparisons) -> list[RenderableType]:
    if len(found.pairs) == 1:
        (pair,) = found.pairs
        shown = [_pair(pair), plain(verdict(found.measure, "first", "second", pair.scores[0].difference))]
    else:
        shown = [_leaderboard(found), *_matrices(found), plain("\n".join(_verdicts(found)))]
    return [*shown, *_passed(found)]


def _pair(found: Comparison) -> RenderableType:
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


def _leaderboard(found: Comparisons) -> RenderableType:
    """The runs with their letters, what they differ in, and their ranks."""
    table = Table(box=SIMPLE, padding=0)
    for name in ("", "run", found.measure.name.replace("_", " "), "rank", "95 %"):
        table.add_column(Text(name), overflow="fold", justify="left" if name in ("", "run") else "right")
    ranks = dict(enumerate(found.ranks))
    for place, (letter, name) in enumerate(zip(LETTERS, found.runs, strict=False)):
        one = ranks.get(place)
        said = (str(one.rank), _from_to(one)) if one and one.rank else (NONE, NONE)
        add_row(table, letter, "\n".join([name, *_own(found, place)]), _mean(found, place), *said)
    score = found.measure.name.replace("_", " ")
    lines = [f"{score}, on worlds both played, clustered by case; p adjusted over {FAMILIES} (Holm)"]
    if found.ranks:
        lines.append("rank: 1 is best; the intervals hold for all runs together (Mogstad et al. 2024)")
    else:
        lines.append(f"no ranks: neither more nor less of {score} is better")
    return Group(plain("\n".join(lines)), table)


def _mean(found: Comparisons, place: int) -> str:
    """A run's primary score over the pairs with the first other run that shares scored episodes with it."""
    for both, pair in zip(combinations(range(len(found.runs)), 2), found.pairs, strict=True):
        if place in both and pair.scores:
            gap = pair.scores[0].difference
            value = gap.first if place == both[0] else gap.second
            if value is not None:
                return number(value, found.measure.share)
    return NONE


def _from_to(one: Ranked) -> str:
    return f"{one.low}" if one.low == one.high else f"{one.low} to {one.high}"


def _own(found: Comparisons, place: int) -> list[str]:
    """The settings in which a run differs from any other."""
    own: dict[str, Any] = {}
    for (i, j), pair in zip(combinations(range(len(found.runs)), 2), found.pairs, strict=True):
        if place in (i, j):
            own |= {name: both[place == j] for name, both in pair.differs.items()}
    return [f"{name}: {_said(value)}" for name, value in own.items() if value not in ({}, None, "")]


def _said(value: Any) -> str:
    """A setting as a person reads it: of a mapping its entries."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {one}" for key, one in value.items()) or NONE
    return str(value)


def _matrices(found: Comparisons) -> Iterator[RenderableType]:
    """A triangle of differences for each score: row minus column."""
    places = list(combinations(range(len(found.runs)), 2))
    for at, one in enumerate(found.pairs[0].scores):
        share = one.kind == "share"
        gaps = {place: pair.scores[at].difference for place, pair in zip(places, found.pairs, strict=True)}
        table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
        for name in ("", *LETTERS[: len(found.runs) - 1]):
            table.add_column(Text(name), justify="right", no_wrap=True)
        for row in range(1, len(found.runs)):
            cells = [_square(gaps[column, row], share) if column < row else "" for column in range(row)]
            add_row(table, LETTERS[row], *cells, *[""] * (len(found.runs) - 1 - row))
        unit = ", in percentage points" if share else ""
        yield Group(plain(f"{one.score.replace('_', ' ')}: row minus column{unit}"), table)


def _square(gap: Difference, share: bool) -> str:
    low, high = gap.bounds or (gap.low, gap.high)
    reach = "no interval" if low is None else f"{points(low, share)} to {points(high, share)}"
    if gap.bounds:
        return f"{reach}\nbounds"
    return f"{points(gap.value, share)}\n{reach}\np {p_value(gap)}"


def _verdicts(found: Comparisons) -> Iterator[str]:
    places = combinations(LETTERS[: len(found.runs)], 2)
    for (first, second), pair in zip(places, found.pairs, strict=True):
        yield verdict(found.measure, first, second, pair.scores[0].difference, len(found.pairs))


def _passed(found: Comparisons) -> Iterator[RenderableType]:
    """pass^k by run, one row for each k."""
    ks = sorted({one.k for one in found.passes})
    if not ks:
        return
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    names = LETTERS[: len(found.runs)] if len(found.runs) > _PAIR else ("first", "second")
    for name in ("", *names):
        table.add_column(Text(name), justify="right", no_wrap=True)
    size = len(ks)
    for at, k in enumerate(ks):
        add_row(table, f"pass^{k}", *(_pass_cell(one) for one in found.passes[at::size]))
    yield Group(plain("pass^k: the probability that k repeats of a case are all right (95 %)"), table)


def _pass_cell(one: PassPower) -> str:
    reach = "" if one.low is None else f" ({number(one.low, True)} to {number(one.high, True)})"
    return number(one.value, True) + reach


def _heading(found: Comparison) -> list[str]:
    cases = found.scores[0].difference.cases
    lines = [f"first: {found.first}", f"second: {found.second}"]
    lines += [
        f"{name}: {_said(one)} in the first, {_said(other)} in the second"
        for name, (one, other) in found.differs.items()
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
    low, high = gap.bounds or (gap.low, gap.high)
    value = "bounds" if gap.bounds else _signed(gap.value, share)
    reach = "" if low is None else f" ({_signed(low, share)} to {_signed(high, share)})"
    return [
        one.score.replace("_", " "),
        number(gap.first, share),
        number(gap.second, share),
        value + reach,
        p_value(gap),
        f"{gap.n_pairs:,}",
        f"{gap.unscored:,}",
    ]


def _signed(value: float | None, share: bool) -> str:
    shown = number(value, share)
    return shown if value is None or value <= 0 else f"+{shown}"
