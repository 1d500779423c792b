"""`osler reading`: how well what is said is understood, on labelled lines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as Shown

from osler.cli.options import AsJson
from osler.cli.output import command, result
from osler.cli.reading_figures import TASKS, Sets, figures
from osler.cli.reading_sets import HERE
from osler.errors import BadInput
from osler.stats.intervals import Estimate

app = typer.Typer(help="Figures of understanding, on labelled lines.", no_args_is_help=True)


@app.callback()
def reading() -> None:
    """Figures of understanding, on labelled lines."""


@app.command("figures")
@command
def reading_figures(
    *,
    task: Annotated[
        list[str] | None, typer.Option(help=f"A task to measure, else all: {', '.join(TASKS)}.")
    ] = None,
    lines: Annotated[Path, typer.Option(help="The folder of labelled lines.", metavar="DIR")] = HERE
    / "sealed",
    osce: Annotated[
        Path | None, typer.Option(help="The transcripts that labels name by line number.", metavar="DIR")
    ] = None,
    imported: Annotated[
        Path | None, typer.Option(help="The imported cases that labels name.", metavar="DIR")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how what is said is understood: patient, orders, marks, answers and diagnoses.

    The lines are those of a source checkout (`tests/fixtures/reading`); the words of recorded interviews and
    imported cases are not in it, and without --osce and --imported their tasks are left out. With --json:
    `tasks` has, by task and figure, `value`, `low` and `high` (95 %, Wilson) and `n`, in lines. All labels
    are by language models, not clinicians. For education and research only.
    """
    if not lines.is_dir():
        raise BadInput(
            "there are no labelled lines",
            where=str(lines),
            hint="name their folder: --lines DIR, from a checkout",
        )
    if unknown := sorted({*(task or ())} - {*TASKS}):
        raise BadInput(f"no task is called {unknown[0]!r}", where="--task", hint=f"known: {', '.join(TASKS)}")
    measured = figures(Sets(lines, osce, imported), task or TASKS)
    page = Shown("task", "figure", "value", "95 %", "n")
    for name, of in measured.items():
        for figure, one in of.items():
            page.add_row(
                name, figure, _number(one.value), f"{_number(one.low)} to {_number(one.high)}", str(one.n)
            )
    result(
        as_json,
        {"tasks": {name: {key: _plain(one) for key, one in of.items()} for name, of in measured.items()}},
        page,
    )


def _plain(one: Estimate) -> dict[str, float | int | None]:
    return {"value": one.value, "low": one.low, "high": one.high, "n": one.n}


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
