"""The labelled lines that the figures of understanding are measured on: one schema for every set."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, NotRequired

import yaml
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.cli.json_lines import read_lines
from osler.errors import BadInput

HERE: Final = Path(__file__).parents[3] / "tests/fixtures/reading"
"""The sets of a source checkout; an installed Osler has none."""


class LabelledLine(TypedDict):
    """A labelled line. `say` is the doctor's words, or `line` their number in a transcript that is not here.

    To a patient: `expect` is `fact` (right answers in `facts`), `not_held`, `declined` or `other` (fitting
    `kinds` of answer). An order: `findings` are those ordered, `unheld` real tests that the case does not
    hold, `order` false where nothing is ordered. An answer to `question`: `tells` are the facts that its
    words tell.
    """

    case: str
    say: NotRequired[str]
    line: NotRequired[int]
    data: NotRequired[str]
    english: NotRequired[str]
    before: NotRequired[list[str]]
    history: NotRequired[str]
    expect: NotRequired[str]
    facts: NotRequired[list[str]]
    kinds: NotRequired[list[str]]
    danger: NotRequired[bool]
    findings: NotRequired[list[str]]
    unheld: NotRequired[list[str]]
    optional: NotRequired[list[str]]
    order: NotRequired[bool]
    question: NotRequired[str]
    answer: NotRequired[str]
    tells: NotRequired[list[str]]
    partly: NotRequired[list[str]]
    denies: NotRequired[list[str]]
    invents: NotRequired[bool]


_LINES: Final = TypeAdapter(LabelledLine)


class Spoken(NamedTuple):
    """A line put to the patient of a case, after the doctor's earlier words."""

    case: Case
    before: tuple[str, ...]
    say: str
    label: LabelledLine


def lines(file: Path) -> list[LabelledLine]:
    """The lines of a file. Raises BadInput with the numbers of the first that are not of the schema."""
    return read_lines(file, _LINES.validate_python, "see tests/fixtures/reading")


def spoken(labelled: Sequence[LabelledLine], cases: Mapping[str, Case]) -> Iterator[Spoken]:
    """Lines with their cases, and what was said before them; a line whose case is not here is left out."""
    earlier: dict[str, list[str]] = {}
    for line in labelled:
        case = cases.get(line["case"])
        if case is None:
            continue
        history = line.get("history")
        before = tuple(earlier.setdefault(history, [])) if history else tuple(line.get("before", ()))
        yield Spoken(case, before, line["say"], line)
        if history:
            earlier[history].append(line["say"])


def library() -> dict[str, Case]:
    """The cases of the library, by id."""
    return {case.id: case for case in open_source("library")}


def imported(folder: Path) -> dict[str, Case]:
    """The cases of the imported files in a folder and those below it, by id."""
    files = sorted({file.parent for file in folder.rglob("*.yaml")})
    return {case.id: case for each in files for case in open_source(str(each))}


# Interviews, whose words are not ours


_SPEAKS: Final = re.compile(r"^\s*D\s*[:;\"]\s*(.*)$")


def interviews(labels: Path, words: Path) -> Iterator[Spoken]:
    """The doctors' lines of recorded interviews: labels by line number, words from the transcripts' folder.

    Each line is heard after the doctor's earlier ones. Raises BadInput if a transcript is missing.
    """
    for file in sorted(labels.glob("*.yaml")):
        record = yaml.safe_load(file.read_text(encoding="utf-8"))
        path = words / f"{record['transcript']}.txt"
        if not path.exists():
            raise BadInput("the transcript is not there", where=str(path), hint="see tests/fixtures/reading")
        text = path.read_text(encoding="utf-8", errors="replace").splitlines()
        case = implied_case(record)
        before: list[str] = []
        for number, expect, *more in record["lines"]:
            match = _SPEAKS.match(text[number - 1])
            if match is None or not match[1].strip():
                continue
            names = str(more[0]).split() if more else []
            label: LabelledLine = {"case": case.id, "line": number, "expect": expect}
            label["kinds" if expect == "other" else "facts"] = names
            yield Spoken(case, tuple(before[-8:]), match[1].strip(), label)
            before.append(match[1].strip())


def implied_case(record: Mapping[str, Any]) -> Case:
    """The case that a labelled transcript implies."""
    value: dict[str, Any] = {
        "schema_version": 1,
        "id": record["transcript"].lower(),
        "title": record["complaint"],
        "provenance": {"origin": "osce", "record": record["transcript"]},
        "task": {"kind": "diagnosis", "question": "What is it?", "answer": "Not stated"},
        "speaker": record["speaker"],
        "setting": "Clinic",
        "opening": {"door_note": record["complaint"], "words": record["opening"]},
        "facts": record["facts"],
        "findings": [],
    }
    value |= {name: record[name] for name in ("age_years",) if name in record}
    if record.get("sex") in ("female", "male"):
        value["sex"] = record["sex"]
    return Case.model_validate(value)


# As a recognizer or a hasty typist would give it

_NUMBERS: Final = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve".split(),
        map(str, range(13)),
        strict=True,
    )
)
_MARKS: Final = re.compile(r"[^\w\s'’]")
_FILLERS: Final = ("um", "uh", "so", "okay", "er")


def hasty(line: str) -> str:
    """A line as it is recognized or typed in haste: no capitals or punctuation, digits for number words, a
    filler and a repeated word; always the same for the same line."""
    dice = random.Random(line)  # noqa: S311 - the same each time
    plain = [_NUMBERS.get(word, word) for word in _MARKS.sub(" ", line.lower()).split()]
    if len(plain) > 3:
        at = dice.randrange(len(plain))
        plain.insert(at, plain[at])
    if plain:
        plain.insert(dice.randrange(len(plain)), dice.choice(_FILLERS))
    return " ".join(plain)
