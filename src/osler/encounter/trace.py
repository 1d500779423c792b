"""The record of an episode: exchanges, and the events told between them.

An exchange is one question to a seat and its reply. Its row carries the events that happened since the
exchange before it was asked, a hash of the whole request, the reply, and the attempts that were refused. What
happened after the last exchange is the outcome's `tail`. Rows hold JSON text exactly as it was hashed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from osler.errors import Status
from osler.seats.events import EVENTS, Event, Seat

E = TypeVar("E")


class ExchangeRow(NamedTuple):
    """One exchange as it is stored. `events`, `reply` and `attempts` are JSON text.

    `attempts` lists what was refused (`at`: player, form, rule, or model) and what the reply took (`used`).
    """

    n: int
    seat: Seat
    request: str
    events: str
    reply: str
    attempts: str


class Outcome(NamedTuple):
    """How an episode ended. `tail` is the JSON text of what was told after the last exchange."""

    status: Status
    reason: str
    turns: int
    tests: int
    minutes: int
    cost: int
    exchanges: int
    tail: str


@dataclass(frozen=True)
class Trace:
    """A whole episode to read: its exchanges in order and its outcome."""

    rows: tuple[ExchangeRow, ...]
    outcome: Outcome

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened, in order."""
        told = [event for row in self.rows for event in EVENTS.validate_json(row.events)]
        return (*told, *EVENTS.validate_json(self.outcome.tail))

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def replies(self, seat: Seat) -> list[dict[str, Any]]:
        """What one seat answered, private parts included, in order."""
        return [json.loads(row.reply) for row in self.rows if row.seat == seat]

    @property
    def final(self) -> dict[str, Any] | None:
        """The doctor's conclusion: the last move, if it was FINALIZE."""
        last = next((row.reply for row in reversed(self.rows) if row.seat == "doctor"), "null")
        move: dict[str, Any] | None = json.loads(last)
        return move if move and move["action"] == "FINALIZE" else None


def trace_of(rows: Iterable[ExchangeRow], outcome: Outcome) -> Trace:
    """Put a record together, in the order of its exchanges."""
    return Trace(tuple(sorted(rows)), outcome)
