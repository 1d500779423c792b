"""Runs of ward rounds: read back and summed up, the same figures after any number of sittings."""

from __future__ import annotations

from collections import Counter

from osler.judging.teaching.record import GRADER, RoundJudgement, judgement_of
from osler.reports.teaching import TeachingSummary, teaching_summary
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.judged_episodes import judged_episodes


def round_judgements(run: RunInfo, store: Store) -> tuple[Counter[str], int, list[RoundJudgement], str]:
    """How a run's ward rounds ended, their exchanges, their judgements in order, and who judged them."""
    ended: Counter[str] = Counter()
    exchanges, versions = 0, Counter[str]()
    judgements: list[RoundJudgement] = []
    for episode, stored in judged_episodes(run, store):
        ended[str(episode.status)] += 1
        exchanges += episode.exchanges
        found = next((one for one in stored if one.grader == GRADER), None)
        if found is not None:
            judgements.append(judgement_of(found.body))
            versions[f"{found.grader} {found.version}"] += 1
    return ended, exchanges, judgements, ", ".join(sorted(versions)) or "nobody"


def summarize_rounds(run: RunInfo, store: Store, wall_s: float) -> TeachingSummary:
    """Sum a run of ward rounds up from what is stored."""
    ended, exchanges, judgements, grader = round_judgements(run, store)
    return teaching_summary(run.name, ended, judgements, exchanges=exchanges, wall_s=wall_s, grader=grader)
