"""`osler judge run`: judge stored encounters of any protocol from their traces, with any judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from osler.cli.judge_diagnosis import judge_diagnosis
from osler.cli.judging import Batch, SameEndpointAllowed, judged
from osler.cli.options import AsJson, ConfigFile, RunName, StoreUrl
from osler.cli.output import command, result, say
from osler.cli.playing import told_of
from osler.cli.rubric import LEXICAL
from osler.cli.rubric import judge as by_rubric
from osler.judging.named import BUILT_IN_JUDGE
from osler.runs.judging import BATCH, JudgeOptions
from osler.runs.run import Sitting
from osler.runs.seating import ModelOptions
from osler.store.store import open_store

judging = typer.Typer(no_args_is_help=True, help="Judge stored encounters again.")


@judging.command("run")
@command
def judge_run(
    run: RunName,
    judge: Annotated[
        str,
        typer.Option(
            help="baseline (the protocol's own judge), keyed or lexical (for scenarios), model:NAME of"
            " osler.toml, or a judge from a plug-in; with --rubric: lexical or model:NAME."
        ),
    ] = BUILT_IN_JUDGE,
    rubric: Annotated[
        Path | None,
        typer.Option(help="Judge by frozen rubrics: a file, or a folder with one per case."),
    ] = None,
    repeats: Annotated[
        int, typer.Option(min=1, help="Times a model is asked; its answers are combined.")
    ] = 1,
    batch: Batch = BATCH,
    same_endpoint_allowed: SameEndpointAllowed = False,
    config: ConfigFile = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Judge every episode of a run from its trace; no player is asked again.

    A rule-based judge judges every episode again, a model only those it has not judged yet.
    """
    if rubric is not None:
        by_rubric(
            run,
            rubric,
            LEXICAL if judge == BUILT_IN_JUDGE else judge,
            repeats=repeats,
            batch=batch,
            same_endpoint_allowed=same_endpoint_allowed,
            config=config,
            store=store,
            as_json=as_json,
        )
        return
    with open_store(store, create=False) as opened:
        found = opened.run(run)
        options = JudgeOptions(judge, repeats, batch, same_endpoint_allowed, config)
        said = opened.as_far_as_readable(lambda: judged(found, opened, options))
        if said.tables:
            result(as_json, said.value, *said.tables)
            return
        sitting = Sitting(found, found.status, "", 0.0)
        modelling = ModelOptions(config)
        told = opened.as_far_as_readable(lambda: told_of(sitting, opened, modelling, grader=said.grader))
        for name, version in opened.graders(found.id):
            if version not in said.value["versions"]:
                grader = f"--grader {name}@{version}"
                say(f"also stored: {name} {version} (osler runs summary {found.name} {grader})")
    result(as_json, {**said.value, **told.value}, *told.shown)


judging.command("diagnosis")(judge_diagnosis)
