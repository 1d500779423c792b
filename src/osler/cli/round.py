"""`osler round`: teaching ward rounds, by built-in players, models, or with a person as tutor or student."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from osler.cli.case_format import Format
from osler.cli.consult import leave_unfinished, store_flag
from osler.cli.options import AsJson, CacheUse, ConfigFile, MaxMoney, MaxTokens, StoreUrl
from osler.cli.output import command, result, say
from osler.cli.progress import shown
from osler.cli.seating import Modelling, RoundSeated, take_round_seats, usage_of
from osler.encounter.ward_round import RoundSettings
from osler.errors import BadInput
from osler.players.round.learning import Theory
from osler.reports.teaching import teaching_table
from osler.seats.ward_round import MOST_STUDENTS
from osler.store.rows import RunInfo
from osler.store.store import Store, open_store
from osler.studies import runs
from osler.studies.round_config import MATCHED, PERSON, RoundConfig
from osler.studies.rounds import summarize_rounds

AT_ONCE = 16


@command
def round_(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, generated:N:SEED, or a file or folder.")
    ],
    students: Annotated[int, typer.Option(min=1, max=MOST_STUDENTS, help="How many students.")] = 3,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="Rounds at most.")] = 3,
    tutor: Annotated[
        str,
        typer.Option(help="socratic, lecturer, announcer, silent, parrot, person or model:NAME."),
    ] = "socratic",
    student: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME...]",
            help="Who plays the students, in turn: baseline, a theory's name, person (one) or model:NAME.",
        ),
    ] = "baseline",
    theory: Annotated[Theory, typer.Option(help="How built-in students learn.")] = "construct",
    patient: Annotated[str, typer.Option(help="baseline, none or model:NAME.")] = "baseline",
    specialist: Annotated[str, typer.Option(help="baseline, none or model:NAME.")] = "baseline",
    supervisor: Annotated[str, typer.Option(help="baseline, none or model:NAME.")] = "baseline",
    expert: Annotated[str, typer.Option(help="baseline, none or model:NAME.")] = "baseline",
    persona: Annotated[
        str, typer.Option(help="The patient's: matched to the case, or plain, anxious, stoic, ...")
    ] = MATCHED,
    drafts: Annotated[int, typer.Option(min=1, max=10, help="Drafts a round at most.")] = 3,
    private_thought: Annotated[
        bool, typer.Option(help="Whether the tutor thinks in tags before it speaks.")
    ] = True,
    exam: Annotated[
        Literal["all", "unseen"], typer.Option(help="Whether exams hold the steps' key questions.")
    ] = "all",
    teach_by: Annotated[
        Literal["own", "another"],
        typer.Option(help="A control: the tutor is given another case's steps."),
    ] = "own",
    moves: Annotated[
        Literal["json", "text"], typer.Option(help="How a model tutor answers: JSON, or text in tags.")
    ] = "json",
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    repeats: Annotated[int, typer.Option(min=1, max=1_000_000, help="How often each case is taught.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N cases.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=4096, help="Ward rounds open at once.")] = AT_ONCE,
    config: ConfigFile = None,
    cache: CacheUse = "off",
    max_tokens: MaxTokens = None,
    max_money: MaxMoney = None,
    store: StoreUrl = None,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Teach every case at the bedside, examine the students before and after, and report with intervals."""
    wanted = RoundConfig(
        cases=cases,
        format=format,
        tutor=tutor,
        students=students,
        student=_names(student, students),
        theory=theory,
        patient=patient,
        specialist=specialist,
        supervisor=supervisor,
        expert=expert,
        persona=persona,
        teach_by=teach_by,
        moves=moves,
        seed=seed,
        repeats=repeats,
        limit=limit,
        settings=RoundSettings(
            max_rounds=rounds, max_drafts=drafts, exam=exam, private_thought=private_thought
        ),
    )
    say("Teaching with simulated patients and students: for education and research only.")
    modelling = Modelling(config, cache, max_tokens, max_money)
    seated = take_round_seats(wanted, modelling)
    with open_store(store) as opened:
        source = runs.opened(seated.config)
        run = runs.begin(seated.config, opened, seated.more, source)
        sit_rounds(run, opened, seated, modelling, concurrency, as_json, given=store, source=source)


def sit_rounds(
    run: RunInfo,
    store: Store,
    seated: RoundSeated,
    modelling: Modelling,
    concurrency: int,
    as_json: bool,
    *,
    given: str | None = None,
    source: Any = None,
) -> None:
    """Play what is left of a run of ward rounds, and print its summary or how to go on."""
    where = store_flag(store, given)
    with_person = PERSON in seated.config.players().values()
    say(f"run {run.name}, kept in {store.label}")
    with shown(moving=not with_person, what="ward rounds") as on_progress:
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
    summary = summarize_rounds(sitting.run, store, sitting.seconds)
    used, tables = usage_of(sitting.run, store, modelling)
    result(as_json, {**summary.model_dump(mode="json"), **used}, teaching_table(summary), *tables)
    if not as_json:
        what = "Drafts and reviews" if with_person else "A transcript, drafts and reviews included"
        say(f"{what}: osler show {run.name}:0{where}")


def _names(student: str, students: int) -> tuple[str, ...]:
    """The names of `--student`, in turn; one person at most can sit down."""
    names = tuple(name.strip() for name in student.split(",") if name.strip())
    if not names:
        raise BadInput("names nobody", where="--student", mend="name baseline, for instance")
    if len(names) > students:
        raise BadInput(f"{len(names)} names for {students} students", where="--student")
    dealt = [names[n % len(names)] for n in range(students)]
    if dealt.count(PERSON) > 1:
        raise BadInput(
            "one person can sit down, not several",
            where="--student",
            mend="write person,baseline,... with a name for each student",
        )
    return tuple(dealt) if PERSON in names else names
