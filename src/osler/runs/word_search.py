"""Search of what was said and reported in all runs: ended episodes are indexed, and passages shown with the
words marked.

A passage is read from the record, never from the index: what the record no longer holds is not shown.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from math import inf
from operator import itemgetter
from typing import Final, NamedTuple

from osler.core.events import Seat
from osler.core.protocol import Protocol
from osler.core.registry import protocols
from osler.core.trace import Trace, trace_of
from osler.core.wording import Wording, not_told_again, wordings
from osler.errors import BadInput, Status
from osler.runs.run import protocol_of
from osler.store import queries, search_index
from osler.store.damage import LOG, UNREADABLE
from osler.store.leases import lock
from osler.store.records import RunInfo
from osler.store.search_index import LineText, Place
from osler.store.store import Store
from osler.text.search_words import Phrase, Piece, passage

AT_ONCE: Final = 50
"""Episodes that are indexed in one transaction."""
_LISTED: Final = 5000
"""Episodes that are listed at once: the list costs a look at all of them."""
_BLOCK: Final = 200
_MOST_BLOCKS: Final = 20
"""The places looked at together, and the most of such blocks for one page, however few may be shown."""


RESULT: Final = "result"
"""Stands for a seat: what was reported."""


def check_seat(seat: str, of: Sequence[Protocol] | None = None, where: str = "--seat") -> None:
    """Raise BadInput for a seat that none of some protocols has; `None` is for all that are installed."""
    if seat in ("", RESULT):
        return
    roles = [role for one in of or protocols() for role in one.roles]
    if not any(role.seats_of(seat) for role in roles):
        known = ", ".join((*dict.fromkeys(role.name for role in roles), RESULT))
        raise BadInput(f"there is no seat {seat!r}", where=where, hint=f"known: {known}")


class Line(NamedTuple):
    """A line of an episode: the `place`-th in or after exchange `n` (0: before the first), the log item that
    it stands in ("n.i"), the seat whose words or act it is, or else the kind of line ("result"), its label
    and its text."""

    n: int
    place: int
    item: str
    seat: Seat
    label: str
    text: str


class Hit(NamedTuple):
    """A line in which the words were found, with the passage around the first of them."""

    at: Place
    line: Line
    passage: tuple[Piece, ...]


def lines_of(protocol: Protocol, trace: Trace) -> Iterator[Line]:
    """Yield what was said, done, reported and concluded in an episode; not the table's bookkeeping, nor what
    players asked inside a seat. Raises BadInput as `Trace.events` does."""
    count = Counter[int]()

    def line(n: int, at: int, one: Wording, seat: Seat) -> Line:
        count[n] += 1
        return Line(n, count[n], f"{n}.{at}", seat, one.label, one.text)

    for row in trace.rows:
        for one in not_told_again(protocol.reply_lines(row.seat, row.reply)):
            yield line(row.n, 0, one, row.seat)
    for n, events in trace.told():
        for at, event in enumerate(events, start=1):
            for one in wordings(event, protocol.words):
                if one.by or one.public:
                    yield line(n, at, one, one.by or one.kind)


def index_episodes(store: Store, runs: Collection[int] | None = None, *, seconds: float = inf) -> bool:
    """Index the ended episodes that are not indexed yet, of all runs or of some, for about so many seconds;
    return whether none is left. Those of protocols that are not installed are left out."""
    until, unknown = time.monotonic() + seconds, set[int]()
    while True:
        with store.connected() as connection:
            some = search_index.unread(connection, _LISTED, runs, unknown)
        if not some:
            return True
        for run, pairs in groupby(some, itemgetter(0)):
            try:
                info = store.info(run)
                protocol = protocol_of(info)
            except BadInput as error:
                LOG.warning("a run is not searched: %s", error.what)
                unknown.add(run)
                continue
            ordinals = [ordinal for _, ordinal in pairs]
            for at in range(0, len(ordinals), AT_ONCE):
                if time.monotonic() >= until:
                    return False
                _index(store, info, ordinals[at : at + AT_ONCE], protocol)


def _index(store: Store, info: RunInfo, ordinals: Sequence[int], protocol: Protocol) -> None:
    run = info.id
    with store.writing() as connection:
        lock(connection, run)  # what is deleted meanwhile is not indexed afterwards
        done = search_index.read_of(connection, run, ordinals)
        rows = queries.episodes_at(connection, run, [one for one in ordinals if one not in done])
        there = [ordinal for ordinal, row in rows.items() if row.status is not Status.DELETED]
        played = queries.exchanges_of_each(connection, run, there)
        texts = {
            at: _texts(protocol, trace_of(played.get(at, ()), rows[at].outcome), f"{info.name}:{at}")
            for at in there
        }
        search_index.add(connection, run, texts)


def _texts(protocol: Protocol, trace: Trace, name: str) -> list[LineText]:
    try:
        lines = lines_of(protocol, trace)
        return [LineText(one.n, one.place, one.seat, one.text) for one in lines]
    except (BadInput, *UNREADABLE) as error:
        LOG.warning("%s is not searched: %s", name, error)
        return []


class HitPage(NamedTuple):
    """A page of hits, and the place after which the next one begins, `None` if there is none."""

    hits: list[Hit]
    after: Place | None


def search(
    store: Store,
    phrases: Sequence[Phrase],
    shown: Callable[[Place], bool],
    count: int,
    *,
    runs: Collection[int] | None = None,
    seat: Seat = "",
    after: Place | None = None,
) -> HitPage:
    """The next indexed lines that hold every phrase, of the newest run first, of all runs or of some, and of
    one seat or of all. `shown` says whether the one who asks may see the episode. A page may hold fewer than
    `count` although there are more."""
    passages, hits = _Passages(store, phrases), list[Hit]()
    for _ in range(_MOST_BLOCKS):
        with store.connected() as connection:
            block = search_index.places(connection, phrases, _BLOCK, runs=runs, seat=seat, after=after)
        for at in block:
            after = at
            if shown(at) and (hit := passages.hit(at)):
                hits.append(hit)
                if len(hits) >= count:
                    return HitPage(hits, after)
        if len(block) < _BLOCK:
            return HitPage(hits, None)
    return HitPage(hits, after)


class _Passages:
    """A reader of the passages at places of the index, in a store: each episode is read once."""

    def __init__(self, store: Store, phrases: Sequence[Phrase]) -> None:
        self._store, self._phrases = store, phrases
        self._protocols: dict[int, Protocol] = {}
        self._read: tuple[tuple[int, int] | None, dict[tuple[int, int], Line]] = (None, {})

    def hit(self, at: Place) -> Hit | None:
        """The hit at a place; `None` if the line is no longer there, or lacks a phrase."""
        line = self._lines(at).get((at.n, at.place))
        pieces = passage(line.text, self._phrases) if line else ()
        return Hit(at, line, pieces) if line and pieces else None

    def _lines(self, at: Place) -> dict[tuple[int, int], Line]:
        if self._read[0] != at[:2]:
            self._read = at[:2], {(line.n, line.place): line for line in self._lines_of(at)}
        return self._read[1]

    def _lines_of(self, at: Place) -> list[Line]:
        row = self._store.ended(at.run, at.ordinal)
        if row is None:
            return []
        try:
            if at.run not in self._protocols:
                self._protocols[at.run] = protocol_of(self._store.info(at.run))
            trace = trace_of(self._store.recorded(at.run, at.ordinal), row.outcome)
            return list(lines_of(self._protocols[at.run], trace))
        except (BadInput, *UNREADABLE):  # no longer there, or of another version
            return []
