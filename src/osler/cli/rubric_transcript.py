"""`osler rubric judge FILE`: judge a published transcript against one frozen rubric; nothing is stored."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.text import Text

from osler.cases.rubrics.model import Rubric
from osler.cli.output import result, say
from osler.cli.rubric_asking import opened
from osler.errors import BadInput
from osler.judging.lines import Line
from osler.judging.rubric.judgement import RubricJudgement
from osler.judging.rubric.published import FILE, final_evaluation, lines_of_transcript
from osler.judging.rubric.scores import NAMES
from osler.reports.tables import number
from osler.text.safe_text import safe

MAX_BYTES = 20_000_000


def judge_transcript(
    file: Path,
    rubrics: list[Rubric],
    judge: str,
    *,
    repeats: int,
    batch: int,
    out: Path | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """Judge one `transcript.json` and print every item's verdict with its quotes."""
    if len(rubrics) != 1:
        raise BadInput(f"there are {len(rubrics)} rubrics", where="--rubric", mend="name one file")
    lines = read_transcript(file)

    async def run() -> RubricJudgement:
        async with opened(judge, config, repeats, batch) as asking:
            return await asking.judge(rubrics[0], lines)

    made = asyncio.run(run())
    if out is not None and (value := final_evaluation(made, datetime.now(UTC).isoformat(timespec="seconds"))):
        out.mkdir(parents=True, exist_ok=True)
        text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
        (out / FILE).write_text(text, encoding="utf-8")
    say(f"{made.grader}, version {made.version}; for education and research only")
    result(as_json, json.loads(made.stored.body), Text(safe("\n".join(_told(made)))))


def read_transcript(file: Path) -> tuple[Line, ...]:
    """The lines of a published transcript. Raises BadInput."""
    try:
        if file.stat().st_size > MAX_BYTES:
            raise BadInput(f"is larger than {MAX_BYTES // 1_000_000} MB", where=str(file))
        entries: Any = json.loads(file.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        raise BadInput("is not a JSON file in UTF-8", where=str(file)) from None
    try:
        return lines_of_transcript(entries)
    except BadInput as error:
        raise BadInput(error.what, where=str(file), mend=error.mend) from None


def _told(made: RubricJudgement) -> list[str]:
    lines = []
    for item, verdict in zip(made.rubric.items, made.verdicts, strict=True):
        holds = {True: "yes", False: "no", None: f"no verdict ({verdict.reason})"}[verdict.holds]
        lines.append(f"{item.competency} {holds}: {' '.join(item.text.split())[:160]}")
        lines += [f"    turn {quote.turn}: {quote.text}" for quote in verdict.quotes]
    for name in NAMES:
        score = getattr(made.scores, name)
        lines.append(f"{name}: {score.reason if score.value is None else number(score.value, False)}")
    return lines
