"""An episode that has been played: what it came to, and how it is entered into a store.

Whatever plays an episode, a batch, a sitting or a world without a store, judges and ends it here.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from osler.core.episode import Cast, Episode
from osler.encounter.trace import ExchangeRow, InnerRow, Trace
from osler.store.store import Store
from osler.store.writer import Writer


class Played(NamedTuple):
    """An episode that has ended: its trace, and what its protocol's first judge says of it. `judgement` is
    JSON text."""

    trace: Trace
    grader: str
    version: str
    judgement: str
    key: str

    @property
    def scores(self) -> dict[str, Any]:
        """Each score's value by name; `None` is unscored."""
        found: dict[str, dict[str, Any]] = json.loads(self.judgement).get("scores", {})
        return {name: score["value"] for name, score in found.items()}


def played(episode: Episode, cast: Cast, trace: Trace) -> Played:
    """Judge an episode that has ended."""
    return Played(trace, *episode.judged(trace), episode.key(cast))


def recorded(store: Store, run_id: int, ordinal: int) -> tuple[list[ExchangeRow], list[InnerRow]]:
    """What earlier sittings recorded of an episode: its exchanges, and those inside composite players."""
    return store.recorded(run_id, ordinal), store.recorded_inner(run_id, ordinal)


def enter_case(writer: Writer, case: Any) -> None:
    """Write down the case that an episode is played on."""
    writer.case(case.content_hash, case.model_dump_json())


def end(writer: Writer, episode: Episode, cast: Cast, trace: Trace) -> Played:
    """Judge an episode and write down its end."""
    found, case = played(episode, cast, trace), episode.case
    judgement = (found.grader, found.version, found.judgement)
    writer.end(episode.ordinal, found.key, case.content_hash, case.id, trace.outcome, [judgement])
    return found
