"""Every request of a stored episode as its seat saw it, made anew from the record and proved by hash.

The episode may still be under way: its open questions are rebuilt, too. Works for every protocol, since its
own story makes the requests. Call in a thread where an event loop runs.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from osler.core.contract import OwnReply, Request
from osler.core.events import Event, Seat, View
from osler.core.source import Source
from osler.core.trace import AskedRow, ExchangeRow, InnerRow
from osler.errors import OslerError
from osler.runs.reread import CHANGED, RecordEnds, Reread, set_up
from osler.store.records import RunInfo
from osler.store.store import Store


class FeedItem(NamedTuple):
    """An item of a seat's feed. `id` is "N.I": the I-th event told after exchange N, or "N.0", the seat's own
    reply in exchange N."""

    id: str
    item: Event | OwnReply


class RebuiltRequest(NamedTuple):
    """A request as its seat saw it. `proved` says that its hash is the recorded one; otherwise `why` says in
    words what is wrong. `view` is `None` if it cannot be made anew. `is_open` says that it waits for its
    answer now."""

    n: int
    seat: Seat
    view: View | None
    feed: tuple[FeedItem, ...]
    proved: bool
    why: str = ""
    is_open: bool = False


def requests_of(
    run: RunInfo, store: Store, ordinal: int, source: Source[Any] | None = None
) -> tuple[RebuiltRequest, ...]:
    """Every request of an episode, in order. `source` are the run's cases, if they are open already.

    Raises BadInput if there is no such episode.
    """
    rows, asked_rows = store.recorded(run.id, ordinal), store.asked(run.id, ordinal)
    if not (rows or asked_rows):
        raise store.no_episode(run.id, ordinal, run.name)
    record = _Record(rows, asked_rows)
    why = asyncio.run(_played_again(run, store, ordinal, record, source))
    return record.result(why)


async def _played_again(
    run: RunInfo, store: Store, ordinal: int, record: _Record, source: Source[Any] | None
) -> str:
    """Play again, and return in words why that ended early, if it did."""
    try:
        config, case, cases = set_up(run, store, ordinal, source)
        cast = {
            seat: Reread([row for row in record.rows if row.seat == seat], record.meets)
            for seat in config.players()
        }
        await config.episode(ordinal, case, cases).play(cast, record)
    except OslerError as error:
        return str(error)
    except Exception as error:  # a story that has changed, or a plug-in's, may raise anything
        return f"{CHANGED} ({type(error).__name__})"
    return ""


@dataclass
class _Record:
    """The record of an episode, and a recorder of what is asked when it is played again."""

    rows: Sequence[ExchangeRow]
    open: Sequence[AskedRow]
    _now: dict[Seat, AskedRow] = field(default_factory=dict)
    _told: dict[Seat, list[str]] = field(default_factory=lambda: defaultdict(list))
    _own: dict[Seat, list[str]] = field(default_factory=lambda: defaultdict(list))
    _seen: dict[int, RebuiltRequest] = field(default_factory=dict)

    def asked(self, row: AskedRow, *, at_once: bool) -> None:
        """Note a question, and whom the events before it were told."""
        self._now[row.seat] = row
        for at, event in enumerate(json.loads(row.events), start=1):
            for seat in event.get("to", ()):
                self._told[seat].append(f"{row.n - 1}.{at}")

    async def meets(self, request: Request[Any], row: ExchangeRow | None, tries: int) -> None:
        """Keep a request as it is first put."""
        assert request.contract is not None, "the table gives one"
        asked_row = self._now[request.contract.seat]
        if row is not None and row.n != asked_row.n:
            raise RecordEnds(f"exchange {asked_row.n} is now put to the {asked_row.seat}: {CHANGED}")
        recorded = row or next((one for one in self.open if one.n == asked_row.n), None)
        if tries > 0 or recorded is None:  # or the question that an interrupted episode would ask next
            return
        proved = recorded[1:4] == asked_row[1:4]
        why = "" if proved else f"the request made now is not the recorded one: {CHANGED}"
        feed = self._numbered(asked_row.seat, request.feed)
        self._seen[asked_row.n] = RebuiltRequest(asked_row.n, asked_row.seat, request.view, feed, proved, why)

    def _numbered(self, seat: Seat, feed: Sequence[Event | OwnReply]) -> tuple[FeedItem, ...]:
        replies = sum(isinstance(item, OwnReply) for item in feed)
        # A seat that was seated anew has only what it was told and said since.
        told, own = (
            iter(ids[len(ids) - count :])
            for ids, count in ((self._told[seat], len(feed) - replies), (self._own[seat], replies))
        )
        return tuple(FeedItem(next(own if isinstance(item, OwnReply) else told), item) for item in feed)

    def exchange(self, row: ExchangeRow) -> None:
        """Note that a seat has replied."""
        if row.reply != "null":
            self._own[row.seat].append(f"{row.n}.0")

    def inner(self, row: InnerRow) -> None:
        """Nobody asks others here."""

    async def flush(self) -> None:
        """Nothing is stored."""

    def result(self, why: str) -> tuple[RebuiltRequest, ...]:
        """Every recorded request; those that were not made again with the reason."""
        open_now = {row.n for row in self.open}
        wanted = [(row.n, row.seat) for row in self.rows] + [(row.n, row.seat) for row in self.open]
        lost = {n: RebuiltRequest(n, seat, None, (), False, why or CHANGED) for n, seat in sorted(wanted)}
        return tuple(self._seen.get(n, lost[n])._replace(is_open=n in open_now) for n in lost)
