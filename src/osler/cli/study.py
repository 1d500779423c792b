"""`osler study`: studies that compare many conditions, each a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from osler.cli import longitudinal as over_time
from osler.cli.field_options import Fields, takes_fields
from osler.cli.grouped_help import GroupedCommand, panel
from osler.cli.model_options import takes_models
from osler.cli.options import (
    AT_ONCE,
    AsJson,
    Concurrency,
    JudgeRepeats,
    On,
    SameEndpointAllowed,
    StoreUrl,
    seats_given,
    spread,
)
from osler.cli.output import INTERRUPTED, PAUSED, command, result, say, write_page
from osler.cli.people import people
from osler.cli.playing import play_found
from osler.cli.processes import check_spread
from osler.cli.remembering import Embedder, Looks, Retrieve, searched
from osler.cli.study_conditions import LeftOut, Named, NotIn, Players, as_given, left_out, players_given
from osler.cli.study_results import StudyJudge, StudyShown, in_file, sets_named
from osler.core.config import Config
from osler.core.names import listed
from osler.core.option import options_of
from osler.errors import BadInput
from osler.judging.named import BUILT_IN_JUDGE
from osler.runs import run as runs
from osler.runs.judging import JudgeOptions
from osler.runs.seating import ModelOptions
from osler.store.records import RunInfo
from osler.store.store import open_store
from osler.studies.study.design import marks_beside, packaged, study_named
from osler.studies.study.means import over_sets
from osler.studies.study.running import Given, StudyResult, conditions, run_study

Finds = Callable[[Any, Any], RunInfo]

app = typer.Typer(
    help="Studies: many conditions on the same worlds, one primary endpoint.", no_args_is_help=True
)


app.command("people")(people)


@app.command("list")
@command
def list_studies(as_json: AsJson = False) -> None:
    """List the studies that ship with Osler."""
    studies = packaged()
    table = Table("study", "conditions", "question")
    for study in studies:
        table.add_row(study.name, str(len(study.all_conditions())), study.question)
    value: list[dict[str, Any]] = [
        {
            "name": study.name,
            "title": study.title,
            "question": study.question,
            "conditions": list(study.all_conditions()),
            "primary": study.primary.model_dump(),
        }
        for study in studies
    ]
    arms, question = list(over_time.ARMS), over_time.QUESTION
    table.add_row(over_time.NAME, str(len(arms)), question)
    value.append(
        {
            "name": over_time.NAME,
            "title": "Over time",
            "question": question,
            "conditions": arms,
            "primary": None,  # it reports curves over the cases taught, not one difference
        }
    )
    result(as_json, {"studies": value}, table)


@app.command("run", cls=GroupedCommand)
@command
@takes_fields(Config, "format", "images", "without_images", "limit", "seed", "repeats")
@takes_fields(over_time.Design, parameter="design")
@takes_models(settings=False)
def run(
    study: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A packaged study, or a YAML file.")],
    cases: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]CASES",
            help="`library`, generated:N:SEED, or a file or folder. Repeat it to play the study on several"
            " sets of cases, and get a table of conditions by sets.  [default: the study's, else library]",
            show_default=False,
            rich_help_panel=panel("cases", first=True),
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            help="The judge of each run once it is played, such as model:NAME, whose marks are compared too."
            "  [default: the one in the study's file, if any]",
            show_default=False,
            rich_help_panel=panel("run", first=True),
        ),
    ] = None,
    condition: Named = None,
    not_in: NotIn = None,
    judge_repeats: JudgeRepeats = 1,
    same_endpoint_allowed: SameEndpointAllowed = False,
    concurrency: Concurrency = AT_ONCE,
    *,
    fields: Fields,
    modelling: ModelOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Also write an HTML report to this file; an existing one is replaced.",
            rich_help_panel=panel("output", first=True),
        ),
    ] = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
    seat: Players = None,
    doctor: Annotated[
        str | None,
        typer.Option(
            help="The doctor (in `longitudinal`, the learner); same as --given doctor=NAME.",
            show_default=False,
            rich_help_panel=panel("seats", first=True),
        ),
    ] = None,
    design: Fields,
    processes: over_time.Processes = None,
    on: On = None,
    allow_code: Annotated[
        bool,
        typer.Option(
            "--allow-code",
            help="Play a study of your own that names code or scripts (python:, scripted:).",
            rich_help_panel=panel("study"),
        ),
    ] = False,
    retrieve: Retrieve = None,
    embedder: Embedder = None,
    looks: Looks = None,
) -> None:
    """Play every condition of a study and compare them. The same command continues where it stopped."""
    if out is not None and not out.resolve().parent.is_dir():
        raise BadInput("there is no such folder", where=str(out.parent), hint="create it first")
    seats = seats_given([*(seat or ()), *([f"doctor={doctor}"] if doctor is not None else ())])
    cases = [*(cases or ()), *listed(seats.pop("cases", ""), "--given cases")]
    how = searched(retrieve, embedder, looks)
    if study == over_time.NAME:
        if option := next(
            (name for name, said in (("condition", condition), ("not-in", not_in), ("on", on)) if said), ""
        ):
            raise BadInput(f"the study {study} takes no --{option}", where=study, hint="leave it out")
        if others := sorted(seats.keys() - {"doctor"}):
            raise BadInput(
                f"this study has no seat {others[0]!r}", where="--given", hint="write --given doctor=NAME"
            )
        if judge is not None or len(cases) > 1:
            where, what = ("--judge", "no judge") if judge is not None else ("--cases", "one set of cases")
            raise BadInput(f"the study {study} takes {what}", where=where, hint="leave it out")
        over_time.longitudinal(
            {
                **design,
                "doctor": seats.get("doctor"),
                **{name: value for name, value in fields.items() if name != "repeats"},
                **_searched_by(how),
                "cases": (cases or [over_time.CASES])[0],
            },
            modelling,
            store,
            concurrency=concurrency,
            processes=processes,
            out=out,
            as_json=as_json,
        )
        return
    if alien := next((one for one in options_of(over_time.Design) if one.path[0] in design), None):
        raise BadInput(
            f"{alien.flag} applies only to the study {over_time.NAME}", where=study, hint="leave it out"
        )
    over = spread(processes, on)
    found = as_given(study_named(study, allow_code=allow_code), condition or ())
    found, seats = players_given(found, seats)
    protocol = found.plays
    sets = sets_named(cases, found)
    judge = judge or found.judge or BUILT_IN_JUDGE
    judges = JudgeOptions(judge, judge_repeats, same_endpoint_allowed=same_endpoint_allowed)
    found = found.settled(judged=bool(judges.endpoint))
    say(protocol.notice)
    sets_given = {
        name: Given(cases=source, seats=seats, memory=how, **fields) for name, source in sets.items()
    }
    for given in sets_given.values():
        check_spread(over, list(conditions(found, given).values()), store)
    with open_store(store) as opened:
        judging = StudyJudge(judges, modelling, opened)
        results: dict[str, StudyResult] = {}
        gone: dict[str, LeftOut] = {}
        written: list[Path] = []
        for name, given in sets_given.items():
            wanted = list(conditions(found, given).values())
            if not_in:
                gone[name] = left_out(wanted[0], not_in)
                say(f"{name}: {gone[name].words}")
                given = given._replace(left_out=gone[name].ids)
            mark = judging.mark if judging.marks(wanted) else None
            title = f"{name}, " if len(sets) > 1 else ""

            def sit(label: str, config: Any, find: Finds, title: str = title) -> runs.Session:
                return play_found(
                    config,
                    find,
                    opened,
                    modelling,
                    concurrency,
                    title=f"{title}{label}",
                    over=over,
                    given=store,
                )

            results[name] = run_study(found, given, opened, sit, mark, modelling)
            if out is not None:
                from osler.reports.study_html import study_html  # noqa: PLC0415 - import time
                from osler.studies.study.reporting import study_report  # noqa: PLC0415 - import time

                written.append(out if len(sets) == 1 else out.with_stem(f"{out.stem}-{in_file(name)}"))
                marks = marks_beside(protocol, judging.scores)
                write_page(study_html(study_report(found, results[name], opened, marks)), written[-1])
            if results[name].status != "done":
                break
        done = len(sets) > 1 and len(results) == len(sets)
        runs_of = [one.runs for one in results.values()] if done else []
        means = over_sets(found, runs_of, opened, judging.marked) if done else {}
    shown = StudyShown(found, marks_beside(protocol, judging.scores), means)
    value = shown.value(results, len(sets))
    if gone:
        value["left_out"] = {name: one.as_json() for name, one in gone.items()}
    if written:
        value["written"] = str(out) if len(sets) == 1 else [str(path) for path in written]
    result(as_json, value, *shown.tables(results))
    last = list(results.values())[-1]
    if last.status != "done":
        say(f"osler: {last.status}: {last.why}; run the same command again to continue")
        raise typer.Exit(INTERRUPTED if last.status == "interrupted" else PAUSED)


def _searched_by(how: dict[str, Any]) -> dict[str, Any]:
    """The memory settings under their names in the study longitudinal, where `by` cuts its blocks."""
    return {"ranking" if name == "by" else name: value for name, value in how.items()}
