"""`osler judge run`: judge stored encounters of any protocol from their traces, with any judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from osler.cli.judge_compare import judge_compare
from osler.cli.judge_diagnosis import judge_diagnosis
from osler.cli.judging import LEXICAL, JudgedAtOnce, estimate_judging, judged
from osler.cli.model_options import takes_models
from osler.cli.options import PORTION, AsJson, Batch, DryRun, RunName, SameEndpointAllowed, StoreUrl
from osler.cli.output import command, result, say
from osler.cli.playing import told_of, with_judge
from osler.cli.rubric import judge as by_rubric
from osler.judging.named import BUILT_IN_JUDGE
from osler.runs.judging import JudgeOptions, check_some_ended, judging_forecast
from osler.runs.rejudging import ASKED_AT_ONCE
from osler.runs.run import Session
from osler.runs.seating import ModelOptions
from osler.store.store import open_store

judging = typer.Typer(no_args_is_help=True, help="Judge stored encounters again.")


@judging.command("run")
@command
@takes_models(plays=False)
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
    batch: Batch = PORTION,
    same_endpoint_allowed: SameEndpointAllowed = False,
    concurrency: JudgedAtOnce = ASKED_AT_ONCE,
    dry_run: DryRun = False,
    *,
    modelling: ModelOptions,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Judge every episode of a run from its trace; no player is asked again.

    A rule-based judge judges every episode again, a model only those it has not judged yet. Settings of
    models are the judge's.
    """
    if rubric is not None:
        by_rubric(
            run,
            rubric=rubric,
            judge=LEXICAL if judge == BUILT_IN_JUDGE else judge,
            repeats=repeats,
            batch=batch,
            same_endpoint_allowed=same_endpoint_allowed,
            concurrency=concurrency,
            dry_run=dry_run,
            modelling=modelling,
            store=store,
            as_json=as_json,
        )
        return
    options = JudgeOptions(judge, repeats, batch, same_endpoint_allowed, modelling, concurrency).set()
    with open_store(store, create=False) as opened:
        info = opened.run(run)
        if dry_run:
            check_some_ended(info, opened)
            estimate_judging(info, *judging_forecast(info, opened, options), as_json)
            return
        judged_run = opened.as_far_as_readable(lambda: judged(info, opened, options))
        if judged_run.tables:
            result(as_json, judged_run.value, *judged_run.tables)
            return
        sitting = Session(info, info.status, "", 0.0)
        figures = opened.as_far_as_readable(
            lambda: told_of(sitting, opened, options.models, grader=judged_run.grader)
        )
        for name, version in opened.graders(info.id):
            if version not in judged_run.value["versions"]:
                grader = f"--grader {name}@{version}"
                say(f"also stored: {name} {version} (osler runs summary {info.name} {grader})")
    figures = with_judge(figures, judged_run)
    result(as_json, figures.value, *figures.shown)


judging.command("compare")(judge_compare)
judging.command("diagnosis")(judge_diagnosis)
