"""`osler judge run RUN --judge lexical|model:NAME` for a run of scenarios: by each one's own rubric."""

from __future__ import annotations

import asyncio
from pathlib import Path

from osler.cli.output import result, say
from osler.cli.rubric_asking import opened
from osler.cli.rubric_judging import independent
from osler.judging.rubric.judgement import RubricJudge
from osler.reports.scenario import scenario_table
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.scenarios import judge_run, summarize_scenarios

BATCH = 25


def judge_scenarios(
    run: RunInfo,
    store: Store,
    judge: str,
    *,
    repeats: int,
    same_endpoint_allowed: bool,
    config: Path | None,
    as_json: bool,
) -> None:
    """Judge what this judge has not judged yet, and print completion and net scores with intervals."""
    if warning := independent(judge, run, same_endpoint_allowed, config):
        say(warning)

    async def judging() -> tuple[int, RubricJudge]:
        async with opened(judge, config, repeats, BATCH) as asked:
            return await judge_run(run, store, asked), asked

    judged, used = asyncio.run(judging())
    say(f"{used.grader} judged {judged} scenarios")
    summed = summarize_scenarios(run, store, 0.0, used.grader)
    result(as_json, {**summed.as_json(), "judged": judged}, scenario_table(summed))
