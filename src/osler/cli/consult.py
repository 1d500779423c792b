"""`osler consult` and `osler resume`: play consultations and sum them up."""

from __future__ import annotations

import shlex
from typing import Annotated, Literal

import typer
from pydantic_core import from_json
from rich.text import Text

from osler.cases.sources import CaseSource
from osler.cli.case_format import Format
from osler.cli.disk import MANY, room_for, warn_if_full
from osler.cli.memory import audit_value, audit_words
from osler.cli.options import (
    AsJson,
    CacheUse,
    ConfigFile,
    FailUnder,
    MaxMoney,
    MaxTokens,
    SecondReaderName,
    StoreUrl,
)
from osler.cli.output import INTERRUPTED, NOTHING_DONE, command, result, say
from osler.cli.progress import shown
from osler.cli.seating import Modelling, Seated, modelled, take_seats, usage_of
from osler.encounter.consultation import Settings
from osler.encounter.limits import VISIT_COST, Limits
from osler.encounter.orders import Pictures
from osler.errors import BadInput
from osler.judging.scores import judgement_json
from osler.reports.debrief import Played, asked_missed_unsafe
from osler.reports.summary import RunSummary
from osler.reports.tables import results_table
from osler.seats.patient import Unknown
from osler.store.rows import RunInfo
from osler.store.store import Store, open_store
from osler.studies import rejudging, runs
from osler.studies.build import RunConfig
from osler.studies.disk import disk_forecast
from osler.studies.doctors import MEMORY, inside
from osler.studies.experience.recording import audit_run, record_retrievals
from osler.studies.experience.snapshots import use_of
from osler.studies.stored_case import stored_cases

AT_ONCE = 16


