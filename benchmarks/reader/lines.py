"""The labelled lines: what doctors said to patients, and the facts of the case that answer it.

Three sources, one record: the cases of the library (`tests/fixtures/patient_lines`, `questions`,
`asked.yaml`), and in `tests/fixtures/reading/learn` recorded interviews, whose words are not ours and stay
outside, and cases imported from other data sets, whose files stay outside.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import yaml

from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.errors import BadInput
from osler.protocols.shared.patient import PatientFact
from osler.protocols.shared.players.fact_answers import known
from osler.protocols.shared.views import patient_view
from osler.reading.questions import ComparedFact

FIXTURES: Final = Path(__file__).parents[2] / "tests/fixtures"
LEARNED: Final = FIXTURES / "reading/learn"
Source = Literal["library", "osce", "imported"]
Split = Literal["learned", "new_writer", "new_case"]
Cases = Mapping[str, tuple[ComparedFact, ...]]
_OUT_OF: Final = 5
_DOCTOR: Final = re.compile(r"\s*D\s?[^\w\s]\s*")


class Line(NamedTuple):
    """What a doctor said to the patient of a case, with the doctor's `before` words, oldest first.

    `answers` are the ids of the facts that answer it: none where the case does not hold the answer, nor where
    it asks for nothing (`asks` is false); then `kinds` are the kinds of answer that fit. `writer` is empty
    for lines of our own.
    """

    source: Source
    case: str
    said: str
    before: tuple[str, ...]
    answers: frozenset[str]
    asks: bool
    writer: str
    kinds: tuple[str, ...] = ()

    @property
    def earlier(self) -> str:
        """What the doctor said just before."""
        return self.before[-1] if self.before else ""

    @property
    def split(self) -> Split:
        """Whether the line is learned from while the reader is measured: one case of five is left out whole,
        and of the library's other cases one writer of five."""
        if fifth(self.case) == 0:
            return "new_case"
        known = self.source != "library" or not self.writer or fifth(self.writer + self.case)
        return "learned" if known else "new_writer"


def fifth(name: str) -> int:
    """The fifth of all names, from 0 to 4, that a name is in."""
    return int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest(), 16) % _OUT_OF


class Labelled(NamedTuple):
    """Lines, and the facts of their cases by the case's id."""

    cases: Cases
    lines: list[Line]


def labelled(osce: Path | None, imported: Path | None, labels: Path = LEARNED) -> Labelled:
    """Every labelled line. `osce` is the folder of the interviews' transcripts, `imported` that of the case
    files; a source without a folder is left out. Raises BadInput."""
    cases = _facts_of("library")
    lines = list(_of_library())
    if imported:
        for folder in sorted(path for path in imported.iterdir() if path.is_dir()):
            cases |= _facts_of(str(folder))
        lines += _of_imported(labels)
    if osce:
        for file in sorted((labels / "osce").glob("*.yaml")):
            interview = yaml.safe_load(file.read_text(encoding="utf-8"))
            cases[interview["transcript"]] = tuple(known(PatientFact(**fact)) for fact in interview["facts"])
            lines += _of_interview(interview, osce)
    there = {name: {fact.id for fact in facts} for name, facts in cases.items()}
    # What only the record holds is no answer of the patient's.
    return Labelled(cases, [line._replace(answers=line.answers & there[line.case]) for line in lines])


def _facts_of(source: str) -> dict[str, tuple[ComparedFact, ...]]:
    """The facts that the patient knows, by the id of their case."""
    views = {
        case.id: patient_view(case, persona=persona("plain"), unknown="standard")
        for case in open_source(source)
    }
    return {name: tuple(known(fact) for fact in view.facts) for name, view in views.items()}


def _line(source: Source, record: Mapping[str, Any], writer: str) -> Line:
    expect = record.get("expect", "fact")
    answers = frozenset(record.get("facts", ())) if expect in ("fact", "declined") else frozenset[str]()
    before = tuple(record.get("before", ()))
    kinds = tuple(record.get("kinds", ())) if expect == "other" else ()
    return Line(source, record["case"], record["say"], before, answers, expect != "other", writer, kinds)


def _of_library() -> Iterator[Line]:
    """The lines of the library: a wave's writers are known by their letter; earlier questions are our own."""
    for file in sorted((FIXTURES / "patient_lines").glob("*.jsonl")):
        spoken: dict[str, list[str]] = {}
        for record in _records(file):
            if history := record.get("history"):
                record["before"] = list(spoken.setdefault(history, []))
                spoken[history].append(record["say"])
            yield _line("library", record, file.name[0])
    for file in sorted((FIXTURES / "questions").glob("*.yaml")):
        for item in yaml.safe_load(file.read_text(encoding="utf-8")):
            yield _line("library", {"case": file.stem, "say": item["question"], "facts": [item["fact"]]}, "")
    for case, items in yaml.safe_load((FIXTURES / "asked.yaml").read_text(encoding="utf-8")).items():
        for item in items:
            expect = "fact" if item.get("held", True) else "not_held"
            yield _line("library", {**item, "case": case, "say": item["ask"], "expect": expect}, "")


def _of_imported(folder: Path) -> Iterator[Line]:
    for file in sorted(folder.glob("imported*.jsonl")):
        for record in _records(file):
            yield _line("imported", record, file.stem)


def _of_interview(interview: Mapping[str, Any], words: Path) -> Iterator[Line]:
    """The doctor's lines of an interview, each with the two before it; of a line that is no doctor's,
    none."""
    name = interview["transcript"]
    spoken = (words / f"{name}.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    before: list[str] = []
    for number, expect, *more in interview["lines"]:
        mark = _DOCTOR.match(spoken[number - 1])
        if mark is None:
            raise BadInput(f"line {number} is not the doctor's", where=f"{name}.txt")
        said = spoken[number - 1][mark.end() :].strip()
        of = {"kinds" if expect == "other" else "facts": str(more[0]).split()} if more else {}
        record = {"case": name, "say": said, "expect": expect, "before": before[-2:], **of}
        yield _line("osce", record, name)
        before.append(said)


def _records(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
