"""osler: simulated clinical encounters. For education and research only.

This module lists the commands; each is imported when it is called.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated, Final, Literal

import typer

import osler
from osler.cli.lazy_commands import Listed, group_of, playing

COMMANDS: Final[dict[str, Listed]] = {
    "consult": (
        playing(
            "consultation", "Play a consultation for every case, judge each one, and report with intervals."
        ),
        "Play consultations, judge, report intervals.",
    ),
    "round": (
        playing(
            "ward_round",
            "Teach every case at the bedside, examine students before and after, and report with intervals.",
        ),
        "Teaching ward rounds, with exams before and after.",
    ),
    "scenario": ("osler.cli.scenario:app", "Standardized-patient scenarios and packets."),
    "run": ("osler.cli.run:app", "Play any protocol: osler run PROTOCOL CASES --seat SEAT=PLAYER."),
    "study": ("osler.cli.study:app", "Studies: many conditions on the same worlds."),
    "serve": ("osler.cli.serve:serve", "Open Osler in the browser: practise, teach, evaluate."),
    "visitors": ("osler.cli.visitors:app", "Who was let into a shared server; revoke links."),
    "play": ("osler.cli.play:play", "Play one case yourself, and see your score."),
    "resume": ("osler.cli.resume:resume", "Continue a run where it stopped."),
    "bench": ("osler.cli.bench:app", "The benchmark: fixed tables of all protocols, and one card."),
    "worker": ("osler.cli.worker:worker", "Play what is free of a run, as one of many processes."),
    "branch": ("osler.cli.branch:branch", "Replay a stored encounter in part, then play on."),
    "show": ("osler.cli.runs:show", "Show an episode as a transcript."),
    "search": ("osler.cli.search:search", "Search what was said in all runs: words, phrases."),
    "runs": ("osler.cli.runs:app", "List, summarize, archive and delete runs."),
    "store": ("osler.cli.store:app", "Describe the store, and back it up while it is in use."),
    "permit": ("osler.cli.permit:permit", "What may be done with your words: show, permit, take back."),
    "forget": ("osler.cli.permit:forget", "Delete what you said, wherever the store holds it."),
    "report": ("osler.cli.report:report", "Runs side by side, as one HTML file or as tables."),
    "compare": ("osler.cli.compare:compare", "Compare runs on the worlds both played."),
    "power": ("osler.cli.power:power", "Power analysis: how many cases a difference needs."),
    "validate": ("osler.cli.validate:validate", "Validate cases: trivial baselines, probes, oracle."),
    "export": ("osler.cli.runs:export", "Write a run as JSON lines or in published formats."),
    "dataset": ("osler.cli.dataset:app", "Data sets to train a model on: build, audit, show."),
    "judge": ("osler.cli.judge:judging", "Judge stored encounters again."),
    "rubric": ("osler.cli.rubric:app", "Frozen rubrics: import, lint, judge by."),
    "rate": ("osler.cli.rate:app", "Blind human ratings, and agreement with judges."),
    "marks": ("osler.cli.marks:app", "Contest marks, and answer what was contested."),
    "cases": ("osler.cli.cases:app", "Import, generate, list, show and lint cases."),
    "author": ("osler.cli.author_scenario:app", "Make scenarios from source documents."),
    "personas": ("osler.cli.personas:app", "Patient and student personas: build, audit."),
    "patient": ("osler.cli.patient:app", "Classify questions as the built-in patient does."),
    "reading": ("osler.cli.reading:app", "Figures of understanding, on labelled lines."),
    "teach": ("osler.cli.teach:app", "Prepare cases for a ward round."),
    "memory": ("osler.cli.memory:app", "Doctors' memories: list, audit, roll back."),
    "train": ("osler.cli.train:app", "Train a model for a seat: bases, SFT, merging, serving."),
    "vqa": (
        playing(
            "vqa",
            "Measure accuracy on MedXpertQA, MMMU (health and medicine) or PMC-VQA, with its interval.",
        ),
        "Questions with pictures: MedXpertQA, MMMU, PMC-VQA.",
    ),
    "trial": ("osler.cli.trial:trial", "Try a real model in every seat; figures to send back."),
    "openenv": ("osler.cli.openenv:openenv", "Serve encounters to trainers that speak OpenEnv."),
    "adapters": ("osler.cli.adapters:app", "Doors into other tools, what is installed; import logs."),
    "mcp": ("osler.cli.mcp:mcp", "Let an agent that speaks MCP take a seat."),
    "check": ("osler.cli.check:check", "Diagnose this installation and its endpoints."),
}


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"osler {osler.__version__}")
        raise typer.Exit


def begin(
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option(help="What is logged on standard error, such as requests that are sent again."),
    ] = "warning",
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Print the version.")
    ] = False,
) -> None:
    """Set up the log."""
    # Imported here so that `osler --help` answers at once.
    from osler.cli.logs import log_at  # noqa: PLC0415 - import time

    log_at(log_level)


app = group_of(
    COMMANDS,
    "Simulated clinical encounters whose numbers can be trusted. For education and research only.",
    begin,
)


def main() -> None:
    """Entry point of the `osler` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a character gets a replacement
            stream.reconfigure(errors="replace")
    app()


if __name__ == "__main__":
    main()
