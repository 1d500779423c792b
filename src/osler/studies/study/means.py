"""Means of a study over the other factors, and over its sets of cases, each from the episodes themselves.

Nothing is averaged from cells: the episodes of all conditions that share a level, or of a condition on all
sets, are taken together, so each scored episode counts once, and intervals are clustered by case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from osler.runs.measured import estimates
from osler.stats.intervals import Estimate
from osler.store.store import Store
from osler.studies.study.comparing import JudgeMarks, PlayedCondition, read
from osler.studies.study.design import Study

Figures = dict[str, Estimate]
"""Estimates by a figure's spoken name."""


def means_by_level(study: Study, conditions: Mapping[str, PlayedCondition]) -> dict[str, dict[str, Figures]]:
    """Return the figures of each level of each factor over all the other factors, by factor and level; none
    for a study with one factor only, or while conditions are still to be played."""
    levels = study.levels()
    varied = [name for name in study.factors if len({held[name] for held in levels.values()}) > 1]
    if len(varied) < 2 or levels.keys() - conditions.keys():
        return {}
    return {
        factor: {
            level: pooled(conditions[name] for name, held in levels.items() if held[factor] == level)
            for level in dict.fromkeys(held[factor] for held in levels.values())
        }
        for factor in varied
    }


def pooled(several: Iterable[PlayedCondition]) -> Figures:
    """Return the figures over the episodes of several conditions, or of one on several sets of cases: those
    that are measured in each of them."""
    conditions = list(several)
    shared = [one for one in conditions[0].measures if all(one in other.measures for other in conditions)]
    rows = []
    for condition in conditions:
        places = [condition.measures.index(one) for one in shared]
        rows += [
            row._replace(values=tuple(row.values[at] for at in places)) for row in condition.episodes.values()
        ]
    result = estimates(rows, shared)
    return {one.spoken: result[one.name] for one in shared}


def over_sets(
    study: Study, runs: Iterable[Mapping[str, str]], store: Store, marked: Mapping[str, JudgeMarks]
) -> dict[str, Figures]:
    """Return the figures of each condition over all sets of cases; `runs` names the run of each condition on
    each set, and `marked` has what the named judge gave by run. None for a condition not played on all."""
    sets = list(runs)
    return {
        name: pooled(read(store.run(one[name]), store, study, marked.get(one[name])) for one in sets)
        for name in sets[0]
        if all(name in one for one in sets)
    }
