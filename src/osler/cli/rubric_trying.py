"""`osler rubric try`: what single lines of an examinee cause and show in a scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
from rich.text import Text

from osler.cli.options import AsJson
from osler.cli.output import command, result
from osler.errors import BadInput

if TYPE_CHECKING:
    from osler.cases.scenarios.model import Scenario

MOST_BYTES: Final = 64_000_000
MOST_CHARACTERS: Final = {"say": 8000, "do": 1000}
_SHOWN: Final = 5
_HINT: Final = 'each line is an object such as {"state": "opening", "say": "Hello, I am Dr Lane."}'


class _Line(NamedTuple):
    state: str
    say: str = ""
    do: str = ""


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
    lines = read_lines(file)
    answers = [one_line(chosen, line.state, say=line.say, do=line.do)._asdict() for line in lines]
    found: dict[str, object] = {"answers": answers}
    result(as_json, found, Text(json.dumps(found, ensure_ascii=False)))


def read_lines(file: Path) -> list[_Line]:
    """The lines of a file, skipping blank ones. Raises `BadInput` with the numbers of the first invalid
    lines."""
    if file.stat().st_size > MOST_BYTES:
        raise BadInput(f"is larger than {MOST_BYTES // 1_000_000} MB", where=str(file), hint="split it")
    lines: list[_Line] = []
    wrong: list[str] = []
    for number, text in enumerate(file.read_bytes().splitlines(), 1):
        if not text.strip():
            continue
        read = _line(text)
        if isinstance(read, _Line):
            lines.append(read)
        else:
            wrong.append(f"line {number}: {read}")
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more lines" if len(wrong) > _SHOWN else ""
        raise BadInput("; ".join(wrong[:_SHOWN]) + more, where=str(file), hint=_HINT)
    return lines


def _line(text: bytes) -> _Line | str:
    """The line of an examinee, or what is wrong with it."""
    try:
        record: Any = json.loads(text.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "is not UTF-8 text"
    except (ValueError, RecursionError):
        return "is not JSON"
    if not isinstance(record, dict):
        return "is not an object"
    if not isinstance(record.get("state"), str):
        return "`state` is not text" if "state" in record else "has no `state`"
    given = [name for name in MOST_CHARACTERS if record.get(name) is not None]
    if len(given) != 1:
        return "has neither `say` nor `do`" if not given else "has both `say` and `do`"
    words = record[given[0]]
    if not isinstance(words, str) or not words.strip():
        return f"`{given[0]}` is not text"
    if len(words) > MOST_CHARACTERS[given[0]]:
        return f"`{given[0]}` is longer than {MOST_CHARACTERS[given[0]]} characters"
    return _Line(record["state"], **{given[0]: words})


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
