"""`osler runs`, `show`, `judge run` and `export`: look at what is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from osler.cli.options import AsJson, RunName, StoreUrl
from osler.cli.output import command, result, say
from osler.errors import BadInput
from osler.reports.tables import results_table
from osler.reports.transcript import render_transcript
from osler.store.export import episode_object, export_run
from osler.store.store import open_store
from osler.studies.runs import judge_again, summarize

app = typer.Typer(invoke_without_command=True, help="List runs; `osler runs delete RUN` forgets one.")
judging = typer.Typer(no_args_is_help=True, help="Judge stored encounters again.")


@app.callback()
def runs(context: typer.Context, store: StoreUrl = None, as_json: AsJson = False) -> None:
    """List the runs in the store, newest first."""
    context.obj = (store, as_json)
    if context.invoked_subcommand is None:
        list_runs(store, as_json)


@command
def list_runs(store: str | None, as_json: bool) -> None:
    """Print every run with its status and how far it is."""
    with open_store(store) as opened:
        found = opened.runs()
    table = Table("run", "status", "done", "doctor", "cases", title=None if found else "no runs yet")
    for run in found:
        players = run.manifest["configuration"]
        done = f"{run.done} of {run.planned}"
        table.add_row(run.name, run.status, done, players["doctor"], players["cases"])
    rows = [
        {"run": run.name, "status": run.status, "episodes": run.planned, "done": run.done} for run in found
    ]
    result(as_json, {"runs": rows}, table)


@app.command("delete")
@command
def delete(context: typer.Context, run: RunName, store: StoreUrl = None, as_json: AsJson = False) -> None:
    """Delete a run with all its episodes."""
    before, json_before = context.obj  # options given before `delete` count as well
    with open_store(store or before) as opened:
        found = opened.run(run)
        opened.delete_run(found.name)
    say(f"deleted {found.name} with {found.done} episodes")
    result(as_json or json_before, {"deleted": found.name, "episodes": found.done})


@command
def show(
    episode: Annotated[
        str, typer.Argument(metavar="EPISODE", help="RUN:NUMBER, or an episode's key or its beginning.")
    ],
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show an episode as a transcript."""
    with open_store(store) as opened:
        run_id, ordinal = opened.find_episode(episode)
        trace = opened.trace(run_id, ordinal)
        value = episode_object(opened, run_id, ordinal)
    result(as_json, value, render_transcript(trace))


@judging.callback()
def about() -> None:
    """Judge stored encounters again."""


@judging.command("run")
@command
def judge_run(
    run: RunName,
    judge: Annotated[str, typer.Option(help="baseline, or model:NAME of osler.toml.")] = "baseline",
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
    kind, _, endpoint = judge.partition(":")
    if kind == "model" and endpoint:
        from osler.cli.model_judge import judge_stored  # noqa: PLC0415 - the model client is slow to import

        with open_store(store) as opened:
            judge_stored(
                opened.run(run),
                opened,
                endpoint,
                repeats=repeats,
                same_endpoint_allowed=same_endpoint_allowed,
                config=config,
                as_json=as_json,
            )
        return
    if judge != "baseline":
        raise BadInput(f"there is no judge {judge!r}", where="--judge", mend="baseline or model:NAME")
    with open_store(store) as opened:
        found = opened.run(run)
        judged = judge_again(found, opened)
        if not judged:
            raise BadInput("the run has no ended episode to judge", where=found.name)
        summary = summarize(found, opened, 0.0)
    say(f"judged {judged} episodes again")
    result(as_json, {**summary.model_dump(mode="json"), "judged": judged}, results_table(summary))


@command
def export(
    run: RunName,
    out: Annotated[Path, typer.Option(help="The file to write.")],
    format: Annotated[str, typer.Option(help="jsonl.")] = "jsonl",
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Write a run as canonical JSON lines: the same episodes, the same bytes."""
    if format != "jsonl":
        raise BadInput(f"{format!r} is not known", where="--format", mend="jsonl")
    with open_store(store) as opened:
        found = opened.run(run)
        episodes = export_run(opened, found.id, out)
    say(f"{episodes} episodes written to {out}")
    result(as_json, {"run": found.name, "episodes": episodes, "out": str(out)})
