"""`osler judge run`: stored encounters judged anew from their traces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from osler.cli.judge_diagnosis import judge_diagnosis
from osler.cli.options import AsJson, RunName, StoreUrl
from osler.cli.output import command, result, say
from osler.cli.playing import told_of
from osler.cli.rubric import judge as by_rubric
from osler.cli.rubric_asking import LEXICAL
from osler.cli.scenario_judge import judge_scenarios
from osler.cli.seating import Modelling
from osler.errors import BadInput
from osler.store.rows import RunInfo
from osler.store.store import Store, open_store
from osler.studies.rejudging import judge_again
from osler.studies.runs import Sitting, protocol_of

BASELINE = "baseline"
KEYED = "keyed"
judging = typer.Typer(no_args_is_help=True, help="Judge stored encounters again.")


@judging.command("run")
@command
def judge_run(
    run: RunName,
    judge: Annotated[
        str,
        typer.Option(
            help="baseline (of scenarios: keyed), model:NAME of osler.toml; lexical too, of scenarios and"
            " with --rubric."
        ),
    ] = BASELINE,
    rubric: Annotated[
        Path | None,
        typer.Option(help="Judge by frozen rubrics: a file, or a folder with one for each case."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often a model is asked.")] = 1,
    same_endpoint_allowed: Annotated[
        bool,
        typer.Option("--same-endpoint-allowed", help="Let a model judge a run it played in."),
    ] = False,
    config: Annotated[Path | None, typer.Option(help="An osler.toml to use instead of ./osler.toml.")] = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Judge every episode of a run anew from its trace; nobody is asked again."""
    if rubric is not None:
        by_rubric(
            run,
            rubric,
            LEXICAL if judge == BASELINE else judge,
            repeats=repeats,
            same_endpoint_allowed=same_endpoint_allowed,
            config=config,
            store=store,
            as_json=as_json,
        )
        return
    with open_store(store, create=False) as opened:
        found = opened.run(run)
        if judge == BASELINE or (judge == KEYED and protocol_of(found).name == "scenario"):
            _anew(found, opened, as_json)
            return
        given: dict[str, Any] = {
            "repeats": repeats,
            "same_endpoint_allowed": same_endpoint_allowed,
            "config": config,
            "as_json": as_json,
        }
        if protocol_of(found).name == "scenario":
            judge_scenarios(found, opened, judge, **given)
            return
        kind, _, endpoint = judge.partition(":")
        if kind != "model" or not endpoint:
            raise BadInput(f"there is no judge {judge!r}", where="--judge", mend="baseline or model:NAME")
        from osler.cli.model_judge import judge_stored  # noqa: PLC0415 - the model client is slow to import
        from osler.cli.round_judge import mark_stored  # noqa: PLC0415 - the same

        ask = mark_stored if protocol_of(found).name == "ward_round" else judge_stored
        ask(found, opened, endpoint, **given)


judging.command("diagnosis")(judge_diagnosis)


def _anew(run: RunInfo, store: Store, as_json: bool) -> None:
    """What the built-in judge of such a run says of it now."""
    judged = judge_again(run, store)
    if not judged:
        raise BadInput("the run has no ended episode to judge", where=run.name)
    say(f"judged {judged} {protocol_of(run).many} again")
    told = told_of(Sitting(run, run.status, "", 0.0), store, Modelling())
    for name, version in store.graders(run.id):
        if f"{name} {version}" not in told.value.get("judged_by", {}):
            say(f"kept beside: {name} {version} (osler runs summary {run.name} --grader {name}@{version})")
    result(as_json, {**told.value, "judged": judged}, *told.shown)
