"""Conditions by experts: what each rater gave the runs of a study, item by item, and the mean of all.

The means are of the ratings themselves, clustered by case; nobody's mean is averaged again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from osler.core.events import Frozen
from osler.core.permitted import NotPermitted
from osler.judging.scores import UNSCORED
from osler.reports.study_report import RatedItem
from osler.stats.intervals import Estimate, mean_interval
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.rating.ratings import PREFIX, levels_of, rater_of
from osler.studies.rating.scales import Scale, ScaleItem, load_scale, packaged

_Values = dict[str, list[float]]
"""The values of one rater by case."""
_Given = dict[tuple[str, str], _Values]
"""Values by item and rater."""
EVERYONE: Final = ""


class ItemByExperts(Frozen):
    """The ratings of a study's conditions on one item of a scale: the mean by condition and rater, and that
    of all ratings by condition. `share` if it is the share of those who said yes, else it is the mean
    of the numbers that raters wrote."""

    scale: str
    item: str
    asks: str
    share: bool
    raters: tuple[str, ...]
    means: dict[str, dict[str, Estimate]]
    everyone: dict[str, Estimate]

    @property
    def in_words(self) -> RatedItem:
        """The item as reports show it."""
        title = f"{self.item.replace('_', ' ')}, rated by people on {self.scale}"
        return RatedItem(title, self.share, self.means, self.everyone)


def by_experts(runs: Mapping[str, RunInfo], store: Store) -> tuple[ItemByExperts, ...]:
    """Return a table of conditions by raters for each item that people rated of these runs, on the packaged
    scales and as far as the ratings may be read."""
    graders = {name for run in runs.values() for name, _ in store.graders(run.id)}
    experts: list[ItemByExperts] = []
    for scale in map(load_scale, packaged()):
        if scale.each == "episode" and any(one.startswith(f"{PREFIX}{scale.name}:") for one in graders):
            experts += _of_scale(scale, runs, for_reader(store, "rating"))
    return tuple(experts)


def _of_scale(scale: Scale, runs: Mapping[str, RunInfo], store: Store) -> Iterator[ItemByExperts]:
    given = {name: _ratings(scale, run, store) for name, run in runs.items()}
    for item in scale.items:
        there = {rater for each in given.values() for one, rater in each if one == item.id}
        raters = sorted(there - {EVERYONE})
        means = {
            name: {rater: _mean(item, each[item.id, rater]) for rater in raters if (item.id, rater) in each}
            for name, each in given.items()
        }
        everyone = {
            name: _mean(item, each[item.id, EVERYONE])
            for name, each in given.items()
            if (item.id, EVERYONE) in each
        }
        if everyone:
            yield ItemByExperts(
                scale=scale.full_version,
                item=item.id,
                asks=item.asks,
                share=item.yes_from is not None,
                raters=tuple(raters),
                means=means,
                everyone=everyone,
            )


def _ratings(scale: Scale, run: RunInfo, store: Store) -> _Given:
    """The values of a run's ratings on this wording of a scale, by item and rater, and of all raters."""
    ratings: _Given = defaultdict(lambda: defaultdict(list))
    try:
        cases = {row.ordinal: row.case_hash for row in store.episodes(run.id) if row.status not in UNSCORED}
        judgements = list(store.judgements(run.id, earlier=True))
    except NotPermitted:
        return ratings
    # A rater's later rating of an episode replaces the earlier one.
    last = {(one.ordinal, one.grader): one for one in judgements if one.version == scale.full_version}
    for (ordinal, grader), judgement in last.items():
        rater = rater_of(scale, grader)
        if rater is None or ordinal not in cases:
            continue
        for item in scale.items:
            level = levels_of(scale, judgement.body)[item.id]
            if level is not None:
                value = float(level >= item.yes_from) if item.yes_from is not None else level + item.first
                for by in (rater, EVERYONE):
                    ratings[item.id, by][cases[ordinal]].append(float(value))
    return ratings


def _mean(item: ScaleItem, values: _Values) -> Estimate:
    return mean_interval(values, proportion=item.yes_from is not None)