@command
def consult(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, or a file or folder in an importable format.")
    ],
    doctor: Annotated[
        str,
        typer.Option(
            help="baseline, null, always-conclude, oracle, person, model:NAME, scripted:FILE; made to think"
            " or vote with +cot, +ensemble:N, +discuss:N, to remember with +memory."
        ),
    ] = "baseline",
    memory: Annotated[
        str | None, typer.Option(help="What +memory looks into: a memory's name, or a snapshot's hash.")
    ] = None,
    patient: Annotated[str, typer.Option(help="baseline, person, model:NAME or scripted:FILE.")] = "baseline",
    consultant: Annotated[str, typer.Option(help="none, baseline, model:NAME or scripted:FILE.")] = "none",
    specialty: Annotated[
        list[str] | None, typer.Option(help="A consultant of this specialty; may be given several times.")
    ] = None,
    mdt: Annotated[
        Literal["on demand", "always"], typer.Option(help="always: heard before a conclusion stands, too.")
    ] = "on demand",
    mdt_every: Annotated[
        int | None, typer.Option(min=1, max=1000, help="The consultant is heard every N turns, too.")
    ] = None,
    persona: Annotated[
        str, typer.Option(help="plain, anxious, stoic, talkative, skeptical, or one of ours: patient-042.")
    ] = "plain",
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    repeats: Annotated[int, typer.Option(min=1, max=1_000_000, help="How often each case is consulted.")] = 1,
    max_turns: Annotated[int, typer.Option(min=1, max=1000, help="The doctor's turns, all visits.")] = 20,
    max_tests: Annotated[int, typer.Option(min=0, help="Tests a visit; examinations are not counted.")] = 10,
    max_visits: Annotated[int, typer.Option(min=1, max=100, help="Visits.")] = 3,
    max_cost: Annotated[int | None, typer.Option(min=VISIT_COST, help="Tariff points.")] = None,
    unknown: Annotated[Unknown, typer.Option(help="What a case does not hold.")] = "standard",
    options: Annotated[
        Literal["hidden", "shown"], typer.Option(help="A case's options, to its doctor.")
    ] = "hidden",
    concurrency: Annotated[int, typer.Option(min=1, max=4096, help="Episodes open at once.")] = AT_ONCE,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N cases.")] = None,
    examination: Annotated[str, typer.Option(help="baseline, model:NAME or scripted:FILE.")] = "baseline",
    second_reader: SecondReaderName = None,
    pictures: Annotated[
        Pictures, typer.Option(help="Whether a picture comes with its report, or has to be read.")
    ] = "reported",
    describer: Annotated[
        str, typer.Option(help="Eyes for a doctor without them: none, model:NAME or scripted:FILE.")
    ] = "none",
    moves: Annotated[Literal["json", "text"], typer.Option(help="How a model doctor answers.")] = "json",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only estimate what the models would use.")
    ] = False,
    config: ConfigFile = None,
    cache: CacheUse = "off",
    max_tokens: MaxTokens = None,
    max_money: MaxMoney = None,
    fail_under: FailUnder = None,
    store: StoreUrl = None,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Consult every case, judge each consultation, and report with intervals."""
    if unknown == "synthesize":
        raise BadInput(
            "no built-in player can write a missing result",
            where="--unknown synthesize",
            mend="use standard, withhold or normal; synthesize needs a language model",
        )
    limits = Limits(
        max_turns=max_turns, max_tests_per_visit=max_tests, max_visits=max_visits, max_cost=max_cost
    )
    wanted = RunConfig(
        cases=cases,
        format=format,
        doctor=doctor,
        patient=patient,
        examination=examination,
        consultant=consultant,
        specialties=tuple(specialty or ()),
        describer=describer,
        persona=persona,
        second_reader=second_reader,
        moves=moves,
        seed=seed,
        repeats=repeats,
        limit=limit,
        settings=Settings.model_validate(
            {
                "limits": limits,
                "unknown": unknown,
                "options": options,
                "pictures": pictures,
                "mdt": mdt,
                "mdt_every": mdt_every,
            }
        ),
    )
    modelling = Modelling(config, cache, max_tokens, max_money)
    if dry_run:
        estimate(wanted, modelling, store, as_json)
        return
    if memory is not None and MEMORY not in doctor:
        raise BadInput(f"{doctor} looks into no memory", where="--memory", mend=f"name {doctor}{MEMORY}")
    seated = take_seats(wanted, modelling)
    with open_store(store) as opened:
        if memory is not None:
            use = use_of(memory, cases, opened)
            seated = seated._replace(config=seated.config.model_copy(update={"memory": use}))
        source = runs.opened(seated.config)
        run = runs.begin(seated.config, opened, seated.more, source)
        if run.planned >= MANY:
            warn_if_full(disk_forecast(seated.config, source, episodes=run.planned), store)
        sit(
            run,
            opened,
            seated,
            modelling,
            concurrency,
            as_json,
            given=store,
            source=source,
            fail_under=fail_under,
        )


def sit(
    run: RunInfo,
    store: Store,
    seated: Seated,
    modelling: Modelling,
    concurrency: int,
    as_json: bool,
    *,
    given: str | None = None,
    source: CaseSource | None = None,
    fail_under: float | None = None,
) -> None:
    """Play what is left of a run, and print its summary or how to go on. `given` is `--store` as given."""
    where = store_flag(store, given)
    with_person = "person" in map(inside, seated.config.players().values())
    say(f"run {run.name}, kept in {store.label}")
    _say_import(run)
    with shown(moving=not with_person) as on_progress:
        sitting = runs.play(
            run,
            store,
            concurrency=1 if with_person else concurrency,
            more=seated.more,
            on_progress=on_progress,
            around=seated.around,
            source=source,
        )
    leave_unfinished(sitting, where, modelling)
    if with_person and run.planned == 1:
        show_debrief(sitting, store, modelling, as_json)
        fail_if_under(runs.summarize(sitting.run, store, sitting.seconds), fail_under)
        return
    summary = runs.summarize(sitting.run, store, sitting.seconds)
    used, tables = usage_of(sitting.run, store, modelling)
    if runs.config_of(sitting.run).memory is not None:
        record_retrievals(sitting.run, store)
        audited = audit_run(sitting.run, store, source)
        used["audit"] = audit_value(audited)
        tables.append(Text(audit_words(audited)))
    result(as_json, {**summary.model_dump(mode="json"), **used}, results_table(summary), *tables)
    if not as_json:
        say(f"A transcript: osler show {run.name}:0{where}")
    fail_if_under(summary, fail_under)


def fail_if_under(summary: RunSummary, wanted: float | None) -> None:
    """Say so and exit 1 where fewer than this share of all episodes were answered rightly."""
    if wanted is None:
        return
    found = summary.accuracy
    share = (found.value or 0.0) * found.n / (found.n + found.unscored or 1)
    if share < wanted:
        unscored = f" ({found.unscored} unscored counted as wrong)" if found.unscored else ""
        say(f"osler: accuracy {share:.4f}{unscored} is below --fail-under {wanted:g}")
        raise typer.Exit(NOTHING_DONE)


def show_debrief(sitting: runs.Sitting, store: Store, modelling: Modelling, as_json: bool) -> None:
    """For a person who has played one case: the score, what was asked, missed and unsafe."""
    run = sitting.run
    used, tables = usage_of(run, store, modelling)
    ordinal, trace, judgement = next(rejudging.judged(run, store))
    case = stored_cases(store)(next(store.episodes(run.id)).case_hash)
    value = {
        **runs.summarize(run, store, sitting.seconds).model_dump(mode="json"),
        **used,
        "episode": f"{run.name}:{ordinal}",
        "scores": from_json(judgement_json(judgement))["scores"],
    }
    seat: Played = "doctor" if inside(runs.config_of(run).doctor) == "person" else "patient"
    result(as_json, value, asked_missed_unsafe(case, trace, judgement, seat), *tables)


def leave_unfinished(sitting: runs.Sitting, where: str, modelling: Modelling) -> None:
    """Where a sitting did not end the run, say why and how to go on, and exit; else do nothing."""
    if sitting.status == "done":
        return
    say(f"{sitting.status}: {sitting.why}. {sitting.run.done} of {sitting.run.planned} are done.")
    if sitting.others:
        say(f"It goes on without this process: {', '.join(map(str, sitting.others))}")
    say(f"To go on: osler resume {sitting.run.name}{where}{modelling.flags()}")
    raise typer.Exit(INTERRUPTED if sitting.status == "interrupted" else NOTHING_DONE)


def store_flag(store: Store, given: str | None) -> str:
    """` --store ...` for another command, where one was given to this."""
    return f" --store {shlex.quote(store.label)}" if given else ""


def estimate(config: RunConfig, modelling: Modelling, store: str | None, as_json: bool) -> None:
    """Print what a run would take on disk and what its models would use; nobody is asked."""
    disk = room_for(config, store)
    if not modelled(config):
        result(as_json, {"episodes": disk["episodes"], "disk": disk})
        return
    from osler.cli import models  # noqa: PLC0415 - the model client is slow to import

    models.dry_run(config, models.configured(modelling.config), disk, as_json)


def _say_import(run: RunInfo) -> None:
    read = run.manifest["import"]
    if read and (read["rejected"] or read["flagged"]):
        say(
            f"of {read['read']} records {read['rejected']} were rejected and {read['flagged']} are flagged "
            "for giving their answer away; osler cases import says which"
        )
