"""A consultation as its judge sees it: what was asked, heard, ordered and released, in plain lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic_core import from_json

from osler.core.events import Event, Released, Said, TurnBegan
from osler.core.order_events import Ordered, Resulted
from osler.core.trace import Trace
from osler.judging.scores import Json
from osler.protocols.consultation.events import Advised
from osler.protocols.consultation.story import conclusion_of


@dataclass
class Reading:
    """An episode as a judge sees it. Everything is in the order it happened.

    `replies` are the doctor's moves as unparsed JSON, since few scores need them all. `heard` is what reached
    the doctor: the patient's words, results with their names, a consultant's notes.
    """

    replies: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)
    matches: list[Json] = field(default_factory=list)
    released: dict[str, str] = field(default_factory=dict)
    last_turn: TurnBegan | None = None
    advised: bool = False
    final: Json | None = None

    def moves(self) -> Iterator[Json]:
        """The doctor's moves including the conclusion, each parsed lazily."""
        return map(from_json, self.replies)


def read(trace: Trace) -> Reading:
    """Read a trace. Raises BadInput as `Trace.events` does."""
    found = Reading(final=conclusion_of(trace))
    for row in trace.rows:
        if row.seat == "doctor" and row.reply != "null":
            found.replies.append(row.reply)
        elif row.seat == "examination" and row.reply != "null":
            found.matches.append(from_json(row.reply))
    for event in trace.events:
        _take(found, event)
    return found


def _take(found: Reading, event: Event) -> None:
    match event:
        case Said():
            (found.questions if event.by == "doctor" else found.heard).append(event.text)
        case TurnBegan():
            found.last_turn = event
        case Ordered():
            found.orders.append(event.name)
        case Released():
            found.released.setdefault(event.item, event.gate)
        case Resulted():
            found.heard.append(f"{event.name}: {event.text}")
        case Advised():
            found.advised = True
            found.heard.append(event.note)
