"""The end of an episode: its judgement, and writing both to a store.

Every way to play an episode (a batch, a sitting, a world without a store) judges and ends it here.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable
from typing import Any, NamedTuple

from osler.core.composite import Cast
from osler.core.episode import Episode
from osler.core.trace import ExchangeRow, InnerRow, Trace
from osler.errors import EpisodeFault, InfrastructureFault, PlayerFault, Status
from osler.store.store import Store
from osler.store.writer import Writer


class EndedEpisode(NamedTuple):
    """An ended episode: its trace, and the judgement of its protocol's first judge (`judgement` is JSON
    text)."""

    trace: Trace
    grader: str
    version: str
    judgement: str
    key: str

    @property
    def scores(self) -> dict[str, Any]:
        """Return each score's value by name; `None` is unscored."""
        result: dict[str, dict[str, Any]] = json.loads(self.judgement).get("scores", {})
        return {name: score["value"] for name, score in result.items()}


def played(episode: Episode, cast: Cast, trace: Trace) -> EndedEpisode:
    """Judge an episode that has ended."""
    return EndedEpisode(trace, *episode.judged(trace), episode.key(cast))


def recorded(store: Store, run_id: int, ordinal: int) -> tuple[list[ExchangeRow], list[InnerRow]]:
    """Return what earlier sessions recorded of an episode: its exchanges, and those inside composite
    players."""
    return store.recorded(run_id, ordinal), store.recorded_inner(run_id, ordinal)


async def to_its_end(playing: Awaitable[Trace], where: str) -> Trace:
    """Await the end of an episode that is played by itself. A request that its endpoint refuses while it
    answers others ends it. Raises other InfrastructureFaults, a PlayerFault with `where` it happened."""
    try:
        return await playing
    except PlayerFault as fault:
        fault.where = where
        raise
    except EpisodeFault as fault:
        trace: Trace = fault.trace
        if not await fault.concerns_the_episode_only():
            raise
        return trace


async def or_paused(playing: Awaitable[Trace]) -> Trace:
    """Await the end of an episode in which a person sits beside models. Where a model fails, the person is
    not made to end there: raises InfrastructureFault, and what is recorded is gone on with."""
    trace = await playing
    if trace.outcome.status is Status.SIMULATOR_FAULT:
        raise InfrastructureFault(trace.outcome.reason, hint="try again, or let somebody else play there")
    return trace


def enter_case(writer: Writer, case: Any) -> None:
    """Store the case that an episode is played on."""
    writer.case(case.content_hash, case.model_dump_json())


def end(writer: Writer, episode: Episode, cast: Cast, trace: Trace) -> EndedEpisode:
    """Judge an episode and store its end."""
    result, case = played(episode, cast, trace), episode.case
    judgement = (result.grader, result.version, result.judgement)
    writer.end(episode.ordinal, result.key, case.content_hash, case.id, trace.outcome, [judgement])
    return result
