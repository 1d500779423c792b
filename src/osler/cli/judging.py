"""Judging runs of any protocol at the command line, with the judge named by `--judge`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from osler.cli.output import plain, say
from osler.core.judge import Judge, ModelJudge
from osler.errors import InfrastructureFault
from osler.reports.cells import number
from osler.runs.judged_episodes import Grader
from osler.runs.judging import JudgeOptions, judge_by_name
from osler.runs.rejudging import Spoken, spoken
from osler.runs.run import protocol_of
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.text.hostile import safe

JudgeName = Annotated[
    str,
    typer.Option(
        "--judge",
        help="The judge of each run once it is played: baseline (the protocol's own), model:NAME of"
        " osler.toml, or a judge from a plug-in.",
    ),
]
JudgeRepeats = Annotated[
    int, typer.Option("--judge-repeats", min=1, max=50, help="Times a model judges each episode.")
]
Batch = Annotated[int, typer.Option("--batch", min=1, max=200, help="Rubric items per model request.")]
SameEndpointAllowed = Annotated[
    bool, typer.Option("--same-endpoint-allowed", help="Let a model judge a run it played in.")
]


class Shown(NamedTuple):
    """A judged run as JSON. For a judge with its own scores, `tables` holds them for printing; otherwise the
    protocol's figures by `grader` are printed (`None`: its first judge's)."""

    value: dict[str, Any]
    tables: tuple[RenderableType, ...] = ()
    grader: Grader | None = None


def judged(run: RunInfo, store: Store, options: JudgeOptions) -> Shown:
    """Judge a stored run. Raises BadInput, and InfrastructureFault, after which judging can be continued."""
    try:
        found = judge_by_name(run, store, options, say)
    except InfrastructureFault:
        say(f"Judgements so far are kept. To continue: osler judge run {run.name} --judge {options.name}")
        raise
    judge = found.judge
    said = spoken(run, store, judge)
    told = "again" if isinstance(judge, Judge) else f"by {judge.grader}"
    say(f"judged {found.judged} {protocol_of(run).many} {told}")
    value: dict[str, Any] = {
        "run": run.name,
        "judge": ", ".join(said.graders) or getattr(judge, "grader", options.name),
        "version": said.versions[0] if said.versions else "",
        "versions": list(said.versions),
        "judged": found.judged,
        "repeats": options.repeats,
        "warning": found.warning,
        "unscored_because": said.unscored_because,
        "scores": {name: asdict(estimate) for name, estimate in said.scores.items()},
    }
    if judge.scores:
        return Shown({**value["scores"], **value}, _shown(judge, said))
    return Shown(value, grader=found.grader)


def _shown(judge: Judge | ModelJudge, said: Spoken) -> tuple[RenderableType, ...]:
    table = Table("score", "mean", "95 % interval", "scored", "unscored")
    for measure in judge.scores:
        found = said.scores[measure.name]
        reach = f"{number(found.low, measure.share)} to {number(found.high, measure.share)}"
        cells = (number(found.value, measure.share), reach, str(found.n), str(found.unscored))
        table.add_row(plain(measure.words), *cells)
    because = ", ".join(f"{count} {safe(reason)}" for reason, count in said.unscored_because.items())
    return (table, Text(f"Unscored: {because}")) if because else (table,)
