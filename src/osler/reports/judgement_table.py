"""A terminal table of one judgement: its grader and its scores."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_core import from_json
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

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
        found = score if isinstance(score, dict) else {"value": score}
        value, reason = found.get("value"), str(found.get("reason", ""))
        shown = number(float(value), False) if isinstance(value, int | float) else "-"
        table.add_row(Text(safe(name.replace("_", " "))), Text(shown), Text(safe(reason), "dim"))
    heading = Text(f"\njudged by {safe(judgement.grader)}, version {safe(judgement.version)}", "bold")
    return [heading, table, *_others(others)]


def _others(others: Sequence[Judgement]) -> list[RenderableType]:
    return [
        Text(f"also judged by {safe(one.grader)}: --grader {safe(f'{one.grader}@{one.version}')}", "dim")
        for one in others
    ]
