"""Importer of CRAFT-MD's vignettes: rows of a CSV file with a vignette, its choices and the diagnosis.

The choices may repeat the answer or lack it: then the diagnosis is asked for as an open question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from osler.cases.importers.json_paths import Leaf, words_of
from osler.cases.importers.reading import read_rows
from osler.cases.importers.report import Rejected
from osler.cases.importers.vignette.case import cases
from osler.cases.importers.vignette.pieces import Vignette, prose_of
from osler.cases.importers.vignette.question import asked_of, options_of
from osler.cases.model import Case
from osler.errors import BadCase
from osler.text.records.missing import is_missing

NAME: Final = "craftmd"
LOOKS_LIKE: Final = re.compile(rb"\bcase_vignette\b")
QUESTION: Final = "What is the most likely diagnosis?"
VIGNETTE: Final = "case_vignette"
_CHOICE: Final = re.compile(r"choice[_ ]?\d{1,2}")


def read(path: Path, prefix: str) -> Iterator[Case | Rejected]:
    """Read each row of a file as a case, or reject it with a reason; rows count from 1, below the header."""
    return cases(vignettes(path), path.name, prefix)


def vignettes(path: Path) -> Iterator[Vignette | Rejected]:
    """Read each row of a file as a vignette, not yet split. Raises BadInput where a column is missing."""
    for number, row in read_rows(path, (VIGNETTE, "answer"), _name):
        if isinstance(row, str):
            yield Rejected(number, row)
            continue
        try:
            yield vignette_of(row, number)
        except BadCase as error:
            yield Rejected(number, error.what)


def _name(cell: str) -> str:
    return cell.strip().lower().replace(" ", "_")


def vignette_of(row: Mapping[str, str], number: int) -> Vignette:
    """Read one row as a vignette. Raises BadCase with the reason it cannot be one."""
    text, answer = words_of(row.get(VIGNETTE)), words_of(row.get("answer"))
    if not text:
        raise BadCase("it has no case_vignette")
    if is_missing(answer, named=False):
        raise BadCase("it has no answer")
    choices = [row[name] for name in row if _CHOICE.fullmatch(name) and words_of(row[name])]
    options = options_of(choices)
    question = asked_of(QUESTION, options, "", answer, for_diagnosis=True)
    missed = options and not question.options
    return Vignette(
        record=number,
        prose=prose_of(row[VIGNETTE], VIGNETTE),
        leaves=tuple(Leaf(name, value) for name, value in row.items()),
        asked=question,
        specialty=words_of(row.get("category")) or None,
        remarks=("note: the answer is none of the choices; they are not asked",) if missed else (),
    )
