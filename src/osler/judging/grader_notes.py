"""The purpose of marks, and how far a grader agrees with labels: said in every export of marks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Final

import yaml
from pydantic import BaseModel, ConfigDict

from osler.stats.intervals import wilson

FORMATIVE: Final = "formative"
NOT_MEASURED: Final = "agreement with people not measured"
_FILE: Final = "measured_graders.yaml"


class MeasuredGrader(BaseModel):
    """A grader's agreement with the labels of `n` answers: `measured_on` says which, `labelled_by` whose; of
    `of_lines` lines that earn nothing, `false_marks` were given one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    right: int
    n: int
    measured_on: str
    labelled_by: str
    false_marks: int | None = None
    of_lines: int | None = None

    @property
    def words(self) -> str:
        """The agreement with its 95 % interval, n, on what, and who labelled."""
        result = wilson(self.right, self.n)
        reach = (
            f" ({result.low:.0%} to {result.high:.0%})"
            if result.low is not None and result.high is not None
            else ""
        )
        false = (
            f"; false marks on {self.false_marks} of {self.of_lines} lines that earn nothing"
            if self.of_lines
            else ""
        )
        about = f"{self.measured_on}; labelled by {self.labelled_by}{false}"
        return f"agrees with the labels of {self.right} of {self.n}{reach}: {about}"


def agreement_of(grader: str) -> str:
    """The measured agreement of a grader in words, or that it was not measured."""
    result = _measured().get(grader)
    return result.words if result else NOT_MEASURED


def labelled_by(grader: str) -> str:
    """Those on whose labels a grader was measured; "nobody" if it was not measured."""
    result = _measured().get(grader)
    return result.labelled_by if result else "nobody"


def notes_on(graders: Iterable[str]) -> dict[str, object]:
    """The note that an export of marks carries, as plain JSON: their use, and each grader's agreement."""
    return {"use": FORMATIVE, "graders": {name: agreement_of(name) for name in sorted(set(graders))}}


def note_line(graders: Iterable[str]) -> str:
    """The same as one line of text."""
    each = "; ".join(f"{name}: {agreement_of(name)}" for name in sorted(set(graders)))
    return f"Marks are {FORMATIVE}. {each}" if each else f"Marks are {FORMATIVE}."


@lru_cache(maxsize=1)
def _measured() -> dict[str, MeasuredGrader]:
    value = yaml.safe_load(files("osler.judging").joinpath(_FILE).read_text("utf-8"))
    return {name: MeasuredGrader.model_validate(held) for name, held in value.items()}
