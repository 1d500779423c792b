"""`osler scenario play`: scenarios played, judged, reported; several examinees play the same worlds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

import typer
from rich.console import RenderableType
from rich.text import Text

from osler.cli.consult import leave_unfinished, store_flag
from osler.cli.options import AsJson, CacheUse, ConfigFile, MaxMoney, MaxTokens, StoreUrl
from osler.cli.output import command, result, say
from osler.cli.progress import shown
from osler.cli.rubric_asking import endpoint_of
from osler.cli.rubric_asking import opened as opened_judge
from osler.cli.rubric_judging import independent
from osler.cli.seating import Modelling, ScenarioSeated, take_scenario_seats, usage_of
from osler.encounter.scenario import ScenarioSettings
from osler.errors import BadInput
from osler.judging.rubric.judgement import RubricJudge
from osler.judging.rubric.published import final_evaluation
from osler.reports.scenario import ScenarioSummary, scenario_table, side_by_side
from osler.reports.scenario_debrief import first_missed, scenario_report
from osler.store.rows import RunInfo
from osler.store.store import Store, open_store
from osler.studies import runs
from osler.studies.scenario_config import ScenarioConfig
from osler.studies.scenarios import judge_run, played_once, summarize_scenarios

AT_ONCE = 16
KEYED = "keyed"
PERSON = "person"
JudgeName = Annotated[
    str,
    typer.Option(
        help="keyed (by the evidence our scenarios declare; by words for imported rubrics), lexical or "
        "model:NAME."
    ),
]


class Judging(NamedTuple):
    """Who judges: `keyed` is what every run is judged by as it is played."""

    name: str = KEYED
    repeats: int = 1
    batch: int = 25
    same_endpoint_allowed: bool = False


@command
def play(
    scenarios: Annotated[
        str, typer.Argument(metavar="SCENARIOS", help="`library`, a file, or a folder of files or packets.")
    ],
    examinee: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME...]",
            help="baseline, null, oracle, repeat-everything, opening-only, person, scripted:FILE or "
            "model:NAME, this also with +best-of:N, +panel:N or +self-consistency:N; several play the same "
            "worlds.",
        ),
    ] = "baseline",
    patient: Annotated[str, typer.Option(help="baseline or model:NAME.")] = "baseline",
    controller: Annotated[str, typer.Option(help="baseline or model:NAME.")] = "baseline",
    persona: Annotated[str, typer.Option(help="plain, anxious, stoic, talkative, skeptical.")] = "plain",
    arm: Annotated[
        Literal["interactive", "static"],
        typer.Option(help="static: the whole case at once, and one move."),
    ] = "interactive",
    turns: Annotated[
        int | None,
        typer.Option(min=1, max=100, help="Turns at most.  [default: the scenario's]", show_default=False),
    ] = None,
    judge: JudgeName = KEYED,
    judge_repeats: Annotated[int, typer.Option(min=1, max=50, help="How often a model judges each.")] = 1,
    batch: Annotated[int, typer.Option(min=1, max=200, help="Items a model is asked about at once.")] = 25,
    same_endpoint: Annotated[
        bool, typer.Option("--same-endpoint", help="Allow a model to judge a run it played in.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
    repeats: Annotated[int, typer.Option(min=1, max=1_000_000, help="How often each is played.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N scenarios.")] = None,
    only: Annotated[str | None, typer.Option(metavar="ID", help="Only this scenario: case/scenario.")] = None,
    rubrics: Annotated[
        str | None, typer.Option(help="A folder of frozen rubrics, where packets have none beside them.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=4096, help="Scenarios open at once.")] = AT_ONCE,
    config: ConfigFile = None,
    cache: CacheUse = "off",
    max_tokens: MaxTokens = None,
    max_money: MaxMoney = None,
    store: StoreUrl = None,
    format: Annotated[str, typer.Option("--format", help="auto, osler or medsp1000.")] = "auto",
    as_json: AsJson = False,
) -> None:
    """Play scenarios, judge every episode by its frozen rubric, and report with intervals."""
    names = list(dict.fromkeys(name.strip() for name in examinee.split(",") if name.strip()))
    if not names:
        raise BadInput("names nobody", where="--examinee", mend="name baseline, for instance")
    if len(names) > 1 and PERSON in names:
        raise BadInput("a person plays alone", where="--examinee", mend="name person by itself")
    wanted = ScenarioConfig(
        cases=scenarios,
        format=format,
        rubrics=rubrics,
        patient=patient,
        controller=controller,
        persona=persona,
        seed=seed,
        repeats=repeats,
        limit=limit,
        only=_scenario_id(only),
        settings=ScenarioSettings(max_turns=turns, arm=arm),
    )
    if judge != KEYED:
        endpoint_of(judge)
    modelling = Modelling(config, cache, max_tokens, max_money)
    judging = Judging(judge, judge_repeats, batch, same_endpoint)
    say("Simulated patients: for education and research only. Not medical advice.")
    seats = [take_scenario_seats(wanted.model_copy(update={"examinee": one}), modelling) for one in names]
    with open_store(store) as opened:
        source = runs.opened(wanted)
        begun = [runs.begin(seated.config, opened, seated.more, source) for seated in seats]
        summaries = [
            _sat(run, opened, seated, modelling, judging, concurrency, given=store, source=source)
            for run, seated in zip(begun, seats, strict=True)
        ]
        if len(begun) == 1:
            _tell(begun[0], opened, summaries[0], modelling, store, as_json)
        else:
            _tell_all(begun, opened, summaries, modelling, as_json)


def sit_scenarios(
    run: RunInfo,
    store: Store,
    seated: ScenarioSeated,
    modelling: Modelling,
    concurrency: int,
    as_json: bool,
    *,
    given: str | None = None,
    source: Any = None,
) -> None:
    """Play what is left of a run of scenarios, and print its summary or how to go on."""
    summary = _sat(run, store, seated, modelling, Judging(), concurrency, given=given, source=source)
    _tell(run, store, summary, modelling, given, as_json)


def _sat(
    run: RunInfo,
    store: Store,
    seated: ScenarioSeated,
    modelling: Modelling,
    judging: Judging,
    concurrency: int,
    *,
    given: str | None,
    source: Any,
) -> ScenarioSummary:
    with_person = seated.config.examinee == PERSON
    if judging.name != KEYED and (
        warning := independent(judging.name, run, judging.same_endpoint_allowed, modelling.config)
    ):
        say(warning)
    say(f"run {run.name} ({seated.config.examinee}), kept in {store.label}")
    with shown(moving=not with_person, what="scenarios") as on_progress:
        sitting = runs.play(
            run,
            store,
            concurrency=1 if with_person else concurrency,
            more=seated.more,
            on_progress=on_progress,
            around=seated.around,
            source=source,
        )
    leave_unfinished(sitting, store_flag(store, given), modelling)
    if judging.name == KEYED:
        return summarize_scenarios(sitting.run, store, sitting.seconds)

    async def judged() -> RubricJudge:
        asking = opened_judge(judging.name, modelling.config, judging.repeats, judging.batch)
        async with asking as asked:
            await judge_run(run, store, asked)
            return asked

    return summarize_scenarios(sitting.run, store, sitting.seconds, asyncio.run(judged()))


def _tell(
    run: RunInfo,
    store: Store,
    summary: ScenarioSummary,
    modelling: Modelling,
    given: str | None,
    as_json: bool,
) -> None:
    """One examinee's figures; for a person the report on what they did, and where to try again."""
    used, tables = usage_of(run, store, modelling)
    value = {**summary.as_json(), **used}
    if summary.examinee != PERSON or summary.episodes != 1:
        result(as_json, value, scenario_table(summary), *tables)
        say(f"A transcript: osler show {run.name}:0{store_flag(store, given)}")
        return
    episode = played_once(run, store)
    point = first_missed(episode.scenario, episode.trace, episode.judgement)
    shown_: list[RenderableType] = [scenario_report(episode.scenario, episode.trace, episode.judgement)]
    value["episode"] = f"{run.name}:{episode.ordinal}"
    value["items"] = final_evaluation(episode.judgement, "")
    if point:
        again = f"osler branch {run.name}:{episode.ordinal} --at {point.keep}{store_flag(store, given)}"
        value["branch"] = {"item": point.item.text, "keep": point.keep, "command": again}
        shown_.append(Text(f'Try again where "{point.item.text}" was due:\n  {again}'))
    result(as_json, value, *shown_, *tables)


def _tell_all(
    begun: Sequence[RunInfo],
    store: Store,
    summaries: Sequence[ScenarioSummary],
    modelling: Modelling,
    as_json: bool,
) -> None:
    """Several examinees side by side."""
    used = [usage_of(run, store, modelling) for run in begun]
    examinees = {
        summary.examinee: {**summary.as_json(), **usage}
        for summary, (usage, _) in zip(summaries, used, strict=True)
    }
    tables = [table for _, found in used for table in found]
    result(as_json, {"examinees": examinees}, side_by_side(summaries), *tables)


def _scenario_id(only: str | None) -> str | None:
    """A scenario's whole id; a case's id alone means its first scenario."""
    return only if only is None or "/" in only else f"{only}/scenario1"
