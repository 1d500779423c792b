"""Judging runs of any protocol at the command line, with the judge named by `--judge`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from osler.cli.output import plain, result, say
from osler.core.judge import Judge, ModelJudge
from osler.errors import InfrastructureFault
from osler.reports.cells import number
from osler.runs.dry_run import Forecast
from osler.runs.endpoints import words
from osler.runs.judged_episodes import Grader
from osler.runs.judging import JudgeOptions, judge_by_name
from osler.runs.rejudging import Spoken, spoken
from osler.runs.run import protocol_of
from osler.runs.usage import JUDGE, Used
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.text.hostile import safe

LEXICAL: Final = "lexical"
"""The name of the built-in judge by rubrics."""

JudgedAtOnce = Annotated[int, typer.Option(min=1, max=4096, help="Episodes judged concurrently by a model.")]


class JudgedRun(NamedTuple):
    """A judged run as JSON. For a judge with its own scores, `tables` holds them for printing; otherwise the
    protocol's figures by `grader` are printed (`None`: its first judge's)."""

    value: dict[str, Any]
    tables: tuple[RenderableType, ...] = ()
    grader: Grader | None = None
    more: tuple[RenderableType, ...] = ()
    """What is printed after the protocol's figures: what the judge used."""


def judged(run: RunInfo, store: Store, options: JudgeOptions) -> JudgedRun:
    """Judge a stored run. Raises BadInput, and InfrastructureFault, after which judging can be continued."""
    try:
        result = judge_by_name(run, store, options, say)
    except InfrastructureFault:
        say(f"Judgements so far are kept. To continue: osler judge run {run.name} --judge {options.name}")
        raise
    used, tables = said_used(result.by, result.used)
    judge = result.judge
    said = spoken(run, store, judge)
    text = "again" if isinstance(judge, Judge) else f"by {judge.grader}"
    say(f"judged {result.judged} {protocol_of(run).many} {text}")
    value: dict[str, Any] = {
        "run": run.name,
        "judge": ", ".join(said.graders) or getattr(judge, "grader", options.name),
        "version": said.versions[0] if said.versions else "",
        "versions": list(said.versions),
        "judged": result.judged,
        "repeats": options.repeats,
        "warning": result.warning,
        "unscored_because": said.unscored_because,
        "scores": {name: asdict(estimate) for name, estimate in said.scores.items()},
        **used,
    }
    if judge.scores:
        return JudgedRun({**value["scores"], **value}, (*_shown(judge, said), *tables))
    return JudgedRun(value, grader=result.grader, more=tables)


def said_used(
    by: dict[str, Any] | None, used: Used | None
) -> tuple[dict[str, Any], tuple[RenderableType, ...]]:
    """The judge and its usage, as JSON and for printing; nothing for a judge that asks no model."""
    if by is None or used is None:
        return {}, ()
    told = plain(f"Judged by {by['endpoint']}: {words(by)}")
    return {"judged_by": by, "usage": used}, (told, usage_table(used, "Tokens of the judge"))


def usage_table(used: Used, title: str = "Tokens") -> Table:
    """The usage table by seat and endpoint."""
    names = ("replies", "calls", "prompt_tokens", "completion_tokens", "cached_tokens", "cost")
    heads = ("seat", "endpoint", "replies", "calls", "sent", "answered", "cached", "cost")
    table = Table(*heads, "retries", "faults", title=title)
    for seat, endpoints in used.items():
        for name, row in endpoints.items():
            cells = [row.get(count) for count in (*names, "retries", "faults")]
            table.add_row(
                plain(seat), plain(name), *("unknown" if one is None else f"{one:,}" for one in cells)
            )
    return table


def estimate_judging(run: RunInfo, episodes: int, forecast: Forecast, as_json: bool) -> None:
    """Print an estimate of what judging a run would take."""
    cost = "unknown: no prices" if forecast.cost is None else number(forecast.cost, False)
    table = Table("seat", "calls", "tokens sent", "tokens answered", "cost")
    tokens = (f"{forecast.prompt_tokens:,}", f"{forecast.completion_tokens:,}")
    table.add_row(JUDGE, f"{forecast.calls:,}", *tokens, cost)
    say(f"An estimate for {episodes:,} episodes that are not judged yet; no model was asked.")
    result(as_json, {"run": run.name, "episodes": episodes, **forecast._asdict()}, table)


def _shown(judge: Judge | ModelJudge, said: Spoken) -> tuple[RenderableType, ...]:
    table = Table("score", "mean", "95 % interval", "scored", "unscored")
    for measure in judge.scores:
        score = said.scores[measure.name]
        reach = f"{number(score.low, measure.share)} to {number(score.high, measure.share)}"
        cells = (number(score.value, measure.share), reach, str(score.n), str(score.unscored))
        table.add_row(plain(measure.words), *cells)
    because = ", ".join(f"{count} {safe(reason)}" for reason, count in said.unscored_because.items())
    return (table, Text(f"Unscored: {because}")) if because else (table,)
