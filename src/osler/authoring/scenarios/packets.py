"""The material of each role. A model writes three; the evaluator's is copied from the source.

For the evaluator a model only points at the lines of the source that hold the assessment, so none of the text
can be its own. The drafts are Markdown files that people may correct; a corrected file is never overwritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter

from osler.authoring.scenarios.asking import Asker, Forgiving, Line, Question, ask, shaped, source_block
from osler.authoring.scenarios.layout import Role, slug
from osler.authoring.scenarios.triage import Scenario
from osler.errors import BadInput
from osler.files import write_whole
from osler.models.types import Output, encodable
from osler.text.hostile import block

MAX_FILES: Final = 20
MAX_CHARS: Final = 100_000
_EVALUATOR: Final = "evaluator"
_NUMBER: Final = re.compile(r"^\d\d-(?=\w)")
Texts = Sequence[tuple[str, str]]


class _File(Forgiving):
    name: Line
    markdown: str


class _Written(Forgiving):
    files: list[_File]


class _Passage(Forgiving):
    name: Line
    file: int
    first_line: int
    last_line: int


class _Pointed(Forgiving):
    passages: list[_Passage]


_WRITTEN: Final = Output.of(TypeAdapter(_Written), "scenario_packet")
_POINTED: Final = Output.of(TypeAdapter(_Pointed), "scenario_evaluation")


class File(NamedTuple):
    """One file of a role: the name we give it, and its text."""

    name: str
    text: str


def question_of(role: Role, scenario: Scenario, texts: Texts) -> Question:
    """The question to a model for a role. The source comes first and is the same for every role."""
    about = scenario.model_dump(exclude={"files"})
    told = (
        source_block(texts),
        block("scenario", json.dumps(about, ensure_ascii=False)),
        f"The role: {role}",
    )
    if role == _EVALUATOR:
        return Question("packets", "evaluation", told, _POINTED)
    return Question("packets", "packet", told, _WRITTEN)


async def written(asker: Asker, role: Role, scenario: Scenario, texts: Texts) -> list[File]:
    """A role's files. The evaluator may have none: a source need not hold an assessment."""
    question = question_of(role, scenario, texts)
    if role == _EVALUATOR:
        passages, _ = await ask(asker, question, lambda parsed: _pointed(parsed, texts))
        return copied(passages, texts)
    files, _ = await ask(asker, question, _files)
    return files


def _files(parsed: object) -> tuple[list[File] | None, tuple[str, ...]]:
    answer, wrong = shaped(_Written, parsed)
    if answer is None:
        return None, wrong
    filled = [file for file in answer.files if file.markdown.strip()]
    if not filled:
        return None, ("files: there must be one that is not empty",)
    if len(filled) > MAX_FILES or any(len(file.markdown) > MAX_CHARS for file in filled):
        return None, (f"files: at most {MAX_FILES}, of at most {MAX_CHARS:,} characters each",)
    return named((file.name, encodable(file.markdown)) for file in filled), ()


def _pointed(parsed: object, texts: Texts) -> tuple[list[_Passage] | None, tuple[str, ...]]:
    answer, wrong = shaped(_Pointed, parsed)
    if answer is None:
        return None, wrong
    for number, passage in enumerate(answer.passages, start=1):
        if not 1 <= passage.file <= len(texts):
            return None, (f"passage {number}: there is no file {passage.file}",)
        lines = len(texts[passage.file - 1][1].splitlines())
        if not 1 <= passage.first_line <= passage.last_line <= lines:
            return None, (f"passage {number}: file {passage.file} has lines 1 to {lines}",)
    return answer.passages, ()


def copied(passages: Sequence[Any], texts: Texts) -> list[File]:
    """The lines that passages point at, verbatim; lines shared by two of them are copied once."""
    pairs: set[tuple[int, int]] = set()
    files = []
    for passage in passages:
        lines = texts[passage.file - 1][1].splitlines()
        span = range(passage.first_line, passage.last_line + 1)
        spans = [lines[n - 1] for n in span if (passage.file, n) not in pairs]
        pairs |= {(passage.file, n) for n in span}
        if any(line.strip() for line in spans):
            files.append((passage.name, "\n".join(spans)))
    return named(files)


def named(files: Any) -> list[File]:
    """Name files by number and a path-safe form of their original name, without a number of ours."""
    return [
        File(f"{number:02}-{slug(_NUMBER.sub('', Path(name).stem))}.md", text.strip("\n") + "\n")
        for number, (name, text) in enumerate(files, start=1)
    ]


def check_unedited(folder: Path, record: Mapping[str, Any] | None) -> None:
    """Raise BadInput where a role's folder holds anything not written by us: a person's work."""
    known = {file["name"]: _hash(file["text"]) for file in record["files"]} if record else {}
    for path in sorted(_held(folder)):
        try:
            same = path.is_file() and known.get(path.name) == _hash(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            same = False
        if not same:
            raise BadInput(
                "was written or corrected by hand, and its source has changed since",
                where=str(path),
                hint="move it away to have it generated again, or give another folder with --out",
            )


def put(folder: Path, files: Sequence[File]) -> None:
    """Write a role's files and remove all others beside them."""
    wanted = {file.name for file in files}
    try:
        for path in _held(folder):
            if path.name not in wanted:
                path.unlink()
    except OSError as error:
        raise BadInput(f"cannot be replaced: {error.strerror or error}", where=str(folder)) from None
    for file in files:
        write_whole(folder / file.name, file.text)


def put_missing(folder: Path, files: Sequence[File]) -> None:
    """Write the missing files of a role; existing ones stay as they are."""
    for file in files:
        if not (folder / file.name).exists():
            write_whole(folder / file.name, file.text)


def _held(folder: Path) -> list[Path]:
    """The contents of a role's folder, ignoring what an operating system leaves there."""
    return [path for path in folder.glob("*") if not path.name.startswith(".")]


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
