"""Agreement of the diagnosis judge with labels of single answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from osler.judging.diagnosis.judged import CONVENTION, RIGHT, Judged, Word, judged
from osler.judging.diagnosis.support import Record
from osler.stats.intervals import Estimate, wilson


class Pairs(BaseModel):
    """A reference with its answers; `labels` are people's verdicts on them, `case` the case's text, if any.

    A single `answer` with its `label` may be given instead of the lists.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    reference: str = Field(min_length=1)
    answers: tuple[str, ...] = Field(min_length=1, strict=False)
    labels: tuple[Word, ...] | None = Field(default=None, strict=False)
    case: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_for_several(cls, row: Any) -> Any:
        if not isinstance(row, dict):
            return row
        row = dict(row)
        for one, several in (("answer", "answers"), ("label", "labels")):
            if row.get(one) is not None and several not in row:
                row[several] = [row[one]]
        return row

    @field_validator("reference")
    @classmethod
    def _says_something(cls, name: str) -> str:
        if not any(map(str.isalnum, name)):
            raise ValueError("names no diagnosis")
        return name

    @model_validator(mode="after")
    def _labels_each(self) -> Self:
        if self.labels is not None and len(self.labels) != len(self.answers):
            raise ValueError(f"{len(self.labels)} labels for {len(self.answers)} answers")
        return self


class Labelled(NamedTuple):
    """The verdicts, in the items' order, and their agreement with the labels.

    `taken` of `wrong` answers labelled wrong were called right; `refused` of `rights` labelled right were
    called wrong. `taken_wrongly` names the former.
    """

    verdicts: tuple[tuple[Judged, ...], ...]
    labelled: int
    on_right: Estimate
    on_verdict: Estimate
    taken: int
    wrong: int
    refused: int
    rights: int
    taken_wrongly: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """The number of times each verdict was given."""
        return dict(sorted(Counter(one.verdict for row in self.verdicts for one in row).items()))

    def measured(self, name: str, labelled_by: str) -> dict[str, Any]:
        """The judge's entry in `measured.yaml`, from these labels: a set's name and who labelled it."""
        entry = {
            "judge": "built-in rules",
            "set": name,
            "labelled_by": labelled_by,
            "right": [self.rights - self.refused, self.rights],
            "wrong": [self.wrong - self.taken, self.wrong],
        }
        return {CONVENTION: entry}

    def plain(self) -> dict[str, Any]:
        """It as plain data; agreement is left out without labels."""
        result: dict[str, Any] = {
            "convention": CONVENTION,
            "n": len(self.verdicts),
            "counts": self.counts,
            "answers": [
                [{"verdict": one.verdict, "right": one.right, "why": one.why} for one in row]
                for row in self.verdicts
            ],
        }
        if not self.labelled:
            return result
        return result | {
            "labelled": self.labelled,
            "agreement_on_right": _plain(self.on_right),
            "agreement_on_verdict": _plain(self.on_verdict),
            "right": [self.rights - self.refused, self.rights],
            "wrong": [self.wrong - self.taken, self.wrong],
            "sensitivity": _plain(wilson(self.rights - self.refused, self.rights)),
            "specificity": _plain(wilson(self.wrong - self.taken, self.wrong)),
            "taken_wrongly": self.taken_wrongly,
        }


def agreement_with(items: Sequence[Pairs]) -> Labelled:
    """Judge every answer of every item and compare with the labels."""
    verdicts = tuple(
        tuple(
            judged(answer, item.reference, case=None if item.case is None else Record(item.case))
            for answer in item.answers
        )
        for item in items
    )
    both = [
        (item, answer, label, found)
        for item, row in zip(items, verdicts, strict=True)
        for answer, label, found in zip(item.answers, item.labels or (), row, strict=False)
    ]
    agreed = sum((label in RIGHT) == found.right for _, _, label, found in both)
    alike = sum(label == found.verdict for _, _, label, found in both)
    wrong = [one for one in both if one[2] not in RIGHT]
    taken = [one for one in wrong if one[3].right]
    right = [one for one in both if one[2] in RIGHT]
    return Labelled(
        verdicts,
        len(both),
        wilson(agreed, len(both)),
        wilson(alike, len(both)),
        len(taken),
        len(wrong),
        sum(not one[3].right for one in right),
        len(right),
        tuple(f"{answer!r} for {item.reference!r} ({label})" for item, answer, label, _ in taken),
    )


def _plain(found: Estimate) -> dict[str, Any]:
    return {
        "value": found.value,
        "interval": None if found.low is None else [found.low, found.high],
        "n": found.n,
    }
