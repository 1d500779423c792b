"""`osler judge run RUN --judge model:NAME`: a language model judges a stored run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from rich.table import Table

from osler.cli.output import result, say
from osler.judging.model.independence import check_independent
from osler.judging.model.manager import ManagerJudge
from osler.models.config import find_config, load_config
from osler.models.opening import Models
from osler.reports.tables import number
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.model_judging import judge_by_model, summarize_by_model

SEATS = ("doctor", "patient", "examination", "consultant", "describer")


def judge_stored(
    run: RunInfo,
    store: Store,
    endpoint: str,
    *,
    repeats: int,
    same_endpoint_allowed: bool,
    config: Path | None,
    as_json: bool,
) -> None:
    """Judge what this judge has not judged yet, and print its scores with intervals."""
    found = load_config(find_config(config))
    players = [run.manifest["configuration"][seat] for seat in SEATS]
    names = {name: one.model for name, one in found.endpoints.items()}
    warning = check_independent(endpoint, players, same_endpoint_allowed, names)

    async def judging() -> tuple[int, ManagerJudge]:
        async with Models(found) as models:
            judge = ManagerJudge(models.client(endpoint), found.endpoint(endpoint), repeats=repeats)
            return await judge_by_model(run, store, judge), judge

    judged, judge = asyncio.run(judging())
    scores = summarize_by_model(run, store, judge)
    say(f"{judge.grader} judged {judged} episodes")
    if warning:
        say(warning)
    table = Table("score", "mean", "95 % interval", "scored", "unscored")
    for name, score in scores.items():
        reach = f"{number(score.low, True)} to {number(score.high, True)}"
        table.add_row(name, number(score.value, True), reach, str(score.n), str(score.unscored))
    value: dict[str, Any] = {
        "run": run.name,
        "judge": judge.grader,
        "version": judge.version,
        "judged": judged,
        "repeats": repeats,
        "warning": warning,
        "scores": {name: score._asdict() for name, score in scores.items()},
    }
    result(as_json, value, table)
