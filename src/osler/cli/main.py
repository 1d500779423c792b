"""osler: simulated clinical encounters. For education and research only."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import typer

from osler.cli import (
    author,
    author_scenario,
    branch,
    cases,
    check,
    compare,
    consult,
    generate,
    judge,
    judge_diagnosis,
    memory,
    new,
    pack,
    patient,
    personas,
    play,
    power,
    rate,
    report,
    resume,
    round,
    rubric,
    runs,
    scenario,
    scenario_play,
    study,
    teach,
    validate,
)

app = typer.Typer(
    name="osler",
    help="Simulated clinical encounters whose numbers can be trusted. For education and research only.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(author_scenario.app, name="author")
app.add_typer(cases.app, name="cases")
app.add_typer(memory.app, name="memory")
app.add_typer(patient.app, name="patient")
app.add_typer(personas.app, name="personas")
app.add_typer(rate.app, name="rate")
app.add_typer(rubric.app, name="rubric")
app.add_typer(scenario.app, name="scenario")
app.add_typer(study.app, name="study")
app.add_typer(teach.app, name="teach")
app.add_typer(judge.judging, name="judge")
app.add_typer(runs.app, name="runs")
judge.judging.command("diagnosis")(judge_diagnosis.judge_diagnosis)
app.command("consult")(consult.consult)
app.command("resume")(resume.resume)
app.command("round")(round.round_)
app.command("branch")(branch.branch)
app.command("check")(check.check)
scenario.app.command("play")(scenario_play.play)
cases.app.command("generate")(generate.generate)
cases.app.command("new")(new.new)
cases.app.command("pack")(pack.pack)
cases.app.command("write")(author.write)
app.command("play")(play.play)
app.command("validate")(validate.validate)
app.command("compare")(compare.compare)
app.command("power")(power.power)
app.command("report")(report.report)
app.command("show")(runs.show)
app.command("export")(runs.export)


def main() -> None:
    """Entry point of the `osler` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a character gets a stand-in
            stream.reconfigure(errors="replace")
    app()
