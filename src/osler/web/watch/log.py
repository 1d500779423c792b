"""The log of an episode, ended or not, as one view has it.

A seat's view holds the events that the seat was told and its own replies, nothing else. `room` holds what
was said, done or concluded openly and what everybody sees happen, `all` everything. What is read grows only
at its end, so a reader goes on after the last id it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pydantic_core import from_json, to_jsonable_python

from osler.core.events import EVENTS, NOT_VALID, Event, Seat
from osler.core.protocol import Protocol
from osler.core.trace import AskedRow, ExchangeRow
from osler.core.wording import DONE, Wording, not_told_again, wordings
from osler.errors import BadInput
from osler.runs.run import protocol_of
from osler.store import queries
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.schemas import LogItem, Mark, TextLine
from osler.web.watch.schemas import Log

ROOM: Final = "room"
ALL: Final = "all"
UNDER_TEST: Final = "doctor"
"""The view with the eyes of the seat under test, whatever the protocol calls it."""

Id = tuple[int, int]
"""A place in a log: (exchange, event after it)."""
START: Final[Id] = (0, 0)


class Recorded(NamedTuple):
    """The record of an episode so far. `tail` are the events after the last exchange, `None` until it
    has ended; `inner` the exchanges in which a player asked others inside it."""

    rows: Sequence[ExchangeRow]
    asked: Sequence[AskedRow] = ()
    tail: str | None = None
    inner: frozenset[int] = frozenset()


class Entry(NamedTuple):
    """One event or reply of an episode, whoever may see it."""

    at: Id
    minute: int
    event: Event | None = None
    seat: Seat = ""
    reply: str = ""
    has_inner: bool = False


@dataclass(frozen=True)
class View:
    """The eyes with which a log is read: a seat's, or `room`, or `all` (then `seat` is empty)."""

    name: str
    seat: Seat = ""


def view_of(plays: Protocol, name: str) -> View:
    """The view of a name: a seat, "doctor" (the seat under test), "room" or "all". Raises BadInput for
    others."""
    if name in (ROOM, ALL):
        return View(name)
    roles = [role.name for role in plays.roles]
    if name == UNDER_TEST and name not in roles:
        name = plays.under_test
    role = plays.role(name)
    if role.many and name == role.name:
        return View(name, f"{name}_1")
    return View(name, name)


def id_of(text: str) -> Id:
    """Read an id "N.I"; the empty text is the start. Raises BadInput."""
    if not text:
        return START
    n, dot, i = text.partition(".")
    if not (dot and all(part.isascii() and part.isdecimal() and len(part) <= 9 for part in (n, i))):
        raise BadInput(f"{text[:40]!r} is not the id of a log item", hint="ids look like 4.2")
    return int(n), int(i)


def recorded(store: Store, run_id: int, ordinal: int, after: int = 0) -> Recorded:
    """Read what is recorded of an episode so far, without its first `after` exchanges."""
    with store.connected() as connection:
        # In this order nothing is missed that is written meanwhile: the end, then the open questions.
        ended = queries.episode(connection, run_id, ordinal)
        asked = [] if ended else queries.asked_of(connection, run_id, ordinal)
        rows = queries.exchanges_of(connection, run_id, ordinal, after)
        inner = queries.exchanges_with_inner(connection, run_id, ordinal, after)
    return Recorded(rows, asked, ended.tail if ended else None, inner)


def entries(record: Recorded, after: int = 0, minute: int = 0) -> Iterator[Entry]:
    """Yield the events and replies after exchange `after`, up to the first reply that is still awaited.

    Raises BadInput for an event that this version of Osler cannot read.
    """
    answered = {row.n: row for row in record.rows}
    waiting = {row.n: row for row in record.asked}
    n = after
    while row := answered.get(n + 1) or waiting.get(n + 1):
        for entry in _told(row.events, n):
            minute = entry.minute
            yield entry
        n += 1
        if n not in answered:
            return
        reply = answered[n].reply
        yield Entry((n, 0), minute, None, row.seat, reply, has_inner=n in record.inner)
    if record.tail is not None and n == max(answered, default=after):
        yield from _told(record.tail, n)


def _told(events: str, n: int) -> Iterator[Entry]:
    for at, event in enumerate(EVENTS.read(events, f"what happened after exchange {n}"), start=1):
        yield Entry((n, at), event.minute, event)


def seen(
    entry: Entry, view: View, plays: Protocol, picture: Callable[[str], str] = lambda id_: ""
) -> LogItem | None:
    """An entry as a view has it, `None` where it does not. `picture` makes the address of an item's
    picture."""
    n, at = entry.at
    item = LogItem(id=f"{n}.{at}", n=n, minute=entry.minute)
    return (
        _event(entry.event, item, view, plays, picture) if entry.event else _reply(entry, item, view, plays)
    )


def _event(
    event: Event, item: LogItem, view: View, plays: Protocol, picture: Callable[[str], str]
) -> LogItem | None:
    if view.seat and view.seat not in event.to:
        return None
    worded = wordings(event, plays.words)
    # In the room the wording is sent and what everybody sees: other fields of the event may be private.
    is_room = view.name == ROOM and not view.seat
    whole = _seen_event(event) if is_room else whole_event(event)
    if is_room:
        worded = tuple(one for one in worded if one.public)
        if not (worded or whole):
            return None
    shows = picture(item.id) if getattr(event, "picture", None) is not None else ""
    return item.model_copy(
        update={"event": whole, "lines": _lines(worded), "mark": mark_of(event), "picture": shows}
    )


