"""The record of a study: its results as they were printed, in a file that a server can show.

osler study run tutors-small --out results/tutors.json
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from rich.console import RenderableType

import osler
from osler.core.events import Frozen
from osler.reports.printed import Part, parts_of
from osler.studies.study.running import StudyResult

ENDING: Final = ".json"
"""The ending of the file of a record; of any other name a report is written, as a page."""


class StudyRecord(Frozen):
    """A study as it was printed: `value` as `--json` prints it, `shown` as a terminal does. `runs` are the
    names of its runs by condition, by set of cases."""

    record: Literal["study"] = "study"
    osler: str
    study: str
    title: str
    question: str
    status: str
    why: str = ""
    runs: dict[str, dict[str, str]]
    value: dict[str, Any]
    shown: tuple[Part, ...]


def record_of(
    results: Mapping[str, StudyResult], value: Mapping[str, Any], shown: Sequence[RenderableType]
) -> StudyRecord:
    """The record of a study's results by set of cases, with the JSON and the tables printed of them."""
    last = list(results.values())[-1]
    return StudyRecord(
        osler=osler.__version__,
        study=last.study,
        title=last.title,
        question=last.question,
        status=last.status,
        why=last.why,
        runs={name: dict(one.runs) for name, one in results.items()},
        value=dict(value),
        shown=tuple(parts_of(shown)),
    )


def record_text(record: StudyRecord) -> str:
    """The record as the text of its file."""
    return record.model_dump_json(indent=1) + "\n"
