"""The stagings of the events that any protocol may tell, and of the lines in the view `room`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from osler.choreography.cues import (
    Cue,
    Earn,
    Go,
    Handler,
    Open,
    Pin,
    Say,
    Show,
    State,
    Tell,
    Unpin,
    ViewedEvent,
)
from osler.choreography.plan import CORRIDOR


def _placed(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Tell(f"place: {item.text('place')}")


def _moved(item: ViewedEvent, state: State) -> Iterator[Cue]:
    who, place = item.text("who"), item.text("place")
    yield Tell(f"{who} goes to {place}")
    if who:
        yield Go(who, place or CORRIDOR)


def _turn(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Say()
    if (item.event or {}).get("last_chance"):
        yield Show("notice", "The last turn")


def _said(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Say()


def _released(item: ViewedEvent, _: State) -> Iterator[Cue]:
    """Mark evidence as earned: its id, how, and where it is from; not its text, which was said."""
    where = {"case": "from the case", "synthetic": "made up", "policy:normal": "normal by policy"}
    provenance = item.text("provenance")
    words = f"{item.text('gate')}, {where.get(provenance, provenance)}"
    yield Tell(f"evidence {item.text('item')}: {words}")
    yield Earn("evidence", item.text("item"), words)


def _ordered(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Say()
    yield Pin(item.number("order") or 0, item.text("name"))


def _taken(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Say()
    yield Pin(item.number("order") or 0, item.text("name"), item.number("ready_minute"))


def resulted(item: ViewedEvent, state: State) -> Iterator[Cue]:
    """A result, or the reason why there is none: the slip comes off, and a card goes to the notebook."""
    if item.number("order") is None:  # in the room, where its line tells of it
        yield from _result_line(item, state)
        return
    returned = (item.event or {}).get("returned") is not False
    order, name, text = item.number("order") or 0, item.text("name"), item.text("text")
    yield Unpin(order, name, "" if returned else text)
    yield Earn("result" if returned else "refusal", name, text, order)
    yield Say()


def _pictured(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Earn("picture", item.text("name"), "", item.number("order") or 0)
    yield Say()


def _recalled(item: ViewedEvent, _: State) -> Iterator[Cue]:
    for card in (item.event or {}).get("cards", ()):
        yield Earn("memory", "from memory", _text(card))
    yield Say()


def _text(card: Any) -> str:
    return str(card.get("text", "")) if isinstance(card, Mapping) else str(card)


def _assured(item: ViewedEvent, _: State) -> Iterator[Cue]:
    """The doctor spoke of confidence: only that is shown, nothing of what it opens."""
    yield Open(f"confidence: {item.text('how')}")
    yield Tell(f"confidence is assured ({item.text('how')})")


def _ended(item: ViewedEvent, _: State) -> Iterator[Cue]:
    yield Say()


EVENTS: Final[Mapping[str, Handler]] = {
    "place": _placed,
    "move": _moved,
    "turn": _turn,
    "said": _said,
    "released": _released,
    "notice": _said,
    "order": _ordered,
    "taken": _taken,
    "result": resulted,
    "picture": _pictured,
    "recalled": _recalled,
    "corrected": _said,
    "reconsider": _said,
    "leaning": _said,
    "assured": _assured,
    "contradicted": _said,
    "ended": _ended,
}
"""By kind of event. One that stands neither here nor in its protocol's staging is a line of the log."""


def _order_line(item: ViewedEvent, _: State) -> Iterator[Cue]:
    """Say a line, and pin up its orders in the giver's words, before their numbers are known."""
    yield Say()
    for line in item.lines:
        if line.kind == "order":
            yield Pin(0, line.text)


def _result_line(item: ViewedEvent, _: State) -> Iterator[Cue]:
    for line in item.lines:
        name, _colon, text = line.text.partition(": ")
        refused = line.kind == "no result"
        yield Unpin(0, name, text if refused else "")
        yield Earn("refusal" if refused else "result", name, text)
    yield Say()


LINES: Final[Mapping[str, Handler]] = {
    "order": _order_line,
    "result": _result_line,
    "no result": _result_line,
}
"""By kind of the first line, for replies and for what was open in the room."""
