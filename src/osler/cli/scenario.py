"""`osler scenario`: the list of commands for standardized-patient scenarios and packets, and `play`.

Only options are imported at the top, so that the list and its help answer at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from osler.cli.lazy_commands import group_of
from osler.cli.model_options import takes_models
from osler.cli.options import (
    PORTION,
    AsJson,
    Batch,
    Concurrency,
    DryRun,
    FailUnder,
    ImageFiles,
    LanguageName,
    Seed,
    Spread,
    StoreUrl,
    language_given,
    takes_images,
    takes_spread,
)
from osler.cli.output import command

if TYPE_CHECKING:
    from osler.runs.seating import ModelOptions

app = group_of(
    {
        "play": ("osler.cli.scenario:play", "Play scenarios, judge, report with intervals."),
        "lint": ("osler.cli.scenario_files:lint_", "Lint scenarios or packets."),
        "figures": ("osler.cli.scenario_files:figures", "Count scenarios by sex, age, specialty and so on."),
        "import": ("osler.cli.scenario_files:import_", "Import scenarios or published packets."),
        "export": ("osler.cli.scenario_files:export", "Export scenarios as prose packets."),
    },
    "Standardized-patient scenarios and packets.",
)


@command
@takes_images
@takes_spread
@takes_models()
def play(
    scenarios: Annotated[
        str, typer.Argument(metavar="SCENARIOS", help="`library`, a file, or a folder of files or packets.")
    ],
    examinee: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME...]",
            help="baseline, null, oracle, repeat-everything, opening-only, person, scripted:FILE or "
            "model:NAME, also with +cot, +best-of:N, +panel:N or +self-consistency:N; several names play the "
            "same worlds.",
        ),
    ] = "baseline",
    patient: Annotated[str, typer.Option(help="baseline or model:NAME.")] = "baseline",
    controller: Annotated[str, typer.Option(help="baseline or model:NAME.")] = "baseline",
    persona: Annotated[str, typer.Option(help="plain, anxious, stoic, talkative, skeptical.")] = "plain",
    arm: Annotated[
        Literal["interactive", "static"],
        typer.Option(help="static: the whole case is shown at once, and there is one move."),
    ] = "interactive",
    turns: Annotated[
        int | None,
        typer.Option(
            min=1, max=1000, help="Maximum number of turns.  [default: the scenario's]", show_default=False
        ),
    ] = None,
    judge: Annotated[
        str,
        typer.Option(
            help="keyed (by evidence the scenario declares; by words for imported rubrics), lexical or "
            "model:NAME."
        ),
    ] = "keyed",
    judge_repeats: Annotated[int, typer.Option(min=1, max=50, help="Times a model judges each episode.")] = 1,
    batch: Batch = PORTION,
    same_endpoint_allowed: Annotated[
        bool, typer.Option("--same-endpoint-allowed", help="Let a model judge a run it played in.")
    ] = False,
    language: LanguageName = None,
    seed: Seed = 0,
    repeats: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of episodes per scenario.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N scenarios.")] = None,
    only: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this scenario, such as st01 or st01/scenario1.")
    ] = None,
    rubrics: Annotated[
        str | None, typer.Option(help="A folder of frozen rubrics, if packets have none beside them.")
    ] = None,
    concurrency: Concurrency = 16,
    dry_run: DryRun = False,
    fail_under: FailUnder = None,
    *,
    modelling: ModelOptions,
    over: Spread,
    pictured: ImageFiles,
    store: StoreUrl = None,
    format: Annotated[str, typer.Option("--format", help="auto, osler or medsp1000.")] = "auto",
    as_json: AsJson = False,
) -> None:
    """Play scenarios, judge every episode by its frozen rubric, and report with intervals."""
    from osler.cli.forecast import estimate  # noqa: PLC0415 - import time
    from osler.cli.playing import play_all, players_named  # noqa: PLC0415 - import time
    from osler.protocols.scenario.config import ScenarioConfig  # noqa: PLC0415 - the same
    from osler.protocols.scenario.settings import ScenarioSettings  # noqa: PLC0415 - the same
    from osler.runs.judging import JudgeOptions  # noqa: PLC0415 - the same

    wanted = ScenarioConfig(
        cases=scenarios,
        format=format,
        **pictured._asdict(),
        rubrics=rubrics,
        patient=patient,
        controller=controller,
        persona=persona,
        seed=seed,
        repeats=repeats,
        limit=limit,
        only=_scenario_id(only),
        settings=ScenarioSettings(max_turns=turns, arm=arm, language=language_given(language)),
    )
    if dry_run:
        estimate(players_named(wanted, examinee)[0], modelling, store, as_json)
        return
    play_all(
        players_named(wanted, examinee),
        modelling,
        concurrency,
        as_json,
        given=store,
        fail_under=fail_under,
        judging=JudgeOptions(judge, judge_repeats, batch, same_endpoint_allowed, modelling),
        over=over,
    )


def _scenario_id(only: str | None) -> str | None:
    """A scenario's full id; a case's id alone means its first scenario."""
    return only if only is None or "/" in only else f"{only}/scenario1"
