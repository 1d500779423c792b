"""Importer of MediQ's interactive vignettes.

The sentences of `context` are the source; `facts`, which restate them, are withheld. The question and its
options are the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from osler.cases.importers.json_paths import leaves_of, words_of
from osler.cases.importers.reading import each_record
from osler.cases.importers.report import Rejected
from osler.cases.importers.vignette.case import cases
from osler.cases.importers.vignette.clauses import cut
from osler.cases.importers.vignette.pieces import MAX_CHARACTERS, Vignette, prose_of
from osler.cases.importers.vignette.question import asked_of, asks_for_diagnosis, options_of
from osler.cases.importers.vignette.roles import asks
from osler.cases.model import Case
from osler.errors import BadCase

NAME: Final = "mediq"
LOOKS_LIKE: Final = re.compile(rb'"(?:answer_idx|context_len|atomic_facts)"')


def read(path: Path, prefix: str) -> Iterator[Case | Rejected]:
    """Read each record of a file as a case, or reject it with a reason."""
    return cases(vignettes(path), path.name, prefix)


def vignettes(path: Path) -> Iterator[Vignette | Rejected]:
    """Read each record of a file as a vignette, not yet split."""
    return each_record(path, lambda record: vignette_of(record.value, record.number))


def vignette_of(record: Mapping[str, object], number: int) -> Vignette:
    """Read one record as a vignette. Raises BadCase with the reason it cannot be one."""
    prose = prose_of(record.get("context"), "context")
    if not prose:
        raise BadCase("it has no context")
    question = words_of(record.get("question")).strip('" ')
    if not question:
        raise BadCase("it has no question")
    label, words = words_of(record.get("answer_idx")), words_of(record.get("answer"))
    asked = asked_of(
        question, options_of(record.get("options")), label, words, for_diagnosis=asks_for_diagnosis(question)
    )
    if any(not asks(unit.text) for unit in cut(question[:MAX_CHARACTERS])):
        # The results come just before the question itself.
        prose += prose_of(record.get("question"), "question")
        asked = asked._replace(question="")
    return Vignette(
        record=number,
        prose=prose,
        leaves=tuple(leaves_of(record)),
        asked=asked,
        about=_about(record.get("patient")),
        specialty=_specialty(record.get("patient")),
    )


def _about(patient: object) -> str:
    if not isinstance(patient, Mapping):
        return ""
    return f"Age: {words_of(patient.get('age'))}; Gender: {words_of(patient.get('gender'))}"


def _specialty(patient: object) -> str | None:
    if not isinstance(patient, Mapping):
        return None
    first = next(leaves_of(patient.get("specialties")), None)
    return (words_of(first.value) or None) if first else None
