"""Human players: show what is new, read lines, and turn the lines into a reply.

The person sees exactly what any other player in that seat would see. Everything is derived from the question,
so a person may leave and come back: on resuming, the whole conversation is shown again. Wording and commands
that differ between kinds of seat are in a `Form`; a protocol has one for each type of view.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import Event, Noticed, View
from osler.core.order_events import Resulted
from osler.core.pictures import Picture
from osler.core.role import PERSON
from osler.knowledge.help_lines import help_lines
from osler.pictures import draw
from osler.players.external import Desk, External, Pending
from osler.text.distress import own_distress

_HELP: Final = ("/help", "/?")
_PAUSE: Final = ("/pause", "/out")
PAUSED: Final = """\
You have stepped out. Nothing is timed, recorded or scored while you are out, and leaving counts for nothing.
If the case has touched something of your own, talk to somebody you trust, or to one of these:"""
YOU_OR_THE_CASE: Final = "Before that is said to anybody here: is this you, or the case? you/case> "
FOR_YOU: Final = """\
Thank you for saying so. It has not been said in the encounter, and it is neither recorded nor scored. This
program cannot judge how you are; a person can. If you may be in danger now, call the emergency number. You
can also reach somebody here:"""
BACK_IN: Final = "Enter to go back in, /quit to stop here> "


class Channel(Protocol):
    """The input and output to a person, such as a terminal or a test double."""

    async def read(self, prompt: str) -> str:
        """Read the next line, without its line end. Raises EOFError at the end of input."""
        ...

    def write(self, text: str) -> None:
        """Show a text. It is untrusted: a channel must neutralize control characters."""
        ...

    def picture(self, name: str, image: bytes, /) -> None:
        """Show a picture (PNG or JPEG), under the name it was ordered by."""
        ...


class Concern(NamedTuple):
    """Something to confirm before a person's reply is given: its kind, the words to ask with, and the reply
    that is given instead if so confirmed. One that `blocks` cannot be confirmed away."""

    kind: Literal["order", "early", "contradicts", "wait", "distress"]
    text: str
    instead: BaseModel | None = None
    blocks: bool = False


@dataclass(frozen=True, kw_only=True)
class Form:
    """The dialogue with a person in one kind of seat.

    `briefing` renders the view as lines, `pictures` yields its pictures by name; `words` renders a feed item
    as lines. `read` reads a reply. `shows` are the seat's commands that only display something. A command
    must be alone on its line unless `takes_more`.

    A screen with fields of its own gives the fields of a reply: `completed` adds what a person does not fill
    in, and `concerns` are to be confirmed before it is given. `shut` are the actions that the rules would
    refuse at this question; they need not be offered.
    """

    help: str
    briefing: Callable[[Any], list[str]]
    words: Callable[[Event | OwnReply], Iterable[str]]
    read: Callable[[Pending, Talk], Awaitable[object]]
    shows: Mapping[str, Callable[[Pending], list[str]]] = field(default_factory=dict)
    pictures: Callable[[Any], Iterable[tuple[str, Picture]]] = lambda view: ()
    takes_more: bool = False
    completed: Callable[[Pending, Mapping[str, Any]], Mapping[str, Any]] = lambda pending, fields: fields
    concerns: Callable[[Pending, Any], Iterable[Concern]] = lambda pending, reply: ()
    shut: Callable[[Pending], Collection[str]] = lambda pending: ()

    def opening(self, view: View) -> list[str]:
        """The lines shown at the beginning."""
        return [*self.briefing(view), "", self.help, ""]

    def told(self, feed: Sequence[Event | OwnReply]) -> list[str]:
        """Render a feed as lines: what the seat was told and said itself."""
        return [line for item in feed for line in self.words(item)]


Forms = Mapping[type[View], Form]
"""The form for each type of view."""


class Talk:
    """The dialogue about one question with a person at a channel."""

    def __init__(self, channel: Channel, form: Form, pending: Pending) -> None:
        self._channel, self._form, self._pending = channel, form, pending

    async def reply(self) -> object:
        """Show what is new since the seat's last reply, and read the next reply."""
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
        """Read the next line, handling the common commands and those that only display something.

        Words of distress in the first person are not passed on before the person has said that they belong
        to the case.
        """
        while True:
            line = (await self.raw(prompt)).strip()
            if line.casefold() in _PAUSE:
                await self._step_out(PAUSED)
            elif (shown := self._shown(line)) is not None:
                self.show(shown)
            elif not own_distress(line) or await self._of_the_case():
                return line
            else:
                await self._step_out(FOR_YOU)

    async def said(self, prompt: str, *, needed: bool = False) -> str:
        """Read the next line that is not a command; if one is `needed`, not an empty line either."""
        while (line := await self.line(prompt)).startswith("/") or (needed and not line):
            if line:
                self.unknown(line)
        return line

    async def yes(self, question: str) -> bool:
        """Ask a question to be answered by y or n, again until it is."""
        while True:
            answer = (await self.line(f"{question} y/n> ")).casefold()
            if answer in ("y", "yes", "n", "no"):
                return answer[0] == "y"
            self.show(["Please answer y or n first; the line was not used."])

    async def _of_the_case(self) -> bool:
        """Ask whether words of distress belong to the case; an unclear answer counts as the person's own."""
        return (await self.raw(YOU_OR_THE_CASE)).strip().casefold() in ("case", "the case", "c")

    async def _step_out(self, words: str) -> None:
        """Show words out of role with the help lines, until the person comes back or stops."""
        self.show([words, *help_lines()])
        if (await self.raw(BACK_IN)).strip().casefold() == "/quit":
            raise asyncio.CancelledError

    async def raw(self, prompt: str) -> str:
        """Read the next line as it is. The end of input ends the session."""
        try:
            return await self._channel.read(prompt)
        except EOFError:
            raise asyncio.CancelledError from None

    def show(self, lines: Sequence[str]) -> None:
        """Show lines, if there are any."""
        if lines:
            self._channel.write("\n".join(lines))

    def unknown(self, line: str) -> None:
        """Report an unknown command."""
        self.show([f"{line.split()[0]} is not a command. /help lists them."])

    def _shown(self, line: str) -> list[str] | None:
        """The output of a display command; `None` if the line is for the form to read."""
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


def common_lines(item: Event | OwnReply) -> Iterator[str]:
    """Render the events that look the same in every seat; nothing for any other."""
    match item:
        case Resulted():
            yield f"[{item.name}] {item.text}"
        case Noticed():
            yield f"! {item.text}"


def person_at(outside: Channel | Desk, forms: Forms) -> External:
    """Build the player of a person. At a channel the question is asked in words; at a desk it waits for a
    screen, or another program, that knows how to present it."""
    if isinstance(outside, Desk):
        return External(outside, PERSON)
    return External(lambda pending: Talk(outside, forms[type(pending.view)], pending).reply(), PERSON)