def _reply(entry: Entry, item: LogItem, view: View, plays: Protocol) -> LogItem | None:
    own = view.seat == entry.seat
    if not own and view.seat:
        return None
    worded = plays.reply_lines(entry.seat, entry.reply)
    if not own:
        worded = not_told_again(worded)
    if view.name == ROOM and not own:  # as for events: the rest of the reply may be private
        opened = tuple(one for one in worded if one.public)
        shown = {"lines": _lines(opened), "mark": mark_of_reply(opened)}
        return item.model_copy(update=shown) if opened else None
    mark = mark_of_reply(worded, ends=own) or ("thought" if entry.has_inner else None)
    update = {"seat": entry.seat, "reply": from_json(entry.reply), "lines": _lines(worded), "mark": mark}
    return item.model_copy(update=update)


def whole_event(event: Event) -> dict[str, Any]:
    """An event as plain JSON with every field, defaults included. A picture's data are left out, since they
    would say what is to be seen: `LogItem.picture` is its address."""
    whole = {name: to_jsonable_python(getattr(event, name)) for name in type(event).model_fields}
    if "picture" in whole:
        whole["picture"] = None
    return whole


def _seen_event(event: Event) -> dict[str, Any] | None:
    """Return the parts of an event that everybody sees, `None` if there are none."""
    shown = {name: to_jsonable_python(getattr(event, name)) for name in event.seen}
    return {"kind": event.kind, **shown} if any(shown.values()) else None


def _lines(worded: Iterable[Wording]) -> list[TextLine]:
    return [
        TextLine(label=one.label, kind=one.kind, text=one.text, by=one.by, public=one.public)
        for one in worded
    ]


def items(
    record: Recorded,
    view: View,
    plays: Protocol,
    picture: Callable[[str], str] = lambda id_: "",
    after: Id = START,
) -> list[LogItem]:
    """The items of a log after an id, as a view has them."""
    result = (seen(entry, view, plays, picture) for entry in entries(record) if entry.at > after)
    return [item for item in result if item is not None]


def log(
    store: Store,
    run: RunInfo,
    ordinal: int,
    view: str,
    after: str = "",
    picture: Callable[[str], str] = lambda id_: "",
) -> Log:
    """The log of a stored episode in one view, after an id. Raises BadInput if there is no such episode or
    view."""
    plays = protocol_of(run)
    if not run.may_have(ordinal):
        raise BadInput(f"the run has no episode {ordinal}", where=run.name)
    eyes, since = view_of(plays, view), id_of(after)
    record = recorded(store, run.id, ordinal)
    result = items(record, eyes, plays, picture, since)
    last = result[-1].id if result else after
    return Log(
        run=run.name, ordinal=ordinal, view=view, items=result, last=last, ended=record.tail is not None
    )


# The moments that a scrubber marks, by the kind of event, and by the lines of a reply


MARKS: Final[Mapping[str, Mark]] = {
    "released": "evidence",
    "result": "evidence",
    "picture": "evidence",
    "observed": "evidence",
    "happened": "evidence",
    "order": "order",
    "acted": "order",
    "consult": "consult",
    "query": "consult",
    "recalled": "thought",
    "corrected": "thought",
    "reconsider": "thought",
    "leaning": "thought",
    "unguided": "refusal",
    "ended": "end",
}
"""The mark of each kind of event; a kind that is not here, such as a plug-in's, has none."""
_BY_LINE: Final[Mapping[str, Mark]] = {
    "order": "order",
    DONE: "order",
    "concludes": "end",
    "reasons": "thought",
}
_CONSULTED: Final = frozenset({"the consultant", "the expert"})
_IDLE: Final = frozenset({"waits", "asks nothing"})
_FIRST: Final[tuple[Mark, ...]] = ("end", "order", "consult", "thought")


def mark_of_reply(lines: Iterable[Wording], *, ends: bool = True) -> Mark | None:
    """The mark of a seat's reply. Without `ends` a conclusion has none, since the end itself follows."""
    acts = (one for one in lines if one.text not in _IDLE)
    result = {"consult" if one.to in _CONSULTED else _of_line(one.kind) for one in acts}
    mark = next((one for one in _FIRST if one in result), None)
    return mark if ends or mark != "end" else None


def _of_line(kind: str) -> Mark | None:
    return "thought" if kind.startswith("thinks") else _BY_LINE.get(kind)


def mark_of(event: Event) -> Mark | None:
    """The mark of an event, if it has one."""
    if getattr(event, "returned", True) is False or _refuses(event):
        return "refusal"
    if getattr(event, "actions", None) == ():  # a turn in which nothing was done
        return None
    return MARKS.get(getattr(event, "part", event.kind))


def _refuses(event: Event) -> bool:
    if event.kind == "notice":
        return bool(getattr(event, "said", "")) or getattr(event, "text", "").startswith(NOT_VALID)
    return getattr(event, "approved", True) is False
