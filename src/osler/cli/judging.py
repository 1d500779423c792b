"""Judging runs of any protocol at the command line, with the judge named by `--judge`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from osler.cli.output import say
from osler.core.config import Config
from osler.core.judge import Judge, JudgeModel, ModelJudge, OpensJudge
from osler.errors import BadInput, InfrastructureFault
from osler.judging.named import FIRST, endpoint_of, judge_named
from osler.reports.tables import number
from osler.runs.judged_episodes import Grader
from osler.runs.rejudging import Spoken, judge_again, judge_run, spoken
from osler.runs.run import config_of, protocol_of
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.text.safe_text import safe

BATCH = 25
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


class Judging(NamedTuple):
    """The judge, and how a model is asked."""

    name: str = FIRST
    repeats: int = 1
    batch: int = BATCH
    same_endpoint_allowed: bool = False
    config: Path | None = None
    """An osler.toml."""


class Judged(NamedTuple):
    """A judged run as JSON. For a judge with its own scores, `shown` holds their tables for printing;
    otherwise the protocol's figures by `grader` are printed (`None`: its first judge's)."""

    value: dict[str, Any]
    shown: tuple[RenderableType, ...] = ()
    grader: Grader | None = None


def check_judge(judging: Judging, wanted: Sequence[Config]) -> bool:
    """Whether runs of these configurations need judging after they are played: false for the judge that
    already judges them during play.

    Raises BadInput for an unknown judge, an endpoint that is not configured, and a model that would judge
    a run it plays in.
    """
    protocol = wanted[0].plays
    found = judge_named(judging.name, protocol)
    if not isinstance(found, Judge):
        for config in wanted:
            independent(judging, config)
    return found is not protocol.judges[0]


def judged(run: RunInfo, store: Store, judging: Judging) -> Judged:
    """Judge a stored run. Raises BadInput, and InfrastructureFault, after which judging can be continued."""
    protocol, warning = protocol_of(run), None
    if next(store.episodes(run.id), None) is None:
        raise BadInput("the run has no ended episode to judge", where=run.name)
    found = judge_named(judging.name, protocol)
    if isinstance(found, Judge):
        judge: Judge | ModelJudge = found
        count = judge_again(run, store, found)
        told = "again"
    else:
        if warning := independent(judging, config_of(run)):
            say(warning)
        try:
            count, judge = asyncio.run(_asked(run, store, judging, found))
        except InfrastructureFault:
            say(f"Judgements so far are kept. To continue: osler judge run {run.name} --judge {judging.name}")
            raise
        told = f"by {judge.grader}"
    said = spoken(run, store, judge)
    say(f"judged {count} {protocol.many} {told}")
    value: dict[str, Any] = {
        "run": run.name,
        "judge": ", ".join(said.graders) or getattr(judge, "grader", judging.name),
        "version": said.versions[0] if said.versions else "",
        "versions": list(said.versions),
        "judged": count,
        "repeats": judging.repeats,
        "warning": warning,
        "unscored_because": said.unscored_because,
        "scores": {name: asdict(estimate) for name, estimate in said.scores.items()},
    }
    if judge.scores:
        return Judged({**value["scores"], **value}, _shown(judge, said))
    return Judged(value, grader=None if found is protocol.judges[0] else Grader(said.graders[0]))


async def _asked(run: RunInfo, store: Store, judging: Judging, opens: OpensJudge) -> tuple[int, ModelJudge]:
    from osler.cli import models  # noqa: PLC0415 - the model client is slow to import

    name = endpoint_of(judging.name)
    found = models.configured(judging.config)
    async with models.open_models([f"model:{name}"], found) as clients:
        model = JudgeModel(clients.client(name), found.endpoint(name), judging.repeats, judging.batch)
        judge = opens(model)
        return await judge_run(run, store, judge), judge


def independent(judging: Judging, config: Config) -> str | None:
    """A warning if a model judges a run it plays in. Raises BadInput if that is not allowed, and for an
    endpoint that is not configured."""
    from osler.cli import models  # noqa: PLC0415 - the model client is slow to import
    from osler.judging.model.independence import check_independent  # noqa: PLC0415 - see above

    found = models.configured(judging.config)
    endpoint = found.endpoint(endpoint_of(judging.name)).name
    names: Mapping[str, str] = {name: one.model for name, one in found.endpoints.items()}
    players = config.insides().values()
    return check_independent(endpoint, players, judging.same_endpoint_allowed, names)


def _shown(judge: Judge | ModelJudge, said: Spoken) -> tuple[RenderableType, ...]:
    table = Table("score", "mean", "95 % interval", "scored", "unscored")
    for measure in judge.scores:
        found = said.scores[measure.name]
        reach = f"{number(found.low, measure.share)} to {number(found.high, measure.share)}"
        cells = (number(found.value, measure.share), reach, str(found.n), str(found.unscored))
        table.add_row(Text(safe(measure.words)), *cells)
    because = ", ".join(f"{count} {safe(reason)}" for reason, count in said.unscored_because.items())
    return (table, Text(f"Unscored: {because}")) if because else (table,)
