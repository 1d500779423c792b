"""`osler study`: studies that compare many conditions, each a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple

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
from osler.cli.processes import PlayOptions, check_spread
from osler.cli.remembering import Embedder, Looks, Retrieve, searched
from osler.cli.study_conditions import (
    LeftOut,
    Named,
    NotIn,
    Players,
    Training,
    as_given,
    left_out,
    players_given,
    trained_on,
)
from osler.cli.study_results import StudyJudge, sets_named
from osler.cli.study_runs import in_file
from osler.core.config import Config
from osler.core.names import listed
from osler.core.option import options_of
from osler.errors import BadInput
from osler.judging.named import BUILT_IN_JUDGE
from osler.runs.judging import JudgeOptions
from osler.runs.run import Session
from osler.runs.seating import ModelOptions
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.study.design import Study, data_sets, marks_beside, packaged, study_named
from osler.studies.study.means import Figures, over_sets
from osler.studies.study.record import ENDING, record_of, record_text
from osler.studies.study.running import RunOptions, StudyResult, conditions, run_study
from osler.studies.study.tables import StudyShown

Finds = Callable[[Any, Any], RunInfo]
_ROUND: Final = (
    ": a ward round ends in no right or wrong of its tutor or students, so they keep no cards of earlier"
    " cases; what students keep of a round is measured within it (learning_gain)"
)
_SCENARIO: Final = (
    ": an examinee keeps no cards of earlier cases, since what a card could teach is the rubric that the next"
    " case is scored by"
)
NO_MEMORY: Final[Mapping[str, str]] = MappingProxyType(
    {"tutor": _ROUND, "student": _ROUND, "examinee": _SCENARIO}
)
"""The reason why a seat of another protocol is not studied over time."""

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
            metavar="[NAME=]CASES[,format=F][,images=DIR]",
            help="`library`, generated:N:SEED, or a file or folder, with its own format and pictures. Repeat"
            " it to play the study on several sets of cases, and get a table of conditions by sets."
            "  [default: the study's, else library]",
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
            help="Also write a report to this file, an HTML page; or, if it ends in .json, the record that"
            " `osler serve --results` shows. An existing one is replaced.",
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
    memory = searched(retrieve, embedder, looks)
    if study == over_time.NAME:
        options = {"condition": condition, "not-in": not_in, "on": on, "judge": judge}
        is_record = out is not None and out.suffix == ENDING
        _check_over_time(seats, {**options, "out FILE.json": is_record}, cases)
        chosen = {name: value for name, value in fields.items() if name != "repeats"}
        chosen |= {**design, **_ranking(memory), "doctor": seats.get("doctor")}
        chosen["cases"] = (cases or [over_time.CASES])[0]
        over_time.longitudinal(
            chosen, modelling, store, concurrency=concurrency, processes=processes, out=out, as_json=as_json
        )
        return
    if alien := next((one for one in options_of(over_time.Design) if one.path[0] in design), None):
        raise BadInput(
            f"{alien.flag} applies only to the study {over_time.NAME}", where=study, hint="leave it out"
        )
    plan = as_given(study_named(study, allow_code=allow_code), condition or ())
    plan, seats = players_given(plan, seats)
    name = judge or plan.judge or BUILT_IN_JUDGE
    judges = JudgeOptions(name, judge_repeats, same_endpoint_allowed=same_endpoint_allowed)
    plan = plan.settled(judged=bool(judges.endpoint))
    how = PlayOptions(modelling, concurrency, spread(processes, on), store)
    trained = Training((*(not_in or ()), *map(Path, data_sets(plan).values())), trained_on(plan))
    sets = {
        name: RunOptions(cases=one.cases, seats=seats, memory=memory, **{**fields, **one.own})
        for name, one in sets_named(cases, plan).items()
    }
    say(plan.plays.notice)
    for given in sets.values():
        check_spread(how.over, list(conditions(plan, given).values()), store)
    with open_store(store) as opened:
        judging = StudyJudge(judges, modelling, opened)
        outcome = _play_sets(plan, sets, opened, how, judging, trained, out)
    _show(plan, judging, outcome, len(sets), out, as_json)


def _check_over_time(
    seats: Mapping[str, str], options: Mapping[str, object], cases: Sequence[str] | None
) -> None:
    """Raise BadInput for a seat, an option or several sets of cases, which the study longitudinal takes
    none of."""
    study = over_time.NAME
    if option := next((name for name, value in options.items() if value), ""):
        raise BadInput(f"the study {study} takes no --{option}", where=study, hint="leave it out")
    if others := sorted(seats.keys() - {"doctor"}):
        what = f"this study has no seat {others[0]!r}{NO_MEMORY.get(others[0], '')}"
        raise BadInput(what, where="--given", hint="write --given doctor=NAME")
    if len(cases or ()) > 1:
        raise BadInput(f"the study {study} takes one set of cases", where="CASES", hint="name one")


def _ranking(memory: dict[str, Any]) -> dict[str, Any]:
    """The memory settings under their names in the study longitudinal, where `by` cuts its blocks."""
    return {"ranking" if name == "by" else name: value for name, value in memory.items()}


# Playing the sets of cases, one after the other


class _Outcome(NamedTuple):
    """The results of a study by set of cases, the cases that were left out of each, and the reports."""

    results: dict[str, StudyResult]
    left_out: dict[str, LeftOut]
    written: list[Path]
    means: dict[str, Figures]
    """The figures of each condition over all sets, where there are several and all were played."""


def _play_sets(
    study: Study,
    sets: Mapping[str, RunOptions],
    store: Store,
    how: PlayOptions,
    judging: StudyJudge,
    trained: Training,
    out: Path | None,
) -> _Outcome:
    """Play the study on each set of cases, without those that a training has seen, and write its report; a
    set that pauses ends the session."""
    outcome = _Outcome({}, {}, [], {})
    for name, given in sets.items():
        wanted = list(conditions(study, given).values())
        if trained.folders:
            gone = outcome.left_out[name] = left_out(wanted[0], trained.folders)
            say(f"{name}: {gone.words}")
            given = given._replace(left_out=gone.ids)
        mark = judging.mark if judging.marks(wanted) else None
        sit = _sits(store, how, f"{name}, " if len(sets) > 1 else "")
        played = run_study(study, given, store, sit, mark, how.modelling)
        played = outcome.results[name] = played.model_copy(update={"data_sets": trained.data_sets})
        if out is not None and out.suffix != ENDING:
            path = out if len(sets) == 1 else out.with_stem(f"{out.stem}-{in_file(name)}")
            _write_report(study, played, store, judging, path)
            outcome.written.append(path)
        if played.status != "done":
            break
    if len(sets) > 1 and len(outcome.results) == len(sets):
        runs = [one.runs for one in outcome.results.values()]
        outcome.means.update(over_sets(study, runs, store, judging.marked))
    return outcome


def _sits(store: Store, how: PlayOptions, title: str) -> Callable[[str, Any, Finds], Session]:
    """A function that plays one condition, introduced by the set's `title` and its own label."""

    def sit(label: str, config: Any, find: Finds) -> Session:
        return play_found(config, find, store, how, title=f"{title}{label}")

    return sit


