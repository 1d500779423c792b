"""What a report says of one run, read from the store and not yet drawn."""

from __future__ import annotations

from typing import Final, NamedTuple

from osler.judging.statistics import Estimate
from osler.reports.by_case import CaseFigures
from osler.reports.summary import RunSummary

NOT_STATED: Final = "not stated"


class Poor(NamedTuple):
    """An episode that went badly: what was wrong in it, and its transcript as (time, who, words)."""

    ordinal: int
    case_id: str
    lacks: dict[str, list[str]]
    transcript: list[tuple[str, str, str]]


class Control(NamedTuple):
    """What one control scores on a run's cases: its share right, and what the run gains over it, by case.

    `looks_at` is the one thing it looks at; `None` for the base rate, which nobody plays.
    """

    name: str
    looks_at: str | None
    right: Estimate
    gain: Estimate


class Controls(NamedTuple):
    """The control rows of a run over `cases` of its cases; `left_out` were not played, and `why` says why
    there are no rows."""

    rows: tuple[Control, ...]
    cases: int
    left_out: int
    why: str


class RunReport(NamedTuple):
    """One run. Text in it is still that of others: whoever shows it makes it safe.

    `looks_at` says what a trivial player or probe looks at, `None` for any other doctor. `as_if` is the share
    right if every unscored episode were wrong, and right. `graders` counts judgements by grader and version.
    `controls` is `None` for a control itself. `talk` is by indicator, counted over `heard` episodes.
    `specialty_of` is by case hash. `used` is as `osler.studies.usage.usage` gives it. Times are UTC.
    """

    name: str
    doctor: str
    looks_at: str | None
    privileged: bool
    status: str
    planned: int
    began: str
    last_end: str | None
    configuration: dict[str, str]
    configuration_hash: str
    results_hash: str
    graders: dict[str, int]
    summary: RunSummary
    as_if: tuple[float, float] | None
    cases: list[CaseFigures]
    specialty_of: dict[str, str]
    specialties: dict[str, Estimate]
    controls: Controls | None
    talk: dict[str, Estimate]
    heard: int
    worst: list[Poor]
    used: dict[str, dict[str, dict[str, int | float | None]]]
