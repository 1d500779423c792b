"""`osler patient`: put lines to the built-in patient, and classify questions the way it does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar

import typer
from rich.text import Text

from osler.cases.personas import persona
from osler.cli.case_files import CaseName, Format, find_case
from osler.cli.options import AsJson, ImageFiles, takes_images
from osler.cli.output import command, plain, result
from osler.errors import BadInput
from osler.protocols.shared.players.patient import replayed
from osler.protocols.shared.views import patient_view
from osler.text.note_sections import SectionAsked, sections_in_order

app = typer.Typer(
    help="Put lines to the built-in patient, and classify questions as it does.", no_args_is_help=True
)

MOST_BYTES: Final = 64_000_000
_SHOWN: Final = 5
T = TypeVar("T")
_ASK_HINT: Final = 'each line is an object such as {"before": ["Hello."], "say": "Do you smoke?"}'
_HINT: Final = 'each line is an object such as {"dialogue": "7", "question": "Do you smoke?"}'


@app.callback()
def patient() -> None:
    """Put lines to the built-in patient, and classify questions as it does."""


class Asked(NamedTuple):
    """A doctor's line to put to the patient, after the earlier ones."""

    before: tuple[str, ...]
    say: str


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
    for asked in read_lines(file):
        kind, reply = replayed(view, asked.before, asked.say)
        told = list(reply.revealed_facts)
        answers.append({"reply": reply.answer, "revealed_facts": told, "kind": kind})
        ids = f" {', '.join(told)}" if told else ""
        shown.append(f"> {asked.say}\n{reply.answer}  [{kind}{ids}]")
    result(as_json, {"answers": answers}, plain("\n".join(shown)))


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


def read_lines(file: Path) -> list[Asked]:
    """The lines to put to a patient, skipping blank ones. Raises `BadInput` like `read_asked`."""
    return _read(file, _line_asked, _ASK_HINT)


def read_asked(file: Path) -> list[SectionAsked]:
    """The questions of a file, skipping blank lines.

    Raises `BadInput` with the numbers of the first invalid lines.
    """
    return _read(file, _asked, _HINT)


def _read(file: Path, parse: Callable[[bytes], T | str], hint: str) -> list[T]:
    if file.stat().st_size > MOST_BYTES:
        raise BadInput(f"is larger than {MOST_BYTES // 1_000_000} MB", where=str(file), hint="split it")
    found: list[T] = []
    wrong: list[str] = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        read = parse(line)
        if isinstance(read, str):
            wrong.append(f"line {number}: {read}")
        else:
            found.append(read)
    if wrong:
        more = f"; and {len(wrong) - _SHOWN} more lines" if len(wrong) > _SHOWN else ""
        raise BadInput("; ".join(wrong[:_SHOWN]) + more, where=str(file), hint=hint)
    return found


def _object(line: bytes) -> dict[str, Any] | str:
    """The JSON object on a line, or what is wrong with it."""
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "is not UTF-8 text"
    except (ValueError, RecursionError):
        return "is not JSON"
    return record if isinstance(record, dict) else "is not an object"


def _line_asked(line: bytes) -> Asked | str:
    record = _object(line)
    if isinstance(record, str):
        return record
    before, say = record.get("before", []), record.get("say")
    if not isinstance(say, str) or not say.strip():
        return "`say` is not text" if "say" in record else "has no `say`"
    if not isinstance(before, list) or not all(isinstance(one, str) and one.strip() for one in before):
        return "`before` is not a list of texts"
    return Asked(tuple(before), say)


def _asked(line: bytes) -> SectionAsked | str:
    """The question on a line, or what is wrong with it."""
    record = _object(line)
    if isinstance(record, str):
        return record
    dialogue, question = record.get("dialogue"), record.get("question")
    if not isinstance(question, str) or not question.strip():
        return "`question` is not text" if "question" in record else "has no `question`"
    if isinstance(dialogue, bool) or not isinstance(dialogue, str | int | float):
        return "`dialogue` is neither a name nor a number" if "dialogue" in record else "has no `dialogue`"
    return SectionAsked(str(dialogue), question)
