"""Scenarios played, judged and reported at the command line; several examinees play the same worlds."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.console import RenderableType
from rich.text import Text

from osler.cli.consult import leave_unfinished, store_flag
from osler.cli.output import result, say
from osler.cli.progress import shown
from osler.cli.rubric_asking import LEXICAL, checked
from osler.cli.rubric_asking import opened as opened_judge
from osler.cli.rubric_judging import independent
from osler.cli.seating import Modelling, ScenarioSeated, take_scenario_seats, usage_of
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

KEYED = "keyed"
PERSON = "person"


class Judging(NamedTuple):
    """Who judges: `keyed` is what every run is judged by as it is played."""

    name: str = KEYED
    repeats: int = 1
    batch: int = 25
    same_endpoint_allowed: bool = False


def play_scenarios(
    wanted: ScenarioConfig,
    examinees: str,
    modelling: Modelling,
    judging: Judging,
    concurrency: int,
    as_json: bool,
    *,
    given: str | None,
) -> None:
    """Play a run for each of the `examinees` (names with commas between them), and print what each came to.

    `given` is `--store` as given. Raises BadInput before anything is played.
    """
    names = list(dict.fromkeys(name.strip() for name in examinees.split(",") if name.strip()))
    if not names:
        raise BadInput("names nobody", where="--examinee", mend="name baseline, for instance")
    if len(names) > 1 and PERSON in names:
        raise BadInput("a person plays alone", where="--examinee", mend="name person by itself")
    if judging.name != KEYED:
        checked(judging.name, modelling.config, accepted=(KEYED, LEXICAL))
    say("Simulated patients: for education and research only. Not medical advice.")
    seats = [take_scenario_seats(wanted.model_copy(update={"examinee": one}), modelling) for one in names]
    with open_store(given) as opened:
        source = runs.opened(wanted)
        begun = [runs.begin(seated.config, opened, seated.more, source) for seated in seats]
        _say_left_out(begun[0], wanted.cases)
        summaries = [
            _sat(run, opened, seated, modelling, judging, concurrency, given=given, source=source)
            for run, seated in zip(begun, seats, strict=True)
        ]
        if len(begun) == 1:
            _tell(begun[0], opened, summaries[0], modelling, given, as_json)
        else:
            _tell_all(begun, opened, summaries, modelling, as_json)


def _say_left_out(run: RunInfo, cases: str) -> None:
    read = run.manifest["import"]
    if read and read["rejected"]:
        left = f"of {read['read']} scenarios {read['rejected']} cannot be read and are left out"
        say(f"{left}; osler scenario lint {shlex.quote(cases)} says why")


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
