"""`osler runs`, `show` and `export`: inspect stored runs and episodes."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.box import SIMPLE
from rich.table import Table

import osler
from osler.cli.archive import archive, restore
from osler.cli.archived import takes_archives
from osler.cli.options import MOST_PROCESSES, AsJson, GraderName, RunName, RunNames, StoreUrl
from osler.cli.output import add_row, command, paged, plain, result, say
from osler.cli.playing import told_of
from osler.cli.scenes import ALL, PAGE, show_scenes, write_page
from osler.core.lazy import load
from osler.core.registry import protocols
from osler.core.summary import Exported
from osler.errors import BadInput, Status
from osler.reports.debriefing import debriefing_json, shown_debriefing
from osler.reports.judgement_table import judgement_table
from osler.reports.transcript import render_transcript
from osler.runs.branching import branch_of
from osler.runs.debriefing import debriefed
from osler.runs.disk import size_words
from osler.runs.endpoints import in_words
from osler.runs.judged_episodes import Grader, grader_named
from osler.runs.run import Session, player_of, protocol_in, protocol_of
from osler.runs.seating import ModelOptions
from osler.store.export import export_calls, find_exported, read_configuration, record_object
from osler.store.parallel_export import export_by_processes
from osler.store.records import RunInfo
from osler.store.size import compact as compact_store
from osler.store.size import file_of, run_size, store_bytes
from osler.store.store import Record, Store, open_store

app = typer.Typer(
    invoke_without_command=True,
    help="List runs; `osler runs delete RUN...` deletes some, `osler runs summary RUN` summarizes one, "
    "`osler runs archive RUN` makes one small.",
)
app.command("archive")(archive)
app.command("restore")(restore)

JSONL: Final = "jsonl"
_WIDEST = {"player": 14, "cases": 14}  # so that the table fits 80 columns


@app.callback()
def runs(
    context: typer.Context,
    practice: Annotated[
        bool, typer.Option("--practice", help="List what was played to practise in the browser, too.")
    ] = False,
    workers: Annotated[
        bool, typer.Option("--workers", help="List the processes that play runs now instead.")
    ] = False,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """List the runs in the store, newest first."""
    context.obj = (store, as_json)
    if workers:
        list_workers(store, as_json)
    elif context.invoked_subcommand is None:
        list_runs(store, as_json, practice)


@command
def list_runs(store: str | None, as_json: bool, practice: bool) -> None:
    """Print every run with its status, progress and approximate disk space; those of practice if asked
    for."""
    with open_store(store, create=False) as opened:
        there = opened.runs()
        infos = [run for run in there if practice or "practice" not in run.manifest]
        rows = [_listed(opened, run) for run in infos]
        whole = store_bytes(opened)
    table = Table(title=None if rows else "no runs yet", box=SIMPLE, padding=(0, 1, 0, 0))
    for name in ("run", "status", "done", "player", "cases", "size"):
        # A name is never folded, so that it can be copied.
        table.add_column(name, overflow="fold", max_width=_WIDEST.get(name), no_wrap=name == "run")
    for row in rows:
        cases = row["cases"] + (f"\nbranch of {row['branch_of']}" if row["branch_of"] else "")
        player = "\n".join((row["player"], *row["models"].values()))
        done = f"{row['done']} of {row['episodes']}"
        cells = (
            row["run"],
            row["status"],
            done,
            player,
            cases,
            size_words(row["bytes"]),
        )
        add_row(table, *cells)
    result(as_json, {"runs": rows, "bytes": whole}, table)
    say(f"The store takes up {size_words(whole)}; the sizes of runs are estimates.")
    if hidden := len(there) - len(infos):
        say(f"{hidden} played to practise {'is' if hidden == 1 else 'are'} not listed; --practice lists all.")


@command
def list_workers(store: str | None, as_json: bool) -> None:
    """Print every process that plays a run now: its machine, its number, what it holds, and since when."""
    with open_store(store, create=False) as opened:
        names = {run.id: run.name for run in opened.runs()}
        rows = [
            {
                "host": one.process.host,
                "pid": one.process.pid,
                "run": names.get(run_id, ""),
                "blocks": one.blocks,
                "since": _when(one.since),
            }
            for run_id, one in opened.workers()
        ]
    table = Table(title=None if rows else "nobody plays now", box=SIMPLE, padding=(0, 1, 0, 0))
    for name in ("run", "host", "pid", "blocks", "since"):
        table.add_column(name, no_wrap=name == "run")
    for row in rows:
        cells = (row[name] for name in ("run", "host", "pid", "blocks", "since"))
        add_row(table, *("" if cell is None else str(cell) for cell in cells))
    result(as_json, {"workers": rows}, table)


def _when(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


@app.command("delete")
@command
def delete(
    context: typer.Context,
    run: RunNames,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show how much space it would free.")
    ] = False,
    compact: Annotated[bool, typer.Option("--compact", help="Then compact the store's file.")] = False,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Delete runs with all their episodes, and the cases that no other run needs."""
    before, json_before = context.obj  # options given before `delete` also count
    with open_store(store or before, create=False) as opened:
        infos = list({one.id: one for one in map(opened.run, run)}.values())
        for one in infos:
            opened.check_unplayed(one.id)
        sizes = [run_size(opened, one).total for one in infos]
        for one, size in zip(infos, sizes, strict=True):
            say(f"{one.name}: {one.done} episodes, about {size_words(size)}")
        if not dry_run:
            _confirm(len(infos), yes)
            for one in infos:
                opened.delete_run(one.name)
                say(f"deleted {one.name}")
        if compact and not dry_run:
            compact_store(opened)
        left = store_bytes(opened)
        smaller = compact and file_of(opened.label)
    said = "would be freed" if dry_run else "was freed" if smaller else "is free for other runs"
    say(f"About {size_words(sum(sizes))} {said}; the store takes up {size_words(left)}.")
    value: dict[str, Any] = {
        "deleted": [] if dry_run else [one.name for one in infos],
        "runs": [one.name for one in infos],
        "episodes": sum(one.done for one in infos),
        "bytes": sum(sizes),
        "store_bytes": left,
        "dry_run": dry_run,
    }
    result(as_json or json_before, value)


