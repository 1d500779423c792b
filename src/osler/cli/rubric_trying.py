"""`osler rubric try`: what single lines of an examinee cause and show in a scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Self

import typer
from pydantic import BaseModel, StringConstraints, model_validator
from rich.text import Text

from osler.cli.json_lines import Words, read_lines
from osler.cli.options import AsJson
from osler.cli.output import command, result
from osler.errors import BadInput

if TYPE_CHECKING:
    from osler.cases.scenarios.model import Scenario

_HINT: Final = 'each line is an object such as {"state": "opening", "say": "Hello, I am Dr Lane."}'


class Line(BaseModel, strict=True):
    """A line of an examinee, on entering a state: what is said aloud, or what is done."""

    state: str
    say: Annotated[Words, StringConstraints(max_length=8000)] | None = None
    do: Annotated[Words, StringConstraints(max_length=1000)] | None = None

    @model_validator(mode="after")
    def _says_or_does(self) -> Self:
        if (self.say is None) == (self.do is None):
            raise ValueError("has neither `say` nor `do`" if self.say is None else "has both `say` and `do`")
        return self


@command
def try_(
    scenario: Annotated[
        str, typer.Argument(metavar="SCENARIO", help="A library scenario's id, such as st01, or a file.")
    ],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="JSON lines with `state`, and `say` or `do`, one each.")
    ],
    as_json: AsJson = False,
) -> None:
    """Show what each line causes and shows in a scenario, judged alone, on entering its state.

    `say` is said aloud, `do` is done. Prints one JSON object, with or without --json: `answers` has one entry
    per line, with `met` (the rubric's items by number from 1 that the built-in judge finds), `acts` (the ids
    of the declared actions that are carried out) and `read_back` (what the team asks when an order is half
    understood, or null). For authors: it gives the rubric away.
    """
    # Imported here because the other commands on rubrics need no protocol.
    from osler.protocols.scenario.one_line import one_line  # noqa: PLC0415 - import time

    chosen = _scenario(scenario)
    lines = read_lines(file, Line.model_validate, _HINT)
    answers = [one_line(chosen, line.state, say=line.say or "", do=line.do or "")._asdict() for line in lines]
    found: dict[str, object] = {"answers": answers}
    result(as_json, found, Text(json.dumps(found, ensure_ascii=False)))


def _scenario(name: str) -> Scenario:
    """The scenario of the library with this id, or the only one of a file."""
    from osler.cases.scenarios.sources import open_scenarios  # noqa: PLC0415 - import time

    if not Path(name).exists():
        for each in open_scenarios("library"):
            if name in (each.case_id, each.id):
                return each
    result = list(open_scenarios(name))
    if len(result) != 1:
        raise BadInput(f"holds {len(result)} scenarios", where=name, hint="name one of them by its own file")
    return result[0]
