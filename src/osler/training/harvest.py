"""The harvest: stored episodes played again from their record, and the turns of the trained seat in them.

Every request is made anew by the protocol's own story and proved by its hash, so a prompt is what the seat
was given and not what somebody remembered of it. Call in a thread where an event loop runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from osler.core.contract import Request
from osler.core.events import Seat
from osler.core.trace import AskedRow, ExchangeRow, InnerRow, Trace
from osler.errors import OslerError, Status
from osler.runs.rejudging import episode_of
from osler.runs.reread import CHANGED, RecordEnds, Reread
from osler.runs.run import config_of
from osler.runs.stored_case import stored
from osler.store.permitted_store import for_reader
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.training.task import FirstRequest, Replayed

WHOLE: Final = frozenset({Status.COMPLETED, Status.OUT_OF_TURNS, Status.OUT_OF_BUDGET})
"""Ends of episodes that were played as they should be; all of any other is left out."""
NOT_REPLAYED: Final = "not_replayed"


class LeftOut(NamedTuple):
    """An episode of which nothing is taken, by the name of the filter that refused it."""

    run: RunInfo
    row: EpisodeRow
    filter: str
    why: str


def episodes(run: RunInfo, store: Store, seat: Seat) -> Iterator[Replayed | LeftOut]:
    """Every ended episode of a run whose people permit its use for training, in order.

    Raises BadInput if the run's cases cannot be read, and NotPermitted where nothing of it may be used.
    """
    store = for_reader(store, "data set")
    config, set_up = config_of(run), episode_of(run, store)
    case_of = stored(store, config.model)
    seats = tuple(config.players())
    for row, trace in store.traces(run.id):
        if row.status not in WHOLE:
            yield LeftOut(run, row, row.status.value, row.reason or f"the episode ended as {row.status}")
            continue
        try:
            episode = set_up(row.ordinal, case_of(row.case_hash))
            watching = _Watching(seat)
            asyncio.run(_again(episode, seats, seat, trace, watching))
        except OslerError as error:
            yield LeftOut(run, row, NOT_REPLAYED, str(error))
            continue
        except Exception as error:  # a story that has changed, or a plug-in's, may raise anything
            yield LeftOut(run, row, NOT_REPLAYED, f"{CHANGED} ({type(error).__name__})")
            continue
        yield Replayed(run, row, config, episode, trace, tuple(watching.put))


async def _again(
    episode: Any, seats: tuple[Seat, ...], seat: Seat, trace: Trace, watching: _Watching
) -> None:
    cast = {}
    for one in seats:
        rows = [row for row in trace.rows if row.seat == one]
        cast[one] = Reread(rows, watching.meets if one == seat else _passes)
    await episode.play(cast, watching)
    wanted = sum(row.seat == seat for row in trace.rows)
    if len(watching.put) != wanted:
        raise RecordEnds(f"{len(watching.put)} of {wanted} requests could be made again: {CHANGED}")


async def _passes(request: Request[Any], row: ExchangeRow | None, tries: int) -> None:
    """Nothing is kept of other seats' requests."""


class _Watching:
    """A recorder of an episode that is played again, and what its trained seat is asked."""

    def __init__(self, seat: Seat) -> None:
        self.put: list[FirstRequest] = []
        self._seat = seat
        self._now: AskedRow | None = None

    def asked(self, row: AskedRow, *, at_once: bool) -> None:
        """Note the trained seat's question."""
        if row.seat == self._seat:
            self._now = row

    async def meets(self, request: Request[Any], row: ExchangeRow | None, tries: int) -> None:
        """Keep a request as it is first put. Raises RecordEnds if it is not the recorded one."""
        if tries or row is None:
            return
        now = self._now
        if now is None or row.n != now.n or row[1:4] != now[1:4]:
            raise RecordEnds(f"the request of exchange {row.n} is not the recorded one: {CHANGED}")
        self.put.append(FirstRequest(request, row))

    def exchange(self, row: ExchangeRow) -> None:
        """Store nothing."""

    def inner(self, row: InnerRow) -> None:
        """Ignore it: no player here asks others."""

    async def flush(self) -> None:
        """Store nothing."""
