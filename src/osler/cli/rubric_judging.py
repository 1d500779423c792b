"""`osler rubric judge`: judge a stored run, or one transcript, against frozen rubrics."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.table import Table

from osler.cases.rubrics.model import Rubric
from osler.cli.judging import LEXICAL, estimate_judging, said_used
from osler.cli.output import plain, result, say
from osler.core.judge import ModelJudge
from osler.errors import BadInput
from osler.files import write_whole
from osler.judging.opening import JudgeModel
from osler.judging.rubric.figures import Figure, Figures, figures, figures_by_competency, figures_json
from osler.judging.rubric.judgement import RubricJudge, RubricJudgement, mean_agreement
from osler.judging.rubric.lexical import LexicalJudge
from osler.judging.rubric.published import FILE, final_evaluation
from osler.judging.rubric.scores import NAMES
from osler.judging.rubric.transcripts import read_transcript
from osler.reports.cells import number
from osler.runs.dry_run import Forecast
from osler.runs.judging import (
    JudgeOptions,
    check_independence,
    judge_model,
    judged_by,
    judging_forecast,
    used_before,
    used_by_judge,
)
from osler.runs.run import config_of
from osler.runs.seating import ModelOptions
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.studies.rubric_judging import (
    RubricOf,
    StoredJudgement,
    judge_by_rubric,
    judged_by_rubric,
    of_episodes,
    rubric_of_each,
)
from osler.text.languages import ENGLISH, NOT_ENGLISH
from osler.text.transcripts import roles_given

_BY_COMPETENCY = ("completion_micro", "net")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def judge_options(
    judge: str,
    repeats: int,
    batch: int,
    same_endpoint_allowed: bool,
    modelling: ModelOptions,
    concurrency: int,
) -> JudgeOptions:
    """The options of a rubric judge. Raises BadInput for one that is not known, and for settings of a judge
    that asks no model."""
    kind, _, endpoint = judge.partition(":")
    if judge != LEXICAL and (kind != "model" or not endpoint):
        hint = f"{LEXICAL} or model:NAME"
        raise BadInput(f"there is no judge {judge!r}", where="--judge", hint=hint)
    return JudgeOptions(judge, repeats, batch, same_endpoint_allowed, modelling, concurrency).set()


def judge_stored(
    run: str,
    rubrics: list[Rubric],
    options: JudgeOptions,
    *,
    any_case: bool,
    out: Path | None,
    dry_run: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Judge the episodes this judge has not judged yet; print completion and net scores with intervals."""
    rubric_of = rubric_of_each(rubrics, any_case)
    with open_store(store, create=False) as opened:
        info = opened.run(run)
        _check_some(info, opened, rubrics, rubric_of)
        if dry_run:
            estimate_judging(info, *_forecast(info, opened, options, rubric_of), as_json)
            return
        warning = check_independence(options, config_of(info)) if options.endpoint else None

        async def judging() -> tuple[int, RubricJudge]:
            async with _opened(options, (info, opened)) as asking:
                atonce = options.concurrency
                return await judge_by_rubric(info, opened, asking, rubric_of, concurrency=atonce), asking

        judged, judge = asyncio.run(judging())
        by, spent = None, None
        if options.endpoint:
            by, spent = judged_by(options), used_by_judge(info, opened, options, judge.grader)
        kept, without = judged_by_rubric(info, opened, judge, rubrics, rubric_of, any_case)
    files, left_out = _write_all(kept, out) if out else (0, 0)
    say(f"{judge.grader} judged {judged} episodes")
    if not options.endpoint:
        say("The built-in judge matches words. It is a baseline; its scores do not measure quality of care.")
    for remark in filter(None, (warning, _no_rubric(without))):
        say(remark)
    if out:
        say(f"{files} files written to {out}, {left_out} episodes without a score skipped")
    whole = figures([one.judged for one in kept])
    parts = figures_by_competency([one.judged for one in kept])
    value: dict[str, Any] = {
        "run": info.name,
        "judge": judge.grader,
        "versions": sorted({one.judged.judgement.version for one in kept}),
        "judged": judged,
        "episodes": len(kept),
        "without_rubric": without,
        "repeats": options.repeats,
        "agreement": mean_agreement(one.judged.judgement for one in kept),
        "warning": warning,
        **figures_json(whole),
        "by_competency": {name: figures_json(held) for name, held in parts.items()},
        "files": files,
    }
    said, tables = said_used(by, spent)
    table = _table(whole, {name: held for name, held in parts.items() if held.items})
    result(as_json, {**value, **said}, table, *tables)


