"""Runs of ward rounds: read back and summed up, the same figures after any number of sittings."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from osler.core.summary import Summary
from osler.judging.teaching.record import GRADER, VERSION, RoundJudgement, judgement_of
from osler.reports.teaching import NOBODY, TeachingSummary, teaching_summary, teaching_table
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.graders import Grader
from osler.studies.judged_episodes import judged_episodes


class Taught(NamedTuple):
    """A run of ward rounds as it is stored: how the episodes ended, their exchanges, what each came to by its
    ordinal, and who judged."""

    ended: Counter[str]
    exchanges: int
    judgements: dict[int, RoundJudgement]
    grader: str


def taught(run: RunInfo, store: Store) -> Taught:
    """Read a run back. What an earlier version of the judge has judged counts as unscored."""
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
    """Sum a run of ward rounds up from what is stored."""
    return summary_of(run.name, taught(run, store), wall_s)


def summary_of(name: str, found: Taught, wall_s: float) -> TeachingSummary:
    """The figures of a run that was read back."""
    return teaching_summary(
        name,
        found.ended,
        list(found.judgements.values()),
        exchanges=found.exchanges,
        wall_s=wall_s,
        grader=found.grader,
    )


def summary(run: RunInfo, store: Store, wall_s: float, grader: Grader | None = None) -> Summary:
    """The figures of a run under the built-in judge."""
    found = summarize_rounds(run, store, wall_s)
    return Summary(found.model_dump(mode="json"), lambda: teaching_table(found), found.label)
