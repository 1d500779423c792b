"""`osler patient`: lines put to the built-in patient of a case, and the scorecard of any patient."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import BaseModel
from rich.table import Table

from osler.cases.personas import persona
from osler.cli.case_files import CaseName, Format, find_case
from osler.cli.json_lines import Words, read_lines
from osler.cli.options import AsJson, ImageFiles, RunName, StoreUrl, takes_images
from osler.cli.output import add_row, command, plain, result
from osler.protocols.shared.players.patient import replayed
from osler.protocols.shared.views import patient_view
from osler.store.store import open_store

app = typer.Typer(help="Put lines to the built-in patient, and score any patient.", no_args_is_help=True)

_HINT: Final = 'each line is an object such as {"before": ["Hello."], "say": "Do you smoke?"}'


@app.callback()
def patient() -> None:
    """Put lines to the built-in patient, and score any patient."""


class DoctorLine(BaseModel, strict=True):
    """A doctor's line to put to the patient, after the earlier ones."""

    say: Words
    before: list[Words] = []


@app.command("ask")
@command
@takes_images
def ask(
    case: CaseName,
    file: Annotated[Path, typer.Argument(help="JSON lines with `before` (a list of lines) and `say`.")],
    *,
    pictured: ImageFiles,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Put a doctor's lines to the built-in patient of a case, each in a new consultation.

    The earlier lines (`before`) are said first, in order. The persona is plain, the policy for unknowns
    standard. With --json, `answers` has one entry per line: `reply`, `revealed_facts` and `kind`.
    """
    _, found = find_case(case, format, pictured)
    view = patient_view(found, persona=persona("plain"), unknown="standard")
    answers: list[dict[str, Any]] = []
    shown: list[str] = []
    for line in read_lines(file, DoctorLine.model_validate, _HINT):
        kind, reply = replayed(view, line.before, line.say)
        fact_ids = list(reply.revealed_facts)
        answers.append({"reply": reply.answer, "revealed_facts": fact_ids, "kind": kind})
        ids = f" {', '.join(fact_ids)}" if fact_ids else ""
        shown.append(f"> {line.say}\n{reply.answer}  [{kind}{ids}]")
    result(as_json, {"answers": answers}, plain("\n".join(shown)))


@app.command("score")
@command
def score(run: RunName, *, store: StoreUrl = None, as_json: AsJson = False) -> None:
    """Score the patient of a run, model, person or built-in: what its words told, denied and invented.

    In a scenario every person that the seat speaks for is read; in a ward round a group's questions are one.

    Which facts a question asks for, and which an answer tells, is read by the built-in readers, whose errors
    `osler reading figures` measures; compare only with other patients on the same cases. With --json:
    `figures` has `value`, `low` and `high` (95 %, clustered by case) and `n` of each, and `why_unread` counts
    the answers that could not be read, by the reason.
    """
    from osler.studies.scorecards import scorecard  # noqa: PLC0415 - import time

    with open_store(store, create=False) as opened:
        stored = opened.run(run)
        card = scorecard(stored, opened, "patient")
    grid = Table("figure", "value", "95 %", "n")
    for measure in card.measures:
        one = card.figures[measure.name]
        reach = "-" if one.low is None else f"{one.low:.3g} to {one.high:.3g}"
        add_row(grid, measure.means, "-" if one.value is None else f"{one.value:.3g}", reach, str(one.n))
    result(as_json, {"run": stored.name, **card.as_json()}, plain(card.in_words), grid)