def judge_transcript(
    file: Path,
    rubrics: list[Rubric],
    options: JudgeOptions,
    *,
    roles: Sequence[str],
    out: Path | None,
    as_json: bool,
) -> None:
    """Judge one transcript, whoever wrote it, with `roles` such as "D=doctor"; print every item's verdict and
    its quotes."""
    if len(rubrics) != 1:
        raise BadInput(f"there are {len(rubrics)} rubrics", where="--rubric", hint="name one file")
    transcript = read_transcript(file, roles_given(roles))
    by_english_words = not options.endpoint and transcript.language not in ("", ENGLISH)

    async def run() -> RubricJudgement:
        async with _opened(options) as asking:
            return await asking.judge(rubrics[0], transcript.lines, NOT_ENGLISH if by_english_words else "")

    made = asyncio.run(run())
    if out is not None:
        _write(made, out, _now())
    say(f"{made.grader}, version {made.version}; for education and research only")
    result(as_json, json.loads(made.stored.body), plain("\n".join(_verdicts(made))))


def _verdicts(made: RubricJudgement) -> list[str]:
    lines = []
    for item, verdict in zip(made.rubric.items, made.verdicts, strict=True):
        holds = {True: "yes", False: "no", None: f"no verdict ({verdict.reason})"}[verdict.holds]
        lines.append(f"{item.competency} {holds}: {' '.join(item.text.split())[:160]}")
        lines += [f"    turn {quote.turn}: {quote.text}" for quote in verdict.quotes]
    for name in NAMES:
        score = getattr(made.scores, name)
        lines.append(f"{name}: {score.reason if score.value is None else number(score.value, False)}")
    return lines


@asynccontextmanager
async def _opened(
    options: JudgeOptions, of: tuple[RunInfo, Store] | None = None
) -> AsyncIterator[RubricJudge]:
    """Open the judge for use, and close it afterwards; its budgets include what it used for the run `of`."""
    if not options.endpoint:
        yield LexicalJudge()
        return
    used = used_before(*of, options, f"rubric:model:{options.endpoint}") if of else None
    async with judge_model(options, used) as model:
        yield _by_model(model)


def _by_model(model: JudgeModel) -> RubricJudge:
    from osler.judging.rubric.by_model import ModelRubricJudge  # noqa: PLC0415 - slow to import

    return ModelRubricJudge(model.client, model.endpoint, repeats=model.repeats, batch=model.batch)


def _forecast(run: RunInfo, store: Store, options: JudgeOptions, rubric_of: RubricOf) -> tuple[int, Forecast]:
    if not options.endpoint:
        raise BadInput("the judge lexical asks no model", where="--dry-run", hint="it costs nothing")

    def opens(model: JudgeModel) -> ModelJudge:
        return of_episodes(run, _by_model(model), rubric_of)

    return judging_forecast(run, store, options, opens, lambda row: rubric_of(row.case_id) is not None)


def _check_some(run: RunInfo, store: Store, rubrics: list[Rubric], rubric_of: RubricOf) -> None:
    """Raise BadInput if no episode has ended, or no episode's case has a rubric."""
    cases = {row.case_id for row in store.episodes(run.id)}
    if not cases:
        raise BadInput("the run has no ended episode to judge", where=run.name)
    if not any(rubric_of(case) for case in cases):
        raise BadInput(
            f"no rubric matches a case of this run: {rubrics[0].case_id} against {min(cases)}",
            where=run.name,
            hint="give --any-case to judge every case by one rubric",
        )


def _write_all(kept: list[StoredJudgement], out: Path) -> tuple[int, int]:
    """Write each scored episode's published file to its own folder; return the counts (written, skipped)."""
    folders = (f"{_UNSAFE.sub('_', one.episode.case_id)[:80]}_{one.episode.ordinal}" for one in kept)
    now = _now()
    written = sum(
        _write(one.judged.judgement, out / folder, now) for one, folder in zip(kept, folders, strict=True)
    )
    return written, len(kept) - written


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _write(judgement: RubricJudgement, folder: Path, now: str) -> bool:
    """Write the published file of a judgement; false if it has no score."""
    value = final_evaluation(judgement, now)
    if value is None:
        return False
    write_whole(folder / FILE, json.dumps(value, ensure_ascii=False, indent=2) + "\n")
    return True


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
