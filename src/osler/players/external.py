"""External players, whose replies come from outside the process: a person, a program, another tool's loop.

The external party sees a `Pending` question and gives a reply. `Desk` keeps questions open until they are
answered; a person at a terminal is asked at once (`osler.players.person`). Everything is derived from the
request, so a seat may be left and taken again, by the same party or by another.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

from pydantic import TypeAdapter

from osler.core.contract import OwnReply, Request
from osler.core.events import NOT_VALID, Event, Noticed, Seat, View, json_of
from osler.core.role import EXTERNAL
from osler.errors import BadInput, Stale, TimeUp


@dataclass(frozen=True)
class Pending:
    """A question waiting for a reply from outside: the request, and properties derived from it alone.

    >>> event = osler.Said(minute=0, by="patient", text="It hurts.")
    >>> pending = osler.Pending(osler.Request(osler.View(), (event,), "world"))
    >>> pending.ticket, pending.is_first, pending.new == (event,)
    ('0.0', True, True)
    """

    request: Request[Any]

    @property
    def seat(self) -> Seat:
        """The seat that is asked."""
        return self.request.contract.seat if self.request.contract else ""

    @property
    def view(self) -> View:
        """The seat's view: everything it knew before the encounter began."""
        view: View = self.request.view
        return view

    @property
    def feed(self) -> tuple[Event | OwnReply, ...]:
        """The seat's whole feed: everything it was told, and its own earlier replies, in order."""
        return self.request.feed

    @cached_property
    def new(self) -> tuple[Event | OwnReply, ...]:
        """The part of the feed since the seat's last reply."""
        feed = self.request.feed
        for at in range(len(feed) - 1, -1, -1):
            if type(feed[at]) is OwnReply:
                return feed[at + 1 :]
        return feed

    @property
    def is_first(self) -> bool:
        """Whether the seat has not replied yet."""
        return len(self.new) == len(self.request.feed)

    @cached_property
    def refusals(self) -> tuple[str, ...]:
        """The reasons why earlier replies to this question were refused, as told to the seat."""
        notices = (item for item in self.new if type(item) is Noticed)
        return tuple(notice.text for notice in notices if notice.text.startswith(NOT_VALID))

    @property
    def notice(self) -> str:
        """The reason why the last reply was refused; empty if none was."""
        return self.refusals[-1] if self.refusals else ""

    @cached_property
    def ticket(self) -> str:
        """The id of the question, `TURN.REFUSALS`: the number of replies this seat has given, and of those to
        this question that were refused. It is counted from the feed, so the question keeps its ticket when
        the encounter is resumed.
        """
        replies = sum(type(item) is OwnReply for item in self.request.feed)
        return f"{replies}.{len(self.refusals)}"

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        return _schema(self.request.contract.reply) if self.request.contract else {}

    def as_json(self) -> dict[str, Any]:
        """The question as plain JSON, for remote parties; `new` is the number of items at the end of the feed
        since the seat's last reply."""
        return {
            "seat": self.seat,
            "ticket": self.ticket,
            "notice": self.notice,
            "view": json.loads(self.view.text),
            "feed": [_plain(item) for item in self.feed],
            "new": len(self.new),
            "schema": dict(self.schema),
        }


Outside = Callable[[Pending], Awaitable[object]]
"""The callable that obtains a reply from outside: the seat's reply type, or a dict of its fields. Any other
reply is refused at the table, and the question is asked again."""


class External:
    """A player answered from outside. `name` appears in the cast and in the episode's key; it does not depend
    on the transport."""

    durable: Final = True
    from_outside: Final = True

    def __init__(self, outside: Outside, name: str = EXTERNAL) -> None:
        self._outside, self.name = outside, name

    async def reply(self, request: Request[Any], /) -> Any:
        """Wait for the reply from outside."""
        return await self._outside(Pending(request))


class Desk:
    """The desk where the external seats of one encounter keep their questions open until they are answered.

    Not thread-safe: to be used from the event loop that plays the encounter.
    """

    def __init__(self) -> None:
        self._open: dict[Seat, tuple[Pending, asyncio.Future[object]]] = {}
        self._given: set[Seat] = set()
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []

    async def __call__(self, pending: Pending) -> object:
        """Open a question and wait for the reply; a seat's questions come one after another."""
        seat = pending.seat
        await self.until(lambda: seat not in self._open)
        future = asyncio.get_running_loop().create_future()
        self._open[seat] = pending, future
        self.settle((seat,))
        try:
            return await future
        finally:
            if seat in self._open and self._open[seat][1] is future:
                del self._open[seat]

    @property
    def pending(self) -> dict[Seat, Pending]:
        """The open question of each seat that has one, in the order in which they were asked."""
        return {seat: pending for seat, (pending, _) in self._open.items()}

    @property
    def is_settled(self) -> bool:
        """Whether every reply given has been recorded or refused."""
        return not self._given

    def answer(self, reply: object, at: str | None = None, seat: Seat | None = None) -> None:
        """Answer the open question with the ticket `at`, or, if that is `None`, whichever is open. `seat` is
        required if several seats wait.

        Raises Stale if that question is not open, and BadInput if it is ambiguous whose reply it is; in
        either case nothing is answered.
        """
        if seat is None:
            if len(self._open) > 1:
                waiting = ", ".join(self._open)
                raise BadInput("several seats wait for a reply", hint=f"say whose it is: {waiting}")
            seat = next(iter(self._open), "")
        if seat not in self._open:
            raise Stale("no question is open", where=seat, hint="wait for the next one")
        pending, future = self._open[seat]
        if at not in (None, pending.ticket):
            raise Stale(f"question {at} is not open", where=seat, hint=f"now {pending.ticket} is")
        del self._open[seat]
        self._given.add(seat)
        future.set_result(reply)

    def time_up(self, why: str, at: str, seat: Seat) -> None:
        """End the encounter at the open question with the ticket `at`, as a clock does: see TimeUp.

        Raises Stale if that question is not open.
        """
        if seat not in self._open or self._open[seat][0].ticket != at:
            raise Stale(f"question {at} is not open", where=seat, hint="it has been answered")
        _, future = self._open.pop(seat)
        self._given.add(seat)
        future.set_exception(TimeUp(why))

    def settle(self, seats: Sequence[Seat]) -> None:
        """Mark the replies of these seats as settled, that is, recorded or refused, and wake waiters."""
        self._given.difference_update(seats)
        for holds, future in self._waiting:
            if not future.done() and holds():
                future.set_result(None)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds; it is checked again only when `settle` is called."""
        while not holds():
            one = holds, asyncio.get_running_loop().create_future()
            self._waiting.append(one)
            try:
                await one[1]
            finally:
                self._waiting.remove(one)


@lru_cache(maxsize=64)
def _schema(reply: TypeAdapter[Any]) -> Mapping[str, Any]:
    return reply.json_schema()


def _plain(item: Event | OwnReply) -> dict[str, Any]:
    line = f'{{"own":{json_of(item.reply)}}}' if isinstance(item, OwnReply) else item.line
    value: dict[str, Any] = json.loads(line)
    return value
