"""Studies of ward rounds: gains, leaks and marks, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from osler.judging.pairing import Difference, paired
from osler.judging.teaching.contrast import gain_difference
from osler.judging.teaching.outcomes import Part
from osler.judging.teaching.record import RoundJudgement
from osler.reports.teaching import TeachingSummary
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.rejudging import judge_again
from osler.studies.rounds import Taught, summary_of, taught
from osler.studies.study.comparing import Kind
from osler.studies.study.design import Study

_PARTS: Final[dict[str, Part]] = {
    "learning_gain": "siblings",
    "step_gain": "steps",
    "answer_gain": "case",
}


def read(run: RunInfo, store: Store) -> Taught:
    """What a condition came to; where an earlier version of the judge has judged it, judged anew."""
    found = taught(run, store)
    if len(found.judgements) < sum(found.ended.values()):
        judge_again(run, store)
        found = taught(run, store)
    return found


def summary(name: str, found: Taught) -> TeachingSummary:
    """The run in numbers."""
    return summary_of(name, found, 0.0)


def primary_figure(study: Study, found: Mapping[str, Taught]) -> str:
    """The figure of the primary endpoint: the one declared, or its stand-in where most sessions had no
    question that it is scored on."""
    primary = study.primary
    part = _PARTS.get(primary.figure)
    if primary.otherwise is None or part is None:
        return primary.figure
    sat = [one.outcomes for each in found.values() for one in each.judgements.values() if one.outcomes.scored]
    asked = sum(outcomes.before[part] is not None for outcomes in sat)
    return primary.otherwise if 2 * asked < len(sat) else primary.figure


def difference(figure: str, against: Taught, condition: Taught) -> Difference:
    """One comparison, on the worlds that both conditions met."""
    first, second = against.judgements, condition.judgements
    both = sorted(first.keys() & second.keys())
    one, other = [first[n] for n in both], [second[n] for n in both]
    part = _PARTS.get(figure)
    if part is not None:
        pairs = [_fair(figure, a, b) for a, b in zip(one, other, strict=True)]
        return gain_difference([a.outcomes for a, _ in pairs], [b.outcomes for _, b in pairs], part)
    cases = [each.outcomes.case for each in one]
    leaks = figure == "leak_rate"
    return paired(cases, _values(figure, one), _values(figure, other), share=leaks, marks=not leaks)


def _fair(figure: str, *pair: RoundJudgement) -> tuple[RoundJudgement, ...]:
    """A gain on the case's own question leaves out what guidance gave away, on both sides of a pair."""
    if figure != "answer_gain" or not any(each.outcomes.named for each in pair):
        return pair
    return tuple(each._replace(outcomes=each.outcomes._replace(scored=False)) for each in pair)


def _values(figure: str, judgements: Sequence[RoundJudgement]) -> np.ndarray[Any, np.dtype[np.float64]]:
    values: list[float] = []
    for each in judgements:
        if figure == "leak_rate":
            value = float(each.outcomes.leak is not None) if each.outcomes.scored else None
        else:
            value = each.proxies[figure].value
        values.append(float("nan") if value is None else value)
    return np.array(values)


ROUNDS: Final = Kind(
    read,
    summary,
    difference,
    primary_figure,
    ("learning_gain", "step_gain", "leak_rate", "ets_proxy", "msm_proxy"),
)
