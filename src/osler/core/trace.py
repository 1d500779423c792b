"""The record of an episode: exchanges, and the events told between them.

An exchange is one question to a seat and its reply. Its row carries the events that happened since the
exchange before it was asked, a hash of the whole request, the reply, and the attempts that were refused. What
happened after the last exchange is the outcome's `tail`. Rows hold JSON text exactly as it was hashed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from osler.core.events import EVENTS, Event, JsonObject, Seat
from osler.errors import Status

E = TypeVar("E")


class ExchangeRow(NamedTuple):
    """One exchange as it is stored. `events`, `reply` and `attempts` are JSON text.

    `attempts` lists what was refused (`at`: player, form, rule, or model) and what the reply took (`used`).
    `calls` are the calls to models that were made for it, on their way to the store; a trace holds none.
    """

    n: int
    seat: Seat
    request: str
    events: str
    reply: str
    attempts: str
    calls: tuple[JsonObject, ...] = ()


class AskedRow(NamedTuple):
    """A question that is open: an exchange whose reply is not there yet.

    It is written while a player that costs something (a model, a person) is being asked, and is gone once its
    exchange is. `since` is in seconds since 1970, UTC.
    """

    n: int
    seat: Seat
    request: str
    events: str
    since: float = 0.0


class InnerRow(NamedTuple):
    """A stored inner exchange: a composite player's question to a player inside it, during exchange `n`.

    `path` numbers it within its exchange: "2", or "2.1" if that one asked another player in turn. `events` is
    the JSON text of the feed items beyond the seat's own feed; `request` hashes the whole request. `reply`,
    `attempts` and `calls` are as in `ExchangeRow`.
    """

    n: int
    path: str
    seat: Seat
    player: str
    request: str
    events: str
    reply: str
    attempts: str
    calls: tuple[JsonObject, ...] = ()

    @property
    def number(self) -> tuple[int, ...]:
        """The sort key of its place in the record: (4, 2, 1) for 4.2.1."""
        return (self.n, *map(int, self.path.split(".")))


class Outcome(NamedTuple):
    """The outcome of an episode: its status, the reason in words, its length, and its counters.

    `minutes` are simulated. `counts` holds its protocol's counters by name; a missing one was not counted.
    `tail` is the JSON text of the events told after the last exchange.

        >>> outcome = next(osler.run(limit=1).traces()).outcome
        >>> outcome.status, outcome.reason, sorted(outcome.counts)
        (<Status.COMPLETED: 'completed'>, 'concluded', ['cost', 'tests', 'turns'])
    """

    status: Status
    reason: str
    minutes: int
    exchanges: int
    counts: Mapping[str, int]
    tail: str


@dataclass(frozen=True)
class Trace:
    """The complete record of an episode: its exchanges in order, its outcome, and the inner exchanges.

    >>> trace = next(osler.run(limit=1).traces())
    >>> trace.rows[0].seat, trace.replies("doctor")[0]["action"]
    ('doctor', 'ASK')
    """

    rows: tuple[ExchangeRow, ...]
    outcome: Outcome
    inner: tuple[InnerRow, ...] = ()

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All events, in order. Raises BadInput for an unreadable event: one written by another version of
        Osler, or by a protocol that is not installed."""
        return tuple(event for _, told in self.told() for event in told)

    def told(self) -> Iterator[tuple[int, tuple[Event, ...]]]:
        """Yield (exchange number, the events after it and before the next), from 0: before the first.

        Raises BadInput as `events` does.
        """
        return iter(self._told)

    @cached_property
    def _told(self) -> tuple[tuple[int, tuple[Event, ...]], ...]:
        last = self.rows[-1].n if self.rows else 0
        pairs = [(row.n - 1, row.events) for row in self.rows]
        return tuple((n, _read(events, n)) for n, events in (*pairs, (last, self.outcome.tail)))

    def inside(self, n: int) -> list[InnerRow]:
        """The inner exchanges of exchange `n`, in order."""
        return [row for row in self.inner if row.n == n]

    def of(self, kind: type[E]) -> list[E]:
        """Return the events of one kind, in order. Raises BadInput as `events` does.

        >>> trace = next(osler.run(limit=1).traces())
        >>> trace.of(osler.Said)[0].by
        'patient'
        """
        return [event for event in self.events if isinstance(event, kind)]

    def replies(self, seat: Seat) -> list[JsonObject]:
        """The replies of one seat, private parts included, in order."""
        return [json.loads(row.reply) for row in self.rows if row.seat == seat]


def _read(text: str, after: int) -> tuple[Event, ...]:
    return EVENTS.read(text, f"what happened after exchange {after}")


def trace_of(rows: Iterable[ExchangeRow], outcome: Outcome, inner: Iterable[InnerRow] = ()) -> Trace:
    """Assemble a trace, sorting its exchanges."""
    return Trace(tuple(sorted(rows)), outcome, tuple(sorted(inner, key=lambda row: row.number)))
