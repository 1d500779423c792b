"""`osler round`: teaching ward rounds, with built-in players, models, or a person as tutor or student."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from osler.cli.case_files import Format
from osler.cli.forecast import estimate
from osler.cli.judging import JudgeName
from osler.cli.model_options import takes_models
from osler.cli.options import (
    AT_ONCE,
    AsJson,
    Concurrency,
    DryRun,
    FailUnder,
    ImageFiles,
    LanguageName,
    Limit,
    Seed,
    Spread,
    StoreUrl,
    language_given,
    takes_images,
    takes_spread,
)
from osler.cli.output import command
from osler.cli.playing import play_all, players_named
from osler.core.names import listed
from osler.core.role import PERSON
from osler.errors import BadInput
from osler.judging.named import BUILT_IN_JUDGE
from osler.protocols.ward_round.config import MATCHED, RoundConfig
from osler.protocols.ward_round.seats import MOST_STUDENTS
from osler.protocols.ward_round.settings import RoundSettings, Theory
from osler.runs.judging import JudgeOptions
from osler.runs.seating import ModelOptions


@command
@takes_images
@takes_spread
@takes_models()
def round_(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, generated:N:SEED, or a file or folder.")
    ],
    students: Annotated[int, typer.Option(min=1, max=MOST_STUDENTS, help="Number of students.")] = 3,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="Maximum number of rounds.")] = 3,
    tutor: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME...]",
            help="socratic, lecturer, announcer, silent, parrot, person, model:NAME or scripted:FILE; several"
            " names teach in the same worlds.",
        ),
    ] = "socratic",
    student: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME...]",
            help="Players of the students, in turn: baseline, a theory's name, person (one) or model:NAME.",
        ),
    ] = "baseline",
    theory: Annotated[
        Theory, typer.Option(help="The learning theory that built-in students follow.")
    ] = "construct",
    patient: Annotated[str, typer.Option(help="baseline, none or model:NAME.")] = "baseline",
    specialist: Annotated[str, typer.Option(help="baseline, none or model:NAME.")] = "baseline",
    supervisor: Annotated[str, typer.Option(help="baseline, none or model:NAME.")] = "baseline",
    expert: Annotated[str, typer.Option(help="baseline, none or model:NAME.")] = "baseline",
    persona: Annotated[
        str, typer.Option(help="The patient's persona: matched to the case, or plain, anxious, stoic, ...")
    ] = MATCHED,
    drafts: Annotated[
        int, typer.Option(min=1, max=10, help="Maximum number of the tutor's drafts per round.")
    ] = 3,
    private_thought: Annotated[
        bool, typer.Option(help="Whether the tutor reasons in private tags before it speaks.")
    ] = True,
    exam: Annotated[
        Literal["all", "unseen"],
        typer.Option(help="Exam questions: all, or unseen ones only, without the steps' key questions."),
    ] = "all",
    order: Annotated[
        Literal["drawn", "fixed"],
        typer.Option(help="The order of the students' analyses: drawn for each round, or by their seats."),
    ] = "drawn",
    expert_heard_by: Annotated[
        Literal["all", "asker"],
        typer.Option(help="The students who hear a question to the expert, and its answer."),
    ] = "all",
    reviewers: Annotated[
        Literal["lenient", "strict"],
        typer.Option(
            help="What specialist and supervisor do with a draft they are not sure of: strict rejects."
        ),
    ] = "lenient",
    teach_by: Annotated[
        Literal["own", "another"],
        typer.Option(help="another: a control in which the tutor gets another case's steps."),
    ] = "own",
    moves: Annotated[
        Literal["json", "text"], typer.Option(help="How a model tutor answers: JSON, or text in tags.")
    ] = "json",
    language: LanguageName = None,
    seed: Seed = 0,
    repeats: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of ward rounds per case.")] = 1,
    limit: Limit = None,
    judge: JudgeName = BUILT_IN_JUDGE,
    concurrency: Concurrency = AT_ONCE,
    dry_run: DryRun = False,
    fail_under: FailUnder = None,
    *,
    modelling: ModelOptions,
    over: Spread,
    pictured: ImageFiles,
    store: StoreUrl = None,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Teach every case at the bedside, examine students before and after, and report with intervals."""
    wanted = RoundConfig(
        cases=cases,
        format=format,
        **pictured._asdict(),
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
            max_rounds=rounds,
            max_drafts=drafts,
            exam=exam,
            private_thought=private_thought,
            order=order,
            expert_heard_by=expert_heard_by,
            reviewers=reviewers,
            language=language_given(language),
        ),
    )
    if dry_run:
        estimate(players_named(wanted, tutor)[0], modelling, store, as_json)
        return
    play_all(
        players_named(wanted, tutor),
        modelling,
        concurrency,
        as_json,
        given=store,
        fail_under=fail_under,
        judging=JudgeOptions(judge, models=modelling),
        over=over,
    )


def _names(student: str, students: int) -> tuple[str, ...]:
    """The names in `--student`, in turn; at most one can be a person."""
    listed(student, "--student")  # rejects names that contain a comma
    names = tuple(name.strip() for name in student.split(",") if name.strip())
    if not names:
        raise BadInput("no player is named", where="--student", hint="name baseline, for instance")
    if len(names) > students:
        raise BadInput(f"{len(names)} names for {students} students", where="--student")
    dealt = [names[n % len(names)] for n in range(students)]
    if dealt.count(PERSON) > 1:
        raise BadInput(
            "only one student can be a person",
            where="--student",
            hint="write person,baseline,... with a name for each student",
        )
    return tuple(dealt) if PERSON in names else names
