"""A longitudinal study as desks: each stream of a doctor's career with its memory and its probes by stage.

Read from the runs and memories in the store while the study goes on or after it; nothing is played, and no
case is opened. The figures are those of one stream; the study's own page has them over all streams.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from pydantic_core import from_json

from osler.errors import BadInput
from osler.judging.scores import GRADER
from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.longitudinal.design import NAME, WITH_CARDS
from osler.runs.judged_episodes import judged_episodes
from osler.runs.run import config_as
from osler.stats.intervals import Estimate, wilson
from osler.store.records import RunInfo
from osler.store.store import Store

_RUN: Final = re.compile(
    r"lt-(?P<key>[^-]+)-(?P<stream>o\d+s\d+)-(?P<what>[a-z]+)(?P<stage>\d*)(?:\.(?P<at>\d+))?"
)
_TEACHING: Final = ("taught", "again")


@dataclass(frozen=True, slots=True)
class StreamRun:
    """A run of a stream: its name, how many episodes it plans and has, and the share concluded rightly with
    its 95 % interval (Wilson)."""

    run: str
    planned: int
    done: int
    right: Estimate


@dataclass(frozen=True, slots=True)
class Drawer:
    """A memory after a stage: its condition, and its cards by kind."""

    condition: str
    cards: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a stream, counted from 1: its consultations, the second attempts at those that failed, the
    probes with each condition's memory as it was left, and the memories."""

    number: int
    taught: tuple[StreamRun, ...]
    again: tuple[StreamRun, ...]
    probes: Mapping[str, StreamRun]
    drawers: tuple[Drawer, ...]


@dataclass(frozen=True, slots=True)
class Desk:
    """A stream: the career of one doctor. `before` are the probes without any memory, and `None` before they
    were played."""

    stream: str
    before: StreamRun | None
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class Desks:
    """A study by its key, with its doctor and cases as the first of its runs names them."""

    key: str
    doctor: str
    cases: str
    desks: tuple[Desk, ...]


class _Step(NamedTuple):
    """A run of a stream: its purpose, its stage from 0 (-1 before the first), its case within the stage."""

    what: str
    stage: int
    at: int
    run: RunInfo


def study_keys(runs: Iterable[RunInfo]) -> list[str]:
    """The keys of the longitudinal studies among some runs, the latest first."""
    latest: dict[str, float] = {}
    for run in runs:
        if key := _key(run):
            latest[key] = max(latest.get(key, 0), run.created_at.timestamp())
    return sorted(latest, key=lambda key: (-latest[key], key))


def desks(store: Store, key: str) -> Desks:
    """The desks of a study. Raises BadInput if no run of it is in the store."""
    mine = [run for run in store.runs() if _key(run) == key]
    if not mine:
        raise BadInput(
            "no longitudinal study has this key here", where=key[:100], hint="see the list of studies"
        )
    streams: dict[str, list[_Step]] = defaultdict(list)
    for run in mine:
        match = _RUN.fullmatch(run.name)
        # Probes within a block stand in the study's page; a desk shows the ends of stages.
        if match and (match["at"] is None or match["what"] in _TEACHING):
            stage = int(match["stage"]) if match["stage"] else -1
            streams[match["stream"]].append(_Step(match["what"], stage, int(match["at"] or 0), run))
    reading = _Reading(store)
    first = min(mine, key=lambda run: (run.created_at, run.name))
    config = config_as(first, RunConfig)
    found_desks = tuple(reading.desk(name, streams[name]) for name in sorted(streams, key=_by_number))
    return Desks(key, config.doctor, config.cases, found_desks)


def _key(run: RunInfo) -> str:
    study = run.manifest.get("study")
    if not isinstance(study, Mapping) or study.get("name") != NAME:
        return ""
    return str(study.get("key", ""))


def _by_number(stream: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", stream)))


class _Reading:
    def __init__(self, store: Store) -> None:
        self._store, self._keeper = store, SqlKeeper(store.engine)

    def desk(self, name: str, steps: Iterable[_Step]) -> Desk:
        by: dict[tuple[str, int], list[RunInfo]] = defaultdict(list)
        for step in sorted(steps, key=lambda one: one.at):
            by[step.what, step.stage].append(step.run)
        last = max((stage for what, stage in by if stage >= 0), default=-1)
        before = by.get(("none", -1))
        return Desk(
            name,
            self._played(before[0]) if before else None,
            tuple(self._stage(stage, by) for stage in range(last + 1)),
        )

    def _stage(self, stage: int, by: Mapping[tuple[str, int], list[RunInfo]]) -> Stage:
        taught, again = (tuple(self._played(run) for run in by.get((what, stage), ())) for what in _TEACHING)
        probes = {arm: by[arm, stage][0] for arm in WITH_CARDS if (arm, stage) in by}
        drawers = tuple(self._drawer(arm, run) for arm, run in probes.items())
        return Stage(
            stage + 1, taught, again, {arm: self._played(run) for arm, run in probes.items()}, drawers
        )

    def _drawer(self, arm: str, run: RunInfo) -> Drawer:
        use = config_as(run, RunConfig).memory
        if use is None or not use.snapshot:
            return Drawer(arm, {})
        kinds = Counter(card.kind for card in self._keeper.load(use.snapshot).cards.values())
        return Drawer(arm, dict(sorted(kinds.items())))

    def _played(self, run: RunInfo) -> StreamRun:
        scores: list[float | None] = []
        for _, judgements in judged_episodes(run, self._store):
            body = next((from_json(one.body) for one in judgements if one.grader == GRADER), None)
            scores.append(body["scores"]["correct"]["value"] if body else None)
        scored = [score for score in scores if score is not None]
        right = wilson(sum(scored), len(scored), len(scores) - len(scored))
        return StreamRun(run.name, run.planned, run.done, right)