def _write_report(study: Study, played: StudyResult, store: Store, judging: StudyJudge, path: Path) -> None:
    from osler.reports.study_html import study_html  # noqa: PLC0415 - import time
    from osler.studies.study.reporting import study_report  # noqa: PLC0415 - import time

    marks = marks_beside(study.plays, judging.scores)
    write_page(study_html(study_report(study, played, store, marks)), path)


def _show(
    study: Study, judging: StudyJudge, outcome: _Outcome, sets: int, out: Path | None, as_json: bool
) -> None:
    """Print the results of `sets` sets of cases, and exit if the last one did not finish."""
    shown = StudyShown(study, marks_beside(study.plays, judging.scores), outcome.means)
    value = shown.value(outcome.results, sets)
    if outcome.left_out:
        value["left_out"] = {name: one.as_json() for name, one in outcome.left_out.items()}
    printed = list(shown.tables(outcome.results))
    if out is not None and out.suffix == ENDING:
        write_page(record_text(record_of(outcome.results, value, printed)), out)
        value["written"] = str(out)
    elif outcome.written:
        value["written"] = str(out) if sets == 1 else [str(path) for path in outcome.written]
    result(as_json, value, *printed)
    last = list(outcome.results.values())[-1]
    if last.status != "done":
        say(f"osler: {last.status}: {last.why}; run the same command again to continue")
        raise typer.Exit(INTERRUPTED if last.status == "interrupted" else PAUSED)
