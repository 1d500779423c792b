"""`osler judge run RUN --judge model:NAME` for a run of ward rounds: ETS, MSM and MPS."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from rich.table import Table

from osler.cli.output import result, say
from osler.judging.model.independence import check_independent
from osler.judging.teaching.judge import TeachingJudge
from osler.models.config import find_config, load_config
from osler.models.opening import Models
from osler.reports.tables import number
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.round_judging import mark_by_model, summarize_marks
from osler.studies.runs import config_of


def mark_stored(
    run: RunInfo,
    store: Store,
    endpoint: str,
    *,
    repeats: int,
    same_endpoint_allowed: bool,
    config: Path | None,
    as_json: bool,
) -> None:
    """Mark what this judge has not marked yet, and print its marks with intervals."""
    found = load_config(find_config(config))
    players = list(config_of(run).players().values())
    names = {name: one.model for name, one in found.endpoints.items()}
    warning = check_independent(endpoint, players, same_endpoint_allowed, names)

    async def marking() -> tuple[int, TeachingJudge]:
        async with Models(found) as models:
            judge = TeachingJudge(models.client(endpoint), found.endpoint(endpoint), repeats=repeats)
            return await mark_by_model(run, store, judge), judge

    marked, judge = asyncio.run(marking())
    marks, because = summarize_marks(run, store, judge.grader, judge.version)
    say(f"{judge.grader} marked {marked} ward rounds")
    if because:
        say("unscored: " + ", ".join(f"{count} {reason}" for reason, count in because.items()))
    if warning:
        say(warning)
    table = Table("scale", "mean of 1 to 10", "95 % interval", "scored", "unscored")
    for name, mark in marks.items():
        reach = f"{number(mark.low, False)} to {number(mark.high, False)}"
        table.add_row(name.upper(), number(mark.value, False), reach, str(mark.n), str(mark.unscored))
    value: dict[str, Any] = {
        "run": run.name,
        "judge": judge.grader,
        "version": judge.version,
        "judged": marked,
        "repeats": repeats,
        "warning": warning,
        "unscored_because": because,
        **{name: mark._asdict() for name, mark in marks.items()},
    }
    result(as_json, value, table)
