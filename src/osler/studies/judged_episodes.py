"""A run's ended episodes with their judgements, read in one pass over both, and added up."""

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
    """Each ended episode with its judgements; both come in the order of their ordinals. With `earlier` also
    those that a grader's other versions made before."""
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
    """What the built-in judge said, `None` where it has not judged."""
    return next((from_json(found.body) for found in judgements if found.grader == GRADER), None)


def add_to(summary: Summary, episode: EpisodeRow, body: Body | None) -> None:
    """Add an episode to a summary with what the built-in judge said of it."""
    kind, chance = (body["kind"], body["chance"]) if body else ("unjudged", None)
    used = (episode.turns, episode.tests, episode.minutes, episode.cost, episode.exchanges)
    summary.add(episode.status, episode.case_hash, kind, chance, Figures(*used), body)
