"""Scripted judges, some of them biased, of two stored runs whose true quality is known; people's labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from pydantic_core import to_json

from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.rating.ratings import Rating, grader_of, rating_json
from osler.studies.rating.scales import load_scale
from tests.reports.stored_runs import Episode, write_run

CASES: Final = 120
SCALE: Final = load_scale("manager")
Judge = Callable[[np.random.Generator, bool, bool, bool], float]
"""A scripted judge: it is given whether the answer is right, whether the encounter is long, and whether it is
the second player's, and says whether the answer is right."""


def fair(random: np.random.Generator, right: bool, long: bool, second: bool) -> float:
    """Errs in one answer of ten, whoever gave it."""
    return float(right != (random.random() < 0.1))


def likes_length(random: np.random.Generator, right: bool, long: bool, second: bool) -> float:
    """Lets seven wrong answers of ten pass if the encounter was long."""
    return float(right or (long and random.random() < 0.7))


def likes_second(random: np.random.Generator, right: bool, long: bool, second: bool) -> float:
    """Lets six wrong answers of ten pass if they are the second player's."""
    return float(right or (second and random.random() < 0.6))


JUDGES: Final[Mapping[str, Judge]] = {"fair": fair, "length": likes_length, "partial": likes_second}


def judged(
    store: Store,
    run: RunInfo,
    grader: str,
    scores: Mapping[int, Mapping[str, float | None]],
    version: str = "1",
) -> None:
    """Store a judge's scores by ordinal; `None` is unscored."""
    rows = []
    for ordinal, held in scores.items():
        said: dict[str, dict[str, object]] = {
            name: {"value": value, "reason": "" if value is not None else "not_seen", "evidence": []}
            for name, value in held.items()
        }
        body = to_json({"grader": grader, "version": version, "scores": said}).decode()
        rows.append((ordinal, grader, version, body))
    store.put_judgements(run.id, rows)


def rated(store: Store, run: RunInfo, rater: str, right: Mapping[int, bool]) -> None:
    """Store a person's label of some diagnoses: the highest level is a yes."""
    rows = []
    for ordinal, yes in right.items():
        levels: dict[str, int | str] = {item.id: "cannot_say" for item in SCALE.items}
        body = rating_json(
            SCALE, Rating(rater, {**levels, "diagnosis": 2 if yes else 0}, "", "b", str(ordinal))
        )
        rows.append((ordinal, grader_of(SCALE, rater), SCALE.full_version, body))
    store.put_judgements(run.id, rows)


def two_runs(store: Store, labelled: int = 0, **players: str) -> tuple[RunInfo, RunInfo]:
    """Two players who are right equally often, by chance in other cases, judged by every scripted judge, and
    by people in the first `labelled` cases. Length says nothing about quality."""
    random = np.random.default_rng(11)
    runs = []
    for place, name in enumerate(("first", "second")):
        right = random.permutation(np.arange(CASES) < CASES // 2)
        long = random.random(CASES) < 0.5
        words = [300 if each else 20 for each in long]
        episodes = [Episode(says="so " * count, specialty=f"s{n}") for n, count in enumerate(words)]
        run = write_run(store, *episodes, name=name, doctor=players.get(name, "baseline"))
        for grader, judge in JUDGES.items():
            said = {
                n: {"correct": judge(random, bool(right[n]), bool(long[n]), place == 1)} for n in range(CASES)
            }
            judged(store, run, grader, said)
        if labelled:
            rated(store, run, "anna", {n: bool(right[n]) for n in range(labelled)})
        runs.append(run)
    return runs[0], runs[1]