@app.command("compact")
@command
def compact_(context: typer.Context, store: StoreUrl = None, as_json: AsJson = False) -> None:
    """Rewrite the store's file without the space and the traces of what was deleted."""
    before, json_before = context.obj
    with open_store(store or before, create=False) as opened:
        if file_of(opened.label) is None:
            raise BadInput("the database server does this by itself", where=opened.label)
        if not compact_store(opened):
            hint = "close what reads it, and try again"
            raise BadInput("others still read what was deleted", where=opened.label, hint=hint)
        left = store_bytes(opened)
    say(f"The store takes up {size_words(left)}.")
    result(as_json or json_before, {"bytes": left})


@app.command("summary")
@command
@takes_archives("run")
def summary(
    context: typer.Context,
    run: RunName,
    grader: GraderName = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Summarize a stored run, as judged by the built-in judge or the chosen judge and version."""
    before, json_before = context.obj
    with open_store(store or before, create=False) as opened:
        info = opened.run(run)
        chosen = grader_named(grader, info, opened) if grader else None
        sitting = Session(info, info.status, "", 0.0)
        figures = opened.as_far_as_readable(lambda: told_of(sitting, opened, ModelOptions(), grader=chosen))
    result(as_json or json_before, figures.value, *figures.shown)


@command
@takes_archives("episode")
def show(
    episode: Annotated[
        str,
        typer.Argument(
            metavar="EPISODE",
            help="RUN:NUMBER, an episode's key or a prefix of it, EXPORT.jsonl:NUMBER, or ARCHIVE:NUMBER.",
        ),
    ],
    grader: GraderName = None,
    prompts: Annotated[
        bool,
        typer.Option("--prompts", help="Instead, every call to a model: its messages, raw reply, reasoning."),
    ] = False,
    debrief: Annotated[
        bool,
        typer.Option(
            "--debrief", help="Instead, the debriefing in full: all that was found, named or not seen."
        ),
    ] = False,
    player: Annotated[
        Path | None,
        typer.Option(help="Instead, write it with a player as one HTML file, which needs no network."),
    ] = None,
    scenes: Annotated[
        bool, typer.Option("--scenes", help="Instead, its storyboard: the scenes that a screen plays.")
    ] = False,
    view: Annotated[
        str,
        typer.Option(help="With --player or --scenes: a seat's eyes (doctor, patient ...), room, or all."),
    ] = "doctor",
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Show an episode as a transcript with numbered exchanges, and its judgement."""
    file, _, number = episode.rpartition(":")
    if player is not None:
        write_page(episode, store, player, view, as_json)
        return
    if scenes:
        show_scenes(episode, store, view, as_json)
        return
    if debrief:
        with open_store(store, create=False) as opened:
            run_id, ordinal = opened.find_episode(episode)
            _show_debrief(opened.info(run_id), opened, ordinal, as_json)
        return
    if prompts:
        if file and Path(file).is_file():
            what = "an export holds no case, so its prompts cannot be built again"
            raise BadInput(what, where=file, hint="name an episode of a run in a store")
        with open_store(store, create=False) as opened:
            run_id, ordinal = opened.find_episode(episode)
            _show_prompts(opened.info(run_id), opened, ordinal, as_json)
        return
    if file and number.isdecimal() and Path(file).is_file():
        record = find_exported(Path(file), int(number))
        configuration, parent = read_configuration(Path(file)), ""
        name, _, version = (grader or "").partition("@")
        chosen = Grader(name, version) if grader else _usual(configuration, record)
    else:
        with open_store(store, create=False) as opened:
            run_id, ordinal = opened.find_episode(episode)
            record = opened.record(run_id, ordinal, earlier=True)
            run = opened.info(run_id)
            configuration, parent = run.manifest.get("configuration", {}), branch_of(run)
        chosen = grader_named(grader, run, opened) if grader else _usual(configuration, record)
    value = record_object(record, configuration)
    if as_json:
        result(as_json, value)
    else:
        _show(record, configuration, chosen, parent)


def _show_debrief(run: RunInfo, store: Store, ordinal: int, as_json: bool) -> None:
    found = debriefed(run, store, ordinal)
    told = shown_debriefing(found.debriefing, found.contests, found.episode, whole=True)
    with paged(as_json):
        result(as_json, debriefing_json(found.debriefing, found.contests, found.episode), *told)


def _show_prompts(run: RunInfo, store: Store, ordinal: int, as_json: bool) -> None:
    # Imported here because the HTTP client is slow to import.
    from osler.cli.prompts import prompt_lines  # noqa: PLC0415 - import time
    from osler.runs.prompts import prompts_of  # noqa: PLC0415 - import time

    found = prompts_of(run, store, ordinal)
    models = in_words(run)
    value = {
        "run": run.name,
        "ordinal": ordinal,
        "models": models,
        "exchanges": [one.as_json() for one in found],
    }
    lines = [f"{name}: {told}" for name, told in models.items()]
    result(as_json, value, plain("\n".join((*lines, *prompt_lines(found)))))


def _show(record: Record, configuration: dict[str, Any], grader: Grader, parent: str) -> None:
    row, trace, judgements = record
    if row.status is Status.DELETED:
        result(False, {}, plain(f"Nothing is left of it: {row.reason}."))
        return
    branch = configuration.get("branch")
    parent = parent or (f"{branch['episode']} at {branch['at']}" if branch else "")
    title = f"branch of {parent}" if parent else None
    try:
        protocol = protocol_in(configuration)
        shown = render_transcript(
            trace, protocol, title, kept=branch["at"] if branch else None, numbered=True
        )
    except BadInput as error:
        played = configuration.get("osler", "an unknown version")
        raise BadInput(
            error.what, where=f"played with Osler {played}, read with {osler.__version__}", hint=error.hint
        ) from None
    others = [one for one in judgements if one != grader.among(judgements)]
    result(False, {}, shown, *judgement_table(grader.among(judgements), others))


def _usual(configuration: dict[str, Any], record: Record) -> Grader:
    """The default grader of an episode: the one that judges such a run as it is played."""
    known = protocol_in(configuration).graders
    judged = {one.grader for one in record[2]}
    return Grader(next((name for name in known if name in judged), known[0]))


def _listed(store: Store, run: RunInfo) -> dict[str, Any]:
    configuration = run.manifest.get("configuration", {})
    return {
        "run": run.name,
        "status": run.status,
        "episodes": run.planned,
        "done": run.done,
        "doctor": configuration.get("doctor", ""),
        "tutor": configuration.get("tutor", ""),
        "examinee": configuration.get("examinee", ""),
        "protocol": protocol_of(run).name,
        "player": player_of(run),
        "models": in_words(run),
        "cases": configuration.get("cases", ""),
        "osler": configuration.get("osler", ""),
        "branch_of": branch_of(run),
        "bytes": run_size(store, run).total,
    }


def _confirm(runs: int, yes: bool) -> None:
    if yes:
        return
    many = "this run" if runs == 1 else f"these {runs} runs"
    if not sys.stdin.isatty():
        raise BadInput(f"no terminal to confirm that {many} may be deleted", hint="add --yes")
    if not typer.confirm(f"Delete {many}? It cannot be undone.", err=True):
        raise typer.Exit(1)


@command
@takes_archives("run")
def export(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A run's name, a prefix of it, `last`, or an archive's folder; for page, an episode.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The file to write; for medsp1000, the folder.")],
    format: Annotated[
        str,
        typer.Option(
            help="jsonl; page, an episode (`last:0`) as one HTML page that plays it; the published formats "
            "transcripts and sessions for ward rounds, medsp1000 for scenarios."
        ),
    ] = JSONL,
    view: Annotated[
        str | None,
        typer.Option(help="With page: a seat's eyes (doctor, patient ...), room, or all, which is usual."),
    ] = None,
    calls: Annotated[
        bool,
        typer.Option("--calls", help="Instead, the raw calls to models, one JSON object per line."),
    ] = False,
    processes: Annotated[
        int, typer.Option(min=1, max=MOST_PROCESSES, help="With jsonl: write it in N processes.")
    ] = 1,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Export a run as canonical JSON lines (same episodes, same bytes) or in a published format, or an
    episode as one HTML file that plays it."""
    known = dict.fromkeys((JSONL, PAGE, *(name for one in protocols() for name in one.exports)))
    if format not in known:
        raise BadInput(f"{format!r} is not known", where="--format", hint=f"known: {', '.join(known)}")
    if calls and format != JSONL:
        raise BadInput(f"{format} holds no calls", where="--calls", hint="leave out --format")
    if format == PAGE:
        write_page(run, store, out, view or ALL, as_json)
        return
    if view is not None:
        raise BadInput(f"{format} has no views", where="--view", hint=f"--format {PAGE}")
    with open_store(store, create=False) as opened:
        info = opened.run(run)
        protocol = protocol_of(info)
        if calls:
            count = export_calls(opened, info.id, out)
            say(f"{count} calls written to {out}")
            result(as_json, {"run": info.name, "calls": count, "out": str(out)})
            return
        if format == JSONL:
            written = Exported(
                opened.as_far_as_readable(lambda: export_by_processes(opened, info.id, out, processes))
            )
        elif format in protocol.exports:
            publish = load(protocol.exports[format])
            written = opened.as_far_as_readable(lambda: publish(info, opened, out))
        else:
            raise _other_format(format, info)
    if written.remark:
        say(written.remark)
    say(f"{written.episodes} episodes written to {out}")
    result(as_json, {"run": info.name, "episodes": written.episodes, "out": str(out)})


def _other_format(format: str, run: RunInfo) -> BadInput:
    other = next(one for one in protocols() if format in one.exports)
    return BadInput(f"this is a run of {protocol_of(run).many}, not of {other.many}", where=run.name)
