"""Studies made up for the tests of their page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

from osler.core.registry import protocol_named
from osler.reports.study_report import Condition, ConditionSummary, Contrast, Factor, StudyReport
from osler.stats.intervals import Estimate

Value = tuple[float | None, float | None, float | None]
TUTORS = Factor("tutor", ("silent", "socratic", "lecturer"), False)
THEORIES = Factor("theory", ("construct", "telling", "novice"), False)
SIZES = Factor("students", ("1", "2", "10"), True)
ROUNDS = protocol_named("ward_round")
MEASURES = {one.spoken: one for one in ROUNDS.measures}
NOTHING: Value = (None, None, None)


def interval(value: Value, n: int = 30) -> Estimate:
    return Estimate(value=value[0], low=value[1], high=value[2], n=n, unscored=30 - n)


def summary(gain: Value = (0.25, 0.125, 0.375), run: str = "r-1", **other: Estimate) -> ConditionSummary:
    """A summary in which every figure is `gain`, but those given otherwise."""
    figures = {name: interval(gain, 0 if gain[0] is None else 30) for name in MEASURES} | other
    return ConditionSummary(
        run=run,
        episodes=30,
        ended={"completed": 30},
        found=figures,
        exchanges=300,
        grader="round 1",
        label="Simulated; for education and research only.",
    )


def comparison(value: Value = (0.2, 0.1, 0.3), **other: object) -> Contrast:
    made = Contrast(
        *value,
        p=0.01,
        n_pairs=30,
        cases=30,
        figure="learning_gain",
        condition="socratic",
        against="silent",
    )
    return replace(made, **other)  # type: ignore[arg-type]


def study(
    *factors: Factor,
    gains: Mapping[str, Value] | None = None,
    alone: Mapping[str, Value] | None = None,
    **other: object,
) -> StudyReport:
    """A study of every combination of the factors' levels, and of conditions that stand `alone`; `gains` are
    by name."""
    conditions = {}
    for levels in product(*(factor.levels for factor in factors)) if factors else ():
        name = "/".join(levels)
        held = dict(zip((factor.name for factor in factors), levels, strict=True))
        gain = (gains or {}).get(name, (0.25, 0.125, 0.375))
        conditions[name] = Condition(held, summary(gain, f"r-{name}"), 30, held, "beef")
    for name, gain in (alone or {}).items():
        conditions[name] = Condition({}, summary(gain, f"r-{name}"), 30, {}, "beef")
    found = StudyReport(
        name="tutors",
        title="Tutors compared",
        question="Who teaches?",
        cases="library",
        status="done",
        why="",
        factors=factors,
        declared="learning_gain",
        primary=comparison(),
        contrasts=(comparison(p_holm=0.04), comparison(condition="lecturer", p_holm=0.2)),
        conditions=conditions,
        waiting=(),
        shared={"cases_fingerprint": "f00d", "version.python": "3"},
        many=ROUNDS.many,
        measures=MEASURES,
        main=ROUNDS.main,
    )
    return found._replace(**other)  # type: ignore[arg-type]
