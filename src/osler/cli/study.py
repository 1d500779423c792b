"""`osler study`: studies that compare many conditions, each a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.table import Table
from rich.text import Text

from osler.cli import longitudinal as over_time
from osler.cli.case_files import Format
from osler.cli.model_options import takes_models
from osler.cli.options import (
    AsJson,
    Concurrency,
    Limit,
    Seats,
    Seed,
    StoreUrl,
    seats_given,
)
from osler.cli.output import INTERRUPTED, PAUSED, command, result, say, write_page
from osler.cli.playing import AT_ONCE, play_found
from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.reports.study_table import conditions_table, contrasts_table
from osler.runs import run as runs
from osler.runs.seating import ModelOptions
from osler.store.records import RunInfo
from osler.store.store import open_store
from osler.studies.study.design import packaged, study_named
from osler.studies.study.running import Given, main_measures, run_study
from osler.text.hostile import safe

PRIMARY: Final = "Primary endpoint, pre-specified; * means p below 0.05"
SECONDARY: Final = "Secondary endpoints; * means p below 0.05, Holm-adjusted over all of them"

app = typer.Typer(
    help="Studies: many conditions on the same worlds, one primary endpoint.", no_args_is_help=True
)


@app.command("list")
@command
def list_studies(as_json: AsJson = False) -> None:
    """List the studies that ship with Osler."""
    studies = packaged()
    table = Table("study", "conditions", "question")
    for study in studies:
        table.add_row(study.name, str(len(study.all_conditions())), study.question)
    value = [
        {
            "name": study.name,
            "title": study.title,
            "question": study.question,
            "conditions": list(study.all_conditions()),
            "primary": study.primary.model_dump(),
        }
        for study in studies
    ]
    result(as_json, {"studies": value}, table)


@app.command("run")
@command
@takes_models(settings=False)
def run(
    study: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A packaged study, or a YAML file.")],
    cases: Annotated[str, typer.Option(help="`library`, generated:N:SEED, or a file or folder.")] = "library",
    seed: Seed = 0,
    repeats: Annotated[int, typer.Option(min=1, max=10_000, help="Number of episodes per case.")] = 1,
    limit: Limit = None,
    concurrency: Concurrency = AT_ONCE,
    *,
    modelling: ModelOptions,
    out: Annotated[
        Path | None, typer.Option(help="Also write an HTML report to this file; an existing one is replaced.")
    ] = None,
    store: StoreUrl = None,
    format: Format = "auto",
    as_json: AsJson = False,
    seat: Seats = None,
    doctor: Annotated[
        str | None,
        typer.Option(
            help="The doctor (in `longitudinal`, the learner); same as --seat doctor=NAME.",
            show_default=False,
        ),
    ] = None,
    blocks: over_time.Blocks = None,
    by: over_time.By = None,
    orders: over_time.Orders = None,
    seeds: over_time.Seeds = None,
    taught: over_time.Taught = None,
    probes: over_time.Probes = None,
    feedback: over_time.Feedback = None,
    capacity: over_time.Capacity = None,
    cards: over_time.Cards = None,
    processes: over_time.Processes = None,
) -> None:
    """Play every condition of a study and compare them. The same command continues where it stopped."""
    if out is not None and not out.resolve().parent.is_dir():
        raise BadInput("there is no such folder", where=str(out.parent), hint="create it first")
    seats = seats_given([*(seat or ()), *([f"doctor={doctor}"] if doctor is not None else ())])
    own = {
        "doctor": seats.get("doctor"),
        "blocks": blocks,
        "by": by,
        "orders": orders,
        "seeds": seeds,
        "taught": taught,
        "probes": probes,
        "feedback": feedback,
        "capacity": capacity,
        "k": cards,
    }
    if study == over_time.NAME:
        if others := sorted(seats.keys() - {"doctor"}):
            raise BadInput(
                f"this study has no seat {others[0]!r}", where="--seat", hint="write --seat doctor=NAME"
            )
        over_time.longitudinal(
            {**own, "cases": cases, "format": format, "seed": seed, "limit": limit},
            modelling,
            store,
            concurrency=concurrency,
            processes=processes,
            out=out,
            as_json=as_json,
        )
        return
    own |= {"processes": processes, "doctor": None}
    if named := [name for name, value in own.items() if value is not None]:
        raise BadInput(
            f"--{named[0]} applies only to the study {over_time.NAME}", where=study, hint="leave it out"
        )
    found = study_named(study)
    protocol = protocol_named(found.protocol)
    given = Given(cases, format, seed, repeats, limit, seats)
    say(protocol.notice)
    with open_store(store) as opened:

        def sit(name: str, wanted: Any, find: Callable[[Any, Any], RunInfo]) -> runs.Sitting:
            return play_found(wanted, find, opened, modelling, concurrency, title=name)

        value = run_study(found, given, opened, sit)
        if out is not None:
            from osler.reports.study_html import study_html  # noqa: PLC0415 - import time
            from osler.studies.study.reporting import study_report  # noqa: PLC0415 - import time

            write_page(study_html(study_report(found, value, opened)), out)
    measures = {one.spoken: one for one in protocol.measures}
    figures = {name: summary.figures() for name, summary in value.conditions.items()}
    result(
        as_json,
        value.as_json() | ({} if out is None else {"written": str(out)}),
        Text(f"{safe(value.title)}: {safe(value.question)}"),
        conditions_table(figures, main_measures(protocol)),
        contrasts_table([value.primary], PRIMARY, measures),
        contrasts_table(value.contrasts, SECONDARY, measures),
        Text(" ".join((next(iter(value.conditions.values())).label, safe(value.note))).rstrip(), "italic"),
    )
    if value.status != "done":
        say(f"osler: {value.status}: {value.why}; run the same command again to continue")
        raise typer.Exit(INTERRUPTED if value.status == "interrupted" else PAUSED)
