"""`osler rubric judge RUN`: judge a stored run against frozen rubrics, and report the scores."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.table import Table

from osler.cases.rubrics.model import Rubric
from osler.cli.output import result, say
from osler.cli.rubric_asking import LEXICAL, endpoint_of
from osler.cli.rubric_asking import opened as opened_judge
from osler.errors import BadInput
from osler.judging.rubric.figures import (
    Figure,
    Figures,
    figures,
    figures_by_competency,
    figures_json,
)
from osler.judging.rubric.judgement import RubricJudge, mean_agreement
from osler.judging.rubric.published import FILE, final_evaluation
from osler.reports.tables import number
from osler.runs.judging import JudgeOptions, check_independence
from osler.runs.run import config_of
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.rubric_judging import (
    Kept,
    RubricOf,
    judge_by_rubric,
    judged_by_rubric,
    rubric_of_each,
)

_BY_COMPETENCY = ("completion_micro", "net")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def judge_stored(
    run: str,
    rubrics: list[Rubric],
    judge: str,
    *,
    repeats: int,
    batch: int,
    any_case: bool,
    out: Path | None,
    same_endpoint_allowed: bool,
    config: Path | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Judge the episodes this judge has not judged yet; print completion and net scores with intervals."""
    rubric_of = rubric_of_each(rubrics, any_case)
    with open_store(store, create=False) as opened:
        found = opened.run(run)
        _check_some(found, opened, rubrics, rubric_of)
        asked = JudgeOptions(judge, repeats, batch, same_endpoint_allowed, config)
        warning = check_independence(asked, config_of(found)) if endpoint_of(judge) else None

        async def judging() -> tuple[int, RubricJudge]:
            async with opened_judge(judge, config, repeats, batch) as asking:
                return await judge_by_rubric(found, opened, asking, rubric_of), asking

        judged, used = asyncio.run(judging())
        kept, without = judged_by_rubric(found, opened, used, rubrics, rubric_of, any_case)
    files, left_out = _write(kept, out) if out else (0, 0)
    say(f"{used.grader} judged {judged} episodes")
    if judge == LEXICAL:
        say("The built-in judge matches words. It is a baseline; its scores do not measure quality of care.")
    for remark in filter(None, (warning, _no_rubric(without))):
        say(remark)
    if out:
        say(f"{files} files written to {out}, {left_out} episodes without a score skipped")
    whole = figures([one.judged for one in kept])
    parts = figures_by_competency([one.judged for one in kept])
    value: dict[str, Any] = {
        "run": found.name,
        "judge": used.grader,
        "versions": sorted({one.judged.judgement.version for one in kept}),
        "judged": judged,
        "episodes": len(kept),
        "without_rubric": without,
        "repeats": repeats,
        "agreement": mean_agreement(one.judged.judgement for one in kept),
        "warning": warning,
        **figures_json(whole),
        "by_competency": {name: figures_json(held) for name, held in parts.items()},
        "files": files,
    }
    result(as_json, value, _table(whole, {name: held for name, held in parts.items() if held.items}))


def _check_some(run: RunInfo, store: Store, rubrics: list[Rubric], rubric_of: RubricOf) -> None:
    """Raise BadInput if no episode has ended, or no episode's case has a rubric."""
    cases = {row.case_id for row in store.episodes(run.id)}
    if not cases:
        raise BadInput("the run has no ended episode to judge", where=run.name)
    if not any(rubric_of(case) for case in cases):
        raise BadInput(
            f"no rubric matches a case of this run: {rubrics[0].case_id} against {min(cases)}",
            where=run.name,
            mend="give --any-case to judge every case by one rubric",
        )


def _write(kept: list[Kept], out: Path) -> tuple[int, int]:
    """Write each scored episode's published file to its own folder; return the counts (written, skipped)."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    written = 0
    for one in kept:
        value = final_evaluation(one.judged.judgement, now)
        if value is None:
            continue
        folder = out / f"{_UNSAFE.sub('_', one.episode.case_id)[:80]}_{one.episode.ordinal}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        written += 1
    return written, len(kept) - written


def _no_rubric(episodes: int) -> str | None:
    return f"{episodes} episodes are not judged because their case has no rubric" if episodes else None


def _table(whole: Figures, parts: dict[Any, Figures]) -> Table:
    table = Table("items of", "score", "value", "95 % interval", "episodes", "unscored", "clusters")
    for name, held in {"all": whole, **parts}.items():
        for label, figure in held._asdict().items():
            shown = name == "all" or label in _BY_COMPETENCY
            if shown and isinstance(figure, Figure) and (figure.n or figure.unscored):
                table.add_row(name, label.replace("_", " "), *_cells(figure))
    return table


def _cells(figure: Figure) -> tuple[str, ...]:
    reach = f"{number(figure.low, True)} to {number(figure.high, True)}"
    value = number(figure.value, True)
    if figure.bounds:
        value, reach = "-", f"bounds {number(figure.bounds[0], True)} to {number(figure.bounds[1], True)}"
    return value, reach, str(figure.n), str(figure.unscored), str(figure.clusters)
