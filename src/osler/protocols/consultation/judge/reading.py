"""The judges' view of a trace: plain lists, parsed once and cheaply.

The events of a trace were validated when they were recorded, so they are read here as plain JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pydantic_core import from_json

from osler.core.trace import Trace
from osler.judging.scores import Json

_READ: Final = frozenset({"turn", "said", "order", "released", "result", "advice"})


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
    last_turn: Json | None = None
    advised: bool = False
    final: Json | None = None

    def moves(self) -> Iterator[Json]:
        """The doctor's moves including the conclusion, each parsed lazily."""
        return map(from_json, self.replies)


def read(trace: Trace) -> Reading:
    """Parse a trace."""
    found = Reading()
    for row in trace.rows:
        if row.seat == "doctor" and row.reply != "null":
            found.replies.append(row.reply)
        elif row.seat == "examination" and row.reply != "null":
            found.matches.append(from_json(row.reply))
    if found.replies and (last := from_json(found.replies[-1]))["action"] == "FINALIZE":
        found.final = last
    told = ",".join([row.events for row in trace.rows] + [trace.outcome.tail])
    for events in from_json(f"[{told}]"):
        for event in events:
            if event["kind"] in _READ:
                _take(found, event)
    return found


def _take(found: Reading, event: Json) -> None:
    match event["kind"]:
        case "said":
            (found.questions if event["by"] == "doctor" else found.heard).append(event["text"])
        case "turn":
            found.last_turn = event
        case "order":
            found.orders.append(event["name"])
        case "released":
            found.released.setdefault(event["item"], event.get("gate", "asked"))
        case "result":
            found.heard.append(f"{event['name']}: {event['text']}")
        case "advice":
            found.advised = True
            found.heard.append(event["note"])
