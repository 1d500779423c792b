"""A player whose replies come from outside: a person, a program, another tool's loop.

Whatever is outside sees a `Pending` question and gives a reply. `Desk` lays questions open until somebody
replies to them; a person at a terminal is asked at once (`osler.players.person`). Everything is derived from
the request, so a seat may be left and taken again, by the same party or by another.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

from pydantic import TypeAdapter

from osler.errors import BadInput, Stale
from osler.seats.contract import Own, Request
from osler.seats.events import NOT_VALID, Event, Noticed, Seat, View, json_of

EXTERNAL: Final = "external"
PERSON: Final = "person"


@dataclass(frozen=True)
class Pending:
    """A question that waits for a reply from outside: the request, and what is worked out from it alone."""

    request: Request[Any]

    @property
    def seat(self) -> Seat:
        """The seat that is asked."""
        return self.request.contract.seat if self.request.contract else ""

    @property
    def view(self) -> View:
        """What the seat knew before the first word."""
        view: View = self.request.view
        return view

    @property
    def feed(self) -> tuple[Event | Own, ...]:
        """All that the seat was told, and its own earlier replies, in order."""
        return self.request.feed

    @cached_property
    def new(self) -> tuple[Event | Own, ...]:
        """What the seat was told since its last reply."""
        feed = self.request.feed
        for at in range(len(feed) - 1, -1, -1):
            if type(feed[at]) is Own:
                return feed[at + 1 :]
        return feed

    @property
    def is_first(self) -> bool:
        """Whether the seat has not replied yet."""
        return len(self.new) == len(self.request.feed)

    @cached_property
    def refusals(self) -> tuple[str, ...]:
        """Why each reply to this question so far was refused, in the words the seat was told."""
        notices = (item for item in self.new if type(item) is Noticed)
        return tuple(notice.text for notice in notices if notice.text.startswith(NOT_VALID))

    @property
    def notice(self) -> str:
        """Why the last reply was refused; empty where none was."""
        return self.refusals[-1] if self.refusals else ""

    @cached_property
    def ticket(self) -> str:
        """`TURN.REFUSALS`: the replies this seat has given, and how many to this question were refused. It is
        counted from the feed, so whoever resumes the encounter finds the same question under the same ticket.
        """
        replies = sum(type(item) is Own for item in self.request.feed)
        return f"{replies}.{len(self.refusals)}"

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON schema of the reply."""
        return _schema(self.request.contract.reply) if self.request.contract else {}

    def as_json(self) -> dict[str, Any]:
        """All of it as plain JSON, for whoever is reached over a wire; `new` says how many items at the end
        of the feed came since the seat's last reply."""
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
"""What replies from outside: with the seat's reply type, or a dict of its fields. A reply that is neither is
refused at the table, and the question comes again."""


class External:
    """A seat that is answered from outside. `name` stands in the cast and in the episode's key; it is the
    same whatever the question travels by."""

    durable: Final = True

    def __init__(self, outside: Outside, name: str = EXTERNAL) -> None:
        self._outside, self.name = outside, name

    async def reply(self, request: Request[Any], /) -> Any:
        """Wait for the reply from outside."""
        return await self._outside(Pending(request))


class Desk:
    """Where the external seats of one encounter lay their questions open until somebody replies.

    For the event loop that plays the encounter.
    """

    def __init__(self) -> None:
        self._open: dict[Seat, tuple[Pending, asyncio.Future[object]]] = {}
        self._given: set[Seat] = set()
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []

    async def __call__(self, pending: Pending) -> object:
        """Lay a question open and wait for the reply; a seat's questions come one after another."""
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
        """The open question of each seat that has one, in the order in which they were put."""
        return {seat: pending for seat, (pending, _) in self._open.items()}

    @property
    def is_settled(self) -> bool:
        """Whether every reply that was given is on record, or was refused."""
        return not self._given

    def answer(self, reply: object, at: str | None = None, seat: Seat | None = None) -> None:
        """Give the reply to the open question with the ticket `at`; `None` takes whichever is open. `seat` is
        needed where several wait.

        Raises Stale where that question is not open, BadInput where it cannot be said whose reply it is; then
        nothing is given.
        """
        if seat is None:
            if len(self._open) > 1:
                waiting = ", ".join(self._open)
                raise BadInput("several seats wait for a reply", mend=f"say whose it is: {waiting}")
            seat = next(iter(self._open), "")
        if seat not in self._open:
            raise Stale("no question is open", where=seat, mend="wait for the next one")
        pending, future = self._open[seat]
        if at not in (None, pending.ticket):
            raise Stale(f"question {at} is not open", where=seat, mend=f"now {pending.ticket} is")
        del self._open[seat]
        self._given.add(seat)
        future.set_result(reply)

    def settle(self, seats: Sequence[Seat]) -> None:
        """The replies of these seats are on record, or were refused."""
        self._given.difference_update(seats)
        for holds, future in self._waiting:
            if not future.done() and holds():
                future.set_result(None)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds that changes only where `settle` is called."""
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


def _plain(item: Event | Own) -> dict[str, Any]:
    line = f'{{"own":{json_of(item.reply)}}}' if isinstance(item, Own) else item.line
    found: dict[str, Any] = json.loads(line)
    return found
