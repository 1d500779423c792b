"""Summaries of runs of ward rounds, with the same figures after any number of sessions."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from osler.core.summary import Summary
from osler.protocols.ward_round.judge.round_judgement import (
    GRADER,
    VERSION,
    RoundJudgement,
    judgement_of,
)
from osler.protocols.ward_round.summary_table import (
    NOBODY,
    TeachingSummary,
    teaching_summary,
    teaching_table,
)
from osler.runs.judged_episodes import Grader, judged_episodes
from osler.store.records import RunInfo
from osler.store.store import Store


class Taught(NamedTuple):
    """A stored run of ward rounds: how its episodes ended, their exchanges, their judgements by ordinal, and
    the grader."""

    ended: Counter[str]
    exchanges: int
    judgements: dict[int, RoundJudgement]
    grader: str


def taught(run: RunInfo, store: Store) -> Taught:
    """Read a run back. Judgements by an earlier version of the judge count as unscored."""
    ended: Counter[str] = Counter()
    exchanges, versions = 0, Counter[str]()
    judgements: dict[int, RoundJudgement] = {}
    for episode, stored in judged_episodes(run, store):
        ended[str(episode.status)] += 1
        exchanges += episode.exchanges
        found = next((one for one in stored if one.grader == GRADER), None)
        if found is not None and found.version == VERSION:
            judgements[episode.ordinal] = judgement_of(found.body)
            versions[f"{found.grader} {found.version}"] += 1
    return Taught(ended, exchanges, judgements, ", ".join(sorted(versions)) or NOBODY)


def summarize_rounds(run: RunInfo, store: Store, wall_s: float) -> TeachingSummary:
    """Summarize a run of ward rounds from the store."""
    return summary_of(run.name, taught(run, store), wall_s)


def summary_of(name: str, found: Taught, wall_s: float) -> TeachingSummary:
    """Return the summary of a run that was read back."""
    return teaching_summary(
        name,
        found.ended,
        list(found.judgements.values()),
        exchanges=found.exchanges,
        wall_s=wall_s,
        grader=found.grader,
    )


def summary(run: RunInfo, store: Store, wall_s: float, grader: Grader | None = None) -> Summary:
    """Return the summary of a run under the built-in judge."""
    found = summarize_rounds(run, store, wall_s)
    return Summary(found.model_dump(mode="json"), lambda: teaching_table(found), found.label)
