"""A person in a seat: what is new is shown, lines are read, and the lines become a reply.

The person sees exactly what any other player in that seat would see. Everything is derived from the question,
so a person may get up and come back: whoever resumes sees the whole conversation again. What differs between
kinds of seats, in words and commands, is a `Form`; a protocol has one for each view a person may sit with.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from osler.pictures import draw
from osler.players.external import PERSON, Desk, External, Pending
from osler.seats.contract import Own
from osler.seats.events import Event, View
from osler.seats.order_events import Resulted
from osler.seats.pictures import Picture

_HELP: Final = ("/help", "/?")


class Channel(Protocol):
    """How a person is reached: a terminal, a test."""

    async def read(self, prompt: str) -> str:
        """The next line, without its end. Raises EOFError when there will be no more."""
        ...

    def write(self, text: str) -> None:
        """Show something. The text is hostile: a channel neutralizes control characters."""
        ...

    def picture(self, name: str, png: bytes) -> None:
        """Show a picture, under the name it was ordered by."""
        ...


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a person in one kind of seat is talked with.

    `briefing` is the view in lines and `pictures` those that belong to it, by name; `words` is an item of the
    feed in lines. `read` reads a reply. `shows` are commands of this seat that show something and send
    nothing. A command stands alone on its line unless `takes_more`.
    """

    help: str
    briefing: Callable[[Any], list[str]]
    words: Callable[[Event | Own], Iterable[str]]
    read: Callable[[Pending, Talk], Awaitable[object]]
    shows: Mapping[str, Callable[[Pending], list[str]]] = field(default_factory=dict)
    pictures: Callable[[Any], Iterable[tuple[str, Picture]]] = lambda view: ()
    takes_more: bool = False

    def opening(self, view: View) -> list[str]:
        """What is shown before the first word."""
        return [*self.briefing(view), "", self.help, ""]

    def told(self, feed: Sequence[Event | Own]) -> list[str]:
        """What a seat was told and said itself, in lines."""
        return [line for item in feed for line in self.words(item)]


Forms = Mapping[type[View], Form]
"""The form for each kind of view."""


class Talk:
    """A person who is asked one question, at a channel."""

    def __init__(self, channel: Channel, form: Form, pending: Pending) -> None:
        self._channel, self._form, self._pending = channel, form, pending

    async def reply(self) -> object:
        """Show what is new since the seat's last reply and read the next."""
        pending, form = self._pending, self._form
        if pending.is_first:
            self.show(form.opening(pending.view))
            for name, picture in form.pictures(pending.view):
                self._channel.picture(name, draw(picture))
        self.show(form.told(pending.new))
        for item in pending.new:
            if isinstance(item, Resulted) and item.picture:
                self._channel.picture(item.name, draw(item.picture))
        return await form.read(pending, self)

    async def line(self, prompt: str) -> str:
        """The next line that is none of the commands every person has, nor one that only shows something."""
        while True:
            line = (await self.raw(prompt)).strip()
            shown = self._shown(line)
            if shown is None:
                return line
            self.show(shown)

    async def raw(self, prompt: str) -> str:
        """The next line, whatever it is. Who leaves ends the sitting."""
        try:
            return await self._channel.read(prompt)
        except EOFError:
            raise asyncio.CancelledError from None

    def show(self, lines: Sequence[str]) -> None:
        """Show lines, if there are any."""
        if lines:
            self._channel.write("\n".join(lines))

    def unknown(self, line: str) -> None:
        """Say that a line is no command."""
        self.show([f"{line.split()[0]} is not a command. /help lists them."])

    def _shown(self, line: str) -> list[str] | None:
        """What a command shows; `None` where the line is for the form to read."""
        command, _, more = line.casefold().partition(" ")
        if more and not self._form.takes_more:
            return None
        if command == "/quit":
            raise asyncio.CancelledError
        if command in _HELP:
            return [self._form.help]
        if command == "/history":
            return self._form.told(self._pending.feed)
        show = self._form.shows.get(command)
        return show(self._pending) if show else None


def person_at(outside: Channel | Desk, forms: Forms) -> External:
    """A person in a seat. At a channel they are asked in words; at a desk the question waits for a screen, or
    another program, that knows how to put it."""
    if isinstance(outside, Desk):
        return External(outside, PERSON)
    return External(lambda pending: Talk(outside, forms[type(pending.view)], pending).reply(), PERSON)
