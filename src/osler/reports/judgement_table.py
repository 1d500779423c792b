"""A terminal table of one judgement: its grader and its scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic_core import from_json
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from osler.judging.contests import GRADER as CONTESTS
from osler.judging.contests import contest_lines, contests_in
from osler.judging.grader_notes import note_line
from osler.reports.cells import number
from osler.store.records import Judgement
from osler.text.hostile import safe


def judgement_table(judgement: Judgement | None, others: Sequence[Judgement] = ()) -> list[RenderableType]:
    """Return the scores of a judgement, read without knowledge of its grader, and the other graders."""
    if judgement is None:
        by = Text("\nnot judged by this grader", "bold")
        return [by, *_others(others)]
    table = Table.grid(padding=(0, 2))
    body = from_json(judgement.body)
    scores = body.get("scores")
    for name, score in scores.items() if isinstance(scores, dict) else ():
        result = score if isinstance(score, dict) else {"value": score}
        value, reason = result.get("value"), str(result.get("reason", ""))
        shown = number(float(value), False) if isinstance(value, int | float) else "-"
        table.add_row(Text(safe(name.replace("_", " "))), Text(shown), Text(safe(reason), "dim"))
    most = body.get("at_most") or {}
    for name, value in most.items():
        least = (scores.get(name) or {}).get("value") if isinstance(scores, dict) else None
        if isinstance(value, int | float) and value != least:
            row = f"{name.replace('_', ' ')} at most"
            why = "if what the rules left open was done"
            table.add_row(Text(safe(row)), Text(number(float(value), False)), Text(why, "dim"))
    heading = Text(f"\njudged by {safe(judgement.grader)}, version {safe(judgement.version)}", "bold")
    note = Text(safe(note_line([judgement.grader])), "dim")
    return [heading, table, note, *_contested((judgement, *others)), *_others(others)]


def _contested(judgements: Sequence[Judgement]) -> Iterator[RenderableType]:
    """Yield what the learner contested and a teacher answered, beside the verdicts."""
    for one in contests_in(each.body for each in judgements):
        yield Text(safe("\n  ".join((f"contested: {one.text}", *contest_lines(one)))))


def _others(others: Sequence[Judgement]) -> list[RenderableType]:
    return [
        Text(f"also judged by {safe(one.grader)}: --grader {safe(f'{one.grader}@{one.version}')}", "dim")
        for one in others
        if one.grader != CONTESTS
    ]
