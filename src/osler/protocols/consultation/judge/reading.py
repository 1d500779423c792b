"""A consultation as its judge sees it: what was asked, heard, ordered and released, in plain lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic_core import from_json

from osler.core.events import Event, Released, Said, TurnBegan
from osler.core.order_events import Ordered, Resulted, Taken
from osler.core.trace import Trace
from osler.judging.scores import Json
from osler.protocols.consultation.events import Advised, Presented
from osler.protocols.consultation.story import conclusion_of


@dataclass(slots=True)
class Exchange:
    """A line of the doctor, its turn, the patient's reply, and the facts it opened, by id."""

    said: str
    turn: int = 0
    reply: str = ""
    opened: list[str] = field(default_factory=list)


@dataclass(slots=True)
class PlacedOrder:
    """An order in the doctor's words, in which turn, and the ids of the case's findings it asks for."""

    name: str
    turn: int = 0
    findings: tuple[str, ...] = ()


@dataclass
class Reading:
    """An episode as a judge sees it. Everything is in the order it happened.

    `replies` are the doctor's moves as unparsed JSON, since few scores need them all. `heard` is what reached
    the doctor: the patient's words, results with their names, a consultant's notes, a text shown instead.
    `taken` are the numbers of the orders, from 1, that were accepted or answered with a result. `last_turn`
    is the last one of the consultation itself, not the one that only asks to conclude from its summary.
    """

    replies: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)
    placed: list[PlacedOrder] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    matches: list[Json] = field(default_factory=list)
    released: dict[str, str] = field(default_factory=dict)
    last_turn: TurnBegan | None = None
    summarized: bool = False
    advised: bool = False
    final: Json | None = None

    @property
    def turn(self) -> int:
        """The number of the turn that has begun last; 0 before the first."""
        return self.last_turn.turn if self.last_turn else 0

    def pending(self) -> list[str]:
        """The ids of the findings that were ordered and accepted, and whose results had not come back."""
        items = (item for n, one in enumerate(self.placed, 1) if n in self.taken for item in one.findings)
        return [item for item in dict.fromkeys(items) if item not in self.released]

    def moves(self) -> Iterator[Json]:
        """The doctor's moves including the conclusion, each parsed lazily."""
        return map(from_json, self.replies)


def read(trace: Trace) -> Reading:
    """Read a trace. Raises BadInput as `Trace.events` does."""
    result = Reading(final=conclusion_of(trace))
    for row in trace.rows:
        if row.seat == "doctor" and row.reply != "null":
            result.replies.append(row.reply)
        elif row.seat == "examination" and row.reply != "null":
            result.matches.append(from_json(row.reply))
    for event in trace.events:
        _take(result, event)
    for order, match in zip(result.placed, result.matches, strict=False):
        order.findings = tuple(match.get("findings", ()))
    return result


def _take(reading: Reading, event: Event) -> None:
    match event:
        case Said():
            _hear(reading, event)
        case TurnBegan() if not reading.summarized:
            reading.last_turn = event
        case Presented():
            reading.summarized = event.how == "summary"
            reading.heard.append(event.text)
        case Ordered():
            reading.orders.append(event.name)
            reading.placed.append(PlacedOrder(event.name, reading.turn))
        case Taken():
            reading.taken.add(event.order)
        case Released():
            reading.released.setdefault(event.item, event.gate)
            if event.gate != "ordered" and reading.exchanges:
                reading.exchanges[-1].opened.append(event.item)
        case Resulted():
            reading.heard.append(f"{event.name}: {event.text}")
            if event.returned:
                reading.taken.add(event.order)
        case Advised():
            reading.advised = True
            reading.heard.append(event.note)


def _hear(reading: Reading, said: Said) -> None:
    """Note what was said, and a patient's first reply beside what it replies to."""
    if said.by == "doctor":
        reading.questions.append(said.text)
        reading.exchanges.append(Exchange(said.text, reading.turn))
        return
    reading.heard.append(said.text)
    if said.by == "patient" and reading.exchanges and not reading.exchanges[-1].reply:
        reading.exchanges[-1].reply = said.text


def acts_of(reading: Reading) -> list[str]:
    """The doctor's acts in their own words: the plan, the follow-up and the orders."""
    return [*plan_of(reading), *reading.orders]


def plan_of(reading: Reading) -> list[str]:
    """The plan and the follow-up of the conclusion, line by line."""
    final = reading.final
    lines = [*map(str, final.get("plan") or ()), str(final.get("followup") or "")] if final else []
    return [line for line in lines if line]
