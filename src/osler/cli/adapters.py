"""`osler adapters`: the doors into other tools, what is installed of each, and logs brought back."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer
from rich.table import Table

from osler.cli.continuing import store_flag
from osler.cli.options import AsJson, StoreUrl
from osler.cli.output import add_row, command, plain, result
from osler.core.registry import protocol_names
from osler.errors import BadInput, install_line
from osler.reports.cells import interval, number
from osler.runs.run import protocol_of
from osler.runs.totals import Totals, totals
from osler.store.store import open_store


class Adapter(NamedTuple):
    """An adapter: its name, which is its extra's too, the distribution it needs, and its purpose."""

    name: str
    needs: str
    what: str

    @property
    def installed_version(self) -> str | None:
        """The version of the distribution that is installed; `None` if none is."""
        try:
            return version(self.needs)
        except PackageNotFoundError:
            return None

    @property
    def install(self) -> str:
        """The command that installs it."""
        return install_line(self.name)


ADAPTERS: Final = (
    Adapter("mcp", "mcp", "any agent that speaks MCP takes a seat: osler mcp"),
    Adapter("inspect", "inspect-ai", "tasks for Inspect: inspect eval osler/consultation"),
    Adapter("openenv", "openenv", "environments for trainers: osler openenv"),
)


app = typer.Typer(help="Doors into other tools, and logs brought back.")


@app.callback(invoke_without_command=True)
@command
def adapters(context: typer.Context, as_json: AsJson = False) -> None:
    """List the adapters for other tools, whether what each needs is installed, and its version."""
    if context.invoked_subcommand is not None:
        return
    tasks = [f"osler/{name}" for name in protocol_names()]
    found = [
        {
            "name": one.name,
            "installed": one.installed_version is not None,
            "version": one.installed_version,
            "needs": one.needs,
            "for": one.what,
            "install": one.install,
        }
        for one in ADAPTERS
    ]
    table = Table("adapter", "installed", "for", box=None)
    for one in ADAPTERS:
        got = one.installed_version
        add_row(table, one.name, f"{one.needs} {got}" if got else f"no: {one.install}", one.what)
    lines = plain(f"Tasks of Inspect: {', '.join(tasks)}")
    result(as_json, {"adapters": found, "inspect_tasks": tasks}, table, lines)


@app.command("import-inspect")
@command
def import_inspect(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A log that inspect eval osler/... wrote.")],
    cases: Annotated[
        str | None,
        typer.Option(help="The cases that the log was played on, if they are a file or folder."),
    ] = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Check a log of Inspect by replaying its encounters, and store them as a run; print Osler's intervals
    beside Inspect's means."""
    reading = _with_inspect()
    from osler.adapters.inspect_ai.importing import import_log  # noqa: PLC0415 - import time

    read = reading.read_log(log)
    with open_store(store) as opened:
        run, left_out = import_log(read, opened, cases)
        found = totals(run, opened, traced=True)
        flag = store_flag(opened, store)
    value = {
        "run": run.name,
        "planned": run.planned,
        **found.as_json(),
        "left_out": left_out,
        "inspect": {"metrics": read.metrics, **read.about},
    }
    words = [f"Run {run.name}: {run.done} of {run.planned} encounters; each was replayed and is as logged."]
    words += [f"Unscored, and no part of the run: {count} ({why})" for why, count in left_out.items()]
    words.append(f"To see a transcript: osler show {run.name}:0{flag}")
    result(as_json, value, plain(words[0]), _beside(run, found, read.metrics), plain("\n".join(words[1:])))


def _with_inspect() -> Any:
    try:
        from osler.adapters.inspect_ai import reading  # noqa: PLC0415 - an extra
    except ImportError as error:
        hint = next(one.install for one in ADAPTERS if one.name == "inspect")
        raise BadInput(f"reading a log of Inspect needs its package ({error})", hint=hint) from None
    return reading


def _beside(run: Any, found: Totals, theirs: dict[str, dict[str, float | None]]) -> Table:
    """Osler's estimates with their intervals, clustered by case, beside Inspect's figures."""
    table = Table(
        "figure", "Osler", "95 % interval", "scored", "unscored", "Inspect", "stderr", "n", box=None
    )
    for measure in protocol_of(run).measures:
        estimate, other = found.measures[measure.name], theirs.get(measure.name, {})
        if not (estimate.n or estimate.unscored or other):
            continue
        mean, error, n = other.get("mean", other.get("pooled")), other.get("stderr"), other.get("n")
        add_row(
            table,
            measure.words,
            number(estimate.value, measure.share),
            interval(estimate, measure.share),
            f"{estimate.n:,}",
            f"{estimate.unscored:,}",
            number(mean, measure.share),
            number(error, measure.share),
            "-" if n is None else f"{n:.0f}",
        )
    return table
