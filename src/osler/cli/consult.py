"""`osler consult`: consultations played by built-in players, models or a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import typer

from osler.cases.door_note import Shown
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
    SecondReaderName,
    Seed,
    Spread,
    StoreUrl,
    language_given,
    takes_images,
    takes_spread,
)
from osler.cli.output import command
from osler.cli.playing import play_all, players_named
from osler.cli.remembering import Embedder, Looks, MemoryName, Retrieve, remembered
from osler.errors import BadInput
from osler.judging.named import BUILT_IN_JUDGE
from osler.knowledge.vocabulary import Unknown
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import LIMITS, VISIT_COST, Arm, Limits, Orders, Pictures, Settings
from osler.runs.judging import JudgeOptions
from osler.runs.seating import ModelOptions


@command
@takes_images
@takes_spread
@takes_models()
def consult(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, or a file or folder in an importable format.")
    ],
    doctor: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME...]",
            help="baseline, null, always-conclude, oracle, person, model:NAME, scripted:FILE; made to reason"
            " or vote with +cot, +ensemble:N, +discuss:N, to remember with +memory; several names play the"
            " same worlds.",
        ),
    ] = "baseline",
    memory: MemoryName = None,
    retrieve: Retrieve = None,
    embedder: Embedder = None,
    looks: Looks = None,
    patient: Annotated[str, typer.Option(help="baseline, person, model:NAME or scripted:FILE.")] = "baseline",
    consultant: Annotated[str, typer.Option(help="none, baseline, model:NAME or scripted:FILE.")] = "none",
    specialty: Annotated[
        list[str] | None, typer.Option(help="Add a consultant of this specialty; may be given several times.")
    ] = None,
    mdt: Annotated[
        Literal["on demand", "always"],
        typer.Option(help="always: the consultant is also heard before a first conclusion."),
    ] = "on demand",
    mdt_every: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Also hear the consultant every N turns.")
    ] = None,
    persona: Annotated[
        str,
        typer.Option(help="plain, anxious, stoic, talkative, skeptical, or one of the library: patient-042."),
    ] = "plain",
    seed: Seed = 0,
    repeats: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of consultations per case.")] = 1,
    limits: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="osler (20 turns, 10 tests a visit) or medevoeval (10 and 3, as in its paper); single limits"
            " below go before it.",
        ),
    ] = "osler",
    max_turns: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Limit on the doctor's turns over all visits.")
    ] = None,
    max_tests: Annotated[
        int | None, typer.Option(min=0, help="Limit on tests per visit; examinations do not count.")
    ] = None,
    max_visits: Annotated[int, typer.Option(min=1, max=100, help="Limit on visits.")] = 3,
    max_cost: Annotated[
        int | None, typer.Option(min=VISIT_COST, help="Limit on cost, in tariff points.")
    ] = None,
    unknown: Annotated[
        Unknown,
        typer.Option(
            help="How to answer orders whose result the case lacks. synthesize: a model makes up a normal one"
            ", marked as such."
        ),
    ] = "standard",
    orders: Annotated[
        Orders,
        typer.Option(
            help="free: any name is read as it is meant; catalogue: the doctor is shown a list, the same for"
            " every case, and orders by its exact names."
        ),
    ] = "free",
    options: Annotated[
        Literal["hidden", "shown"], typer.Option(help="Whether the doctor sees a case's answer options.")
    ] = "hidden",
    opening: Annotated[
        Shown,
        typer.Option(
            help="What the doctor begins with: the whole note of the source, or age, sex and complaint alone."
        ),
    ] = "objective",
    format_arm: Annotated[
        Arm,
        typer.Option(
            help="multi: the consultation. vignette: the whole case as one text; single: one statement of the"
            " patient; summarized: concluded from a summary of the consultation; one-step: from the whole"
            " record."
        ),
    ] = "multi",
    judge: JudgeName = BUILT_IN_JUDGE,
    concurrency: Concurrency = AT_ONCE,
    limit: Limit = None,
    examination: Annotated[str, typer.Option(help="baseline, model:NAME or scripted:FILE.")] = "baseline",
    second_reader: SecondReaderName = None,
    pictures: Annotated[
        Pictures, typer.Option(help="Whether pictures come with their report, or the doctor must read them.")
    ] = "reported",
    describer: Annotated[
        str,
        typer.Option(
            help="Describes pictures to a doctor without vision: none, model:NAME or scripted:FILE."
        ),
    ] = "none",
    summarizer: Annotated[
        str,
        typer.Option(
            help="Writes the summary of --format-arm summarized: baseline, model:NAME or scripted:FILE"
            " (none: the doctor's model, else baseline)."
        ),
    ] = "none",
    synthesizer: Annotated[
        str,
        typer.Option(
            help="Makes up the results of --unknown synthesize: model:NAME or scripted:FILE (none: the"
            " examination's model)."
        ),
    ] = "none",
    moves: Annotated[Literal["json", "text"], typer.Option(help="A model doctor's answer format.")] = "json",
    coaching: Annotated[
        Literal["on", "off"],
        typer.Option(help="Whether a model doctor is told how patients come to speak of private matters."),
    ] = "off",
    language: LanguageName = None,
    dry_run: DryRun = False,
    *,
    modelling: ModelOptions,
    over: Spread,
    pictured: ImageFiles,
    fail_under: FailUnder = None,
    store: StoreUrl = None,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Play a consultation for every case, judge each one, and report with intervals."""
    single = {
        "max_turns": max_turns,
        "max_tests_per_visit": max_tests,
        "max_visits": max_visits,
        "max_cost": max_cost,
    }
    wanted = RunConfig(
        cases=cases,
        format=format,
        **pictured._asdict(),
        patient=patient,
        examination=examination,
        consultant=consultant,
        specialties=tuple(specialty or ()),
        describer=describer,
        summarizer=summarizer,
        synthesizer=synthesizer,
        persona=persona,
        second_reader=second_reader,
        moves=moves,
        coaching=coaching == "on",
        seed=seed,
        repeats=repeats,
        limit=limit,
        settings=Settings.model_validate(
            {
                "limits": _limits(limits, single),
                "unknown": unknown,
                "orders": orders,
                "options": options,
                "pictures": pictures,
                "opening": opening,
                "mdt": mdt,
                "mdt_every": mdt_every,
                "language": language_given(language),
                "format_arm": format_arm,
            }
        ),
    )
    if dry_run:
        estimate(players_named(wanted, doctor)[0], modelling, store, as_json)
        return
    play_all(
        players_named(wanted, doctor),
        modelling,
        concurrency,
        as_json,
        given=store,
        fail_under=fail_under,
        judging=JudgeOptions(judge, models=modelling),
        memory=remembered(memory, retrieve, embedder, looks),
        over=over,
    )


def _limits(name: str, single: Mapping[str, int | None]) -> Limits:
    """The limits of that name, with the single ones that are given. Raises BadInput for an unknown name."""
    if name not in LIMITS:
        raise BadInput(f"no limits are called {name!r}", where="--limits", hint=f"known: {', '.join(LIMITS)}")
    given = {which: value for which, value in single.items() if value is not None}
    return Limits.model_validate({**LIMITS[name], **given})
