"""A single-pass merge of a run's ended episodes with their judgements, and their summation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic_core import from_json

from osler.judging.judge import GRADER
from osler.reports.summary import Figures, Summary
from osler.store.rows import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store

Body = dict[str, Any]  # Any: a judgement's JSON, read by key


def judged_episodes(
    run: RunInfo, store: Store, *, earlier: bool = False
) -> Iterator[tuple[EpisodeRow, list[Judgement]]]:
    """Yield each ended episode with its judgements, in the order of ordinals. With `earlier`, include
    those that other versions of a grader made before."""
    judgements = store.judgements(run.id, earlier=earlier)
    waiting = next(judgements, None)
    for episode in store.episodes(run.id):
        mine = []
        while waiting is not None and waiting.ordinal <= episode.ordinal:
            if waiting.ordinal == episode.ordinal:
                mine.append(waiting)
            waiting = next(judgements, None)
        yield episode, mine


def built_in(judgements: Iterable[Judgement]) -> Body | None:
    """Return the built-in judge's judgement, `None` if there is none."""
    return next((from_json(found.body) for found in judgements if found.grader == GRADER), None)


def add_to(summary: Summary, episode: EpisodeRow, body: Body | None) -> None:
    """Add an episode, with the built-in judge's judgement, to a summary."""
    kind, chance = (body["kind"], body["chance"]) if body else ("unjudged", None)
    used = (episode.turns, episode.tests, episode.minutes, episode.cost, episode.exchanges)
    summary.add(episode.status, episode.case_hash, kind, chance, Figures(*used), body)
