"""The end of an episode: its judgement, and writing both to a store.

Every way to play an episode (a batch, a sitting, a world without a store) judges and ends it here.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from osler.core.episode import Cast, Episode
from osler.core.trace import ExchangeRow, InnerRow, Trace
from osler.store.store import Store
from osler.store.writer import Writer


class Played(NamedTuple):
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
        found: dict[str, dict[str, Any]] = json.loads(self.judgement).get("scores", {})
        return {name: score["value"] for name, score in found.items()}


def played(episode: Episode, cast: Cast, trace: Trace) -> Played:
    """Judge an episode that has ended."""
    return Played(trace, *episode.judged(trace), episode.key(cast))


def recorded(store: Store, run_id: int, ordinal: int) -> tuple[list[ExchangeRow], list[InnerRow]]:
    """Return what earlier sessions recorded of an episode: its exchanges, and those inside composite
    players."""
    return store.recorded(run_id, ordinal), store.recorded_inner(run_id, ordinal)


def enter_case(writer: Writer, case: Any) -> None:
    """Store the case that an episode is played on."""
    writer.case(case.content_hash, case.model_dump_json())


def end(writer: Writer, episode: Episode, cast: Cast, trace: Trace) -> Played:
    """Judge an episode and store its end."""
    found, case = played(episode, cast, trace), episode.case
    judgement = (found.grader, found.version, found.judgement)
    writer.end(episode.ordinal, found.key, case.content_hash, case.id, trace.outcome, [judgement])
    return found
