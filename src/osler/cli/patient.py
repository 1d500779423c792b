"""`osler patient`: classify questions the way the built-in patient does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.text import Text

from osler.cli.options import AsJson
from osler.cli.output import command, result
from osler.errors import BadInput
from osler.text.note_sections import SectionAsked, sections_in_order

app = typer.Typer(help="Classify questions the way the built-in patient does.", no_args_is_help=True)

MOST_BYTES: Final = 64_000_000
_SHOWN: Final = 5
_HINT: Final = 'each line is an object such as {"dialogue": "7", "question": "Do you smoke?"}'


@app.callback()
def patient() -> None:
    """Classify questions the way the built-in patient does."""


@app.command("topics")
@command
def topics(
    file: Annotated[Path, typer.Argument(help="JSON lines with `dialogue` and `question`, in order.")],
    as_json: AsJson = False,
) -> None:
    """Assign each question to a section of a clinical note, given the earlier ones of its dialogue.

    Prints one JSON object, with or without --json: `topics` has one entry per line, a section (GENHX,
    MEDICATIONS, FAM/SOCHX ...), OTHER for a greeting, OFF_TOPIC for questions that no patient is asked or can
    answer, or null if the question is not understood.
    """
    found: dict[str, object] = {"topics": sections_in_order(read_asked(file))}
    result(as_json, found, Text(json.dumps(found)))


def read_asked(file: Path) -> list[SectionAsked]:
    """The questions of a file, skipping blank lines.

    Raises `BadInput` with the numbers of the first invalid lines.
    """
    if file.stat().st_size > MOST_BYTES:
        raise BadInput(f"is larger than {MOST_BYTES // 1_000_000} MB", where=str(file), hint="split it")
    found: list[SectionAsked] = []
    wrong: list[str] = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        read = _asked(line)
        if isinstance(read, SectionAsked):
            found.append(read)
        else:
            wrong.append(f"line {number}: {read}")
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more lines" if len(wrong) > _SHOWN else ""
        raise BadInput("; ".join(wrong[:_SHOWN]) + more, where=str(file), hint=_HINT)
    return found


def _asked(line: bytes) -> SectionAsked | str:
    """The question on a line, or what is wrong with it."""
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "is not UTF-8 text"
    except (ValueError, RecursionError):
        return "is not JSON"
    if not isinstance(record, dict):
        return "is not an object"
    dialogue, question = record.get("dialogue"), record.get("question")
    if not isinstance(question, str) or not question.strip():
        return "`question` is not text" if "question" in record else "has no `question`"
    if isinstance(dialogue, bool) or not isinstance(dialogue, str | int | float):
        return "`dialogue` is neither a name nor a number" if "dialogue" in record else "has no `dialogue`"
    return SectionAsked(str(dialogue), question)
