"""A run of consultations as a study sees it: being right, process and effort, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from osler.judging.statistics import mean_interval
from osler.reports.study_figures import MEASURES, OF_CONSULTATIONS, within
from osler.reports.summary import Interval
from osler.seats.events import Frozen


class Consulted(NamedTuple):
    """What one consultation came to: figures by name (`None`: unscored), of a case by its id, which twins
    share, and its content's hash, which they need not."""

    case: str
    case_hash: str
    figures: Mapping[str, float | None]


class ConsultingSummary(Frozen):
    """What a run of consultations found. `found` holds every figure by name; `wall_s` is not written down."""

    run: str
    episodes: int
    ended: dict[str, int]
    found: dict[str, Interval]
    exchanges: int
    grader: str
    label: str
    rejected: dict[str, int] = Field(default_factory=dict)
    unguided_rounds: int = 0

    def figures(self) -> dict[str, Interval]:
        """Every figure with its interval, by name."""
        return self.found


def consulting_summary(
    run: str,
    ended: Mapping[str, int],
    consulted: Sequence[Consulted],
    *,
    exchanges: int,
    grader: str,
    label: str,
) -> ConsultingSummary:
    """Sum a run up, clustered by case."""
    return ConsultingSummary(
        run=run,
        episodes=sum(ended.values()),
        ended=dict(sorted(ended.items())),
        found={name: _figure(name, consulted) for name in OF_CONSULTATIONS},
        exchanges=exchanges,
        grader=grader,
        label=label,
    )


def _figure(name: str, consulted: Sequence[Consulted]) -> Interval:
    values: dict[str, list[float]] = {}
    unscored = 0
    for one in consulted:
        value = one.figures[name]
        if value is None:
            unscored += 1
        else:
            values.setdefault(one.case, []).append(value)
    share = MEASURES[name].kind == "share"
    whole = share and all(value in (0, 1) for held in values.values() for value in held)
    return within(name, mean_interval(values, unscored, whole))
