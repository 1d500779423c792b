"""`osler study run longitudinal`: a longitudinal study of whether a doctor improves with experience."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import ValidationError

from osler.cli.grouped_help import panel
from osler.cli.output import INTERRUPTED, PAUSED, plain, result, say, write_page
from osler.cli.playing import play_found
from osler.cli.processes import PlayOptions
from osler.cli.terminal import Terminal
from osler.core.role import PERSON
from osler.errors import BadInput, in_words
from osler.players.casting import casting_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.longitudinal.design import ARMS as ARMS
from osler.protocols.consultation.longitudinal.design import NAME as NAME
from osler.protocols.consultation.longitudinal.design import Design as Design
from osler.protocols.consultation.longitudinal.run_stream import Sit, Studied
from osler.protocols.consultation.longitudinal.run_study import processes_for, run_apart, run_here, studied
from osler.protocols.consultation.longitudinal.tables import longitudinal_tables
from osler.protocols.consultation.memory.memory_config import feedback_for
from osler.protocols.consultation.memory.summaries import ModelSummaries
from osler.runs import run as runs
from osler.runs.seating import ModelOptions, models_named, open_cast
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.rating.human_anchor import human_anchor

QUESTION: Final = "Does a doctor improve with experience, and what does its memory add to that?"
CASES: Final = "generated:100:1"
"""The cases where none are named: those of the library share no disease, so nothing learnt there helps."""
Processes = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Play in N processes on this machine.  [default: 1; `longitudinal`: all cores]",
        rich_help_panel=panel("run"),
    ),
]


def longitudinal(
    given: Mapping[str, Any],
    modelling: ModelOptions,
    store: str | None,
    *,
    concurrency: int,
    processes: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Play the study and print its report; `given` are the design fields set on the command line."""
    design = design_of(given)
    _check(design)
    say("Repeated consultations of simulated patients: for education and research only.")
    models = models_named(_any_run(design))
    if models:
        seated = open_cast(_any_run(design), modelling, channel=Terminal())
        design = design.model_copy(update={"models": seated.config.models})
    study = studied(design)
    plan = study.plan
    say(
        f"{len(plan.streams)} streams of {sum(map(len, plan.streams[0].taught))} cases in "
        f"{design.blocks} blocks, {len(plan.held_out)} held out; runs are named lt-{study.key}-..."
    )
    with open_store(store) as opened:
        many = processes or processes_for(len(plan.streams))
        if models or many == 1:
            doctor = endpoint_of_doctor(design)
            summarize = ModelSummaries(doctor, modelling, opened) if doctor else None
            sits = _sits(study, opened, modelling, concurrency)
            report = run_here(study, opened, sits, say, summarize)
        else:
            opened.engine.dispose()  # each process opens its own engine
            report = run_apart(study, store or "", many, say)
        infos = [run for run in opened.runs() if run.name.startswith(f"lt-{study.key}-")]
        anchor = human_anchor(infos, opened)
        report = report.model_copy(update={"human_anchor": anchor.model_dump(mode="json")})
    if out is not None:
        from osler.protocols.consultation.longitudinal.page import longitudinal_html  # noqa: PLC0415 - import time

        write_page(longitudinal_html(report), out)
    value = report.model_dump(mode="json") | ({} if out is None else {"written": str(out)})
    result(as_json, value, *longitudinal_tables(report), plain(anchor.line))
    if report.status != "done":
        say(f"osler: {report.status}: {report.why}; run the same command again to continue")
        raise typer.Exit(INTERRUPTED if report.status == "interrupted" else PAUSED)


def design_of(given: Mapping[str, Any]) -> Design:
    """The design with these fields; `None` is the default. Raises BadInput."""
    design = {name: value for name, value in given.items() if value is not None}
    design.setdefault("feedback", feedback_for(design.get("doctor", "")))
    try:
        return Design.model_validate(design)
    except ValidationError as error:
        raise BadInput(in_words(error), where=NAME) from None


def endpoint_of_doctor(design: Design) -> str:
    """The endpoint that plays the doctor and summarizes what it lived through; "" for a built-in doctor."""
    inside = _any_run(design).insides()["doctor"]
    return inside.removeprefix("model:") if inside.startswith("model:") else ""


def _check(design: Design) -> None:
    """Raise BadInput for a doctor that cannot take part, before anything is read."""
    if design.without_memory in ("oracle", PERSON):
        why = "is told the answer" if design.without_memory == "oracle" else "cannot forget"
        raise BadInput(f"{design.without_memory} {why}, so its learning cannot be measured", where="--doctor")
    if not design.without_memory.startswith("model:"):
        casting_of(RunConfig(doctor=design.without_memory))


def _any_run(design: Design) -> RunConfig:
    return RunConfig(
        doctor=design.without_memory, patient=design.patient, moves=design.moves, memory=design.use
    )


def _sits(study: Studied, store: Store, modelling: ModelOptions, concurrency: int) -> Sit:
    """A function that plays runs in this process, including models."""

    def sit(config: RunConfig, find: Callable[[RunConfig, Mapping[str, object]], RunInfo]) -> runs.Session:
        return play_found(config, find, store, PlayOptions(modelling, concurrency), source=study.source)

    return sit
