"""A person as the examinee of a scenario: what is new is shown, lines are read, and become one turn.

The person sees exactly what any other examinee would see. Everything is derived from the request, so a person
may get up and come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, Final

from osler.pictures import draw
from osler.players.person import Channel
from osler.players.scenario.shown import LONGEST_ACT, LONGEST_SPEECH, MOST_ACTS, shown
from osler.seats.contract import Own, Request
from osler.seats.events import Event, Noticed, TurnBegan
from osler.seats.order_events import Resulted, Taken
from osler.seats.scenario import ExamineeMove, ExamineeView
from osler.seats.scenario_events import Happened, Observed, Present, Spoke

HELP: Final = """\
A turn is as many lines as you like; an empty line sends it. Plain text is what
you say aloud. A line that begins with / or "do:" is something you do, such as
"/attach the monitor" or "do: give oxygen 15 L/min by mask".
  eos       send the turn, and say that all that is due for now is done
  /wait     let a turn pass      /undo     take back the last line
  /people   who is here          /history  everything so far
  /left     turns and time       /help     this
  /quit     stop here; the run can be resumed"""
_DOES: Final = ("do:", "/")
_FULL: Final = "That is more than one turn can hold. Send it with an empty line first."


class ScenarioPerson:
    """A person at a channel, in the examinee's seat."""

    name: Final = "person"
    durable: Final = True

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def reply(self, request: Request[Any], /) -> ExamineeMove:
        """Show what is new since the last turn and read the next."""
        last = max((at for at, item in enumerate(request.feed) if isinstance(item, Own)), default=-1)
        if last < 0:
            self._show(_briefing(request.view))
        new = request.feed[last + 1 :]
        self._show(told(new))
        for item in new:
            if isinstance(item, Resulted) and item.picture:
                self._channel.picture(item.name, draw(item.picture))
        return await self._turn(request)

    async def _turn(self, request: Request[Any]) -> ExamineeMove:
        minute = next((item.minute for item in reversed(request.feed) if not isinstance(item, Own)), 0)
        lines: list[str] = []
        while True:
            line = await self._read(f"{minute} min> ")
            command, _, argument = line.partition(" ")
            match "" if argument else command.casefold():
                case "/quit":
                    raise asyncio.CancelledError
                case "/help" | "/?":
                    self._show([HELP])
                case "/history":
                    self._show(told(request.feed))
                case "/people":
                    self._show([f"  {name} ({role})" for name, role in shown(request).there])
                case "/left":
                    self._show([_left(request, minute)])
                case "/undo":
                    self._show([f"Taken back: {lines.pop()}" if lines else "There is nothing to take back."])
                case "/wait" if not lines:
                    return ExamineeMove()
                case "eos" | "/eos":
                    return _move(lines, eos=True)
                case _ if line:
                    if _fits(lines, line):
                        lines.append(line)
                    else:
                        self._show([_FULL])
                case _ if lines:
                    return _move(lines, eos=False)
                case _:
                    self._show(["Say or do something, or /wait. /help lists what there is."])

    async def _read(self, prompt: str) -> str:
        try:
            return (await self._channel.read(prompt)).strip()
        except EOFError:
            raise asyncio.CancelledError from None

    def _show(self, lines: Sequence[str]) -> None:
        if lines:
            self._channel.write("\n".join(lines))


def told(feed: Sequence[Event | Own]) -> list[str]:
    """What an examinee was told and did, a line each."""
    return [line for item in feed for line in _lines(item)]


def _lines(item: Event | Own) -> Iterator[str]:
    match item:
        case TurnBegan():
            left = "your last turn" if item.last_chance else f"{item.turns_left} more after it"
            yield f"--- turn {item.turn}, {item.minute} min; {left} ---"
        case Spoke():
            yield f"{item.who}: {item.text}"
        case Happened():
            yield f"* {item.text}"
        case Observed():
            vitals = "; ".join(f"{name} {value}" for name, value in item.vitals.items())
            yield f"* {item.status}{f' [{vitals}]' if vitals else ''}"
        case Taken():
            yield f"[{item.name}: result in {item.ready_minute - item.minute} min]"
        case Resulted():
            yield f"[{item.name}] {item.text}"
        case Present():
            yield f"* {item.who} {'comes in' if item.here else 'leaves'}."
        case Noticed():
            yield f"! {item.text}"
        case Own(reply=ExamineeMove(speak=speak, actions=actions, eos=eos)):
            if speak:
                yield f"You: {speak}"
            yield from (f"You do: {action}" for action in actions)
            if eos:
                yield "You: all that is due for now is done."
        case _:
            return


def _move(lines: Sequence[str], *, eos: bool) -> ExamineeMove:
    said = [line for line in lines if not _act(line)]
    acts = [act[:LONGEST_ACT] for line in lines if (act := _act(line))]
    return ExamineeMove(speak=" ".join(said), actions=tuple(acts), eos=eos)


def _act(line: str) -> str:
    """What a line does; "" where it is said."""
    for mark in _DOES:
        if line.casefold().startswith(mark):
            return line[len(mark) :].strip()
    return ""


def _fits(lines: Sequence[str], line: str) -> bool:
    acts = sum(bool(_act(each)) for each in lines)
    said = sum(len(each) + 1 for each in lines if not _act(each))
    return acts < MOST_ACTS if _act(line) else said + len(line) <= LONGEST_SPEECH


def _left(request: Request[Any], minute: int) -> str:
    return f"{minute} minutes have passed; {shown(request).turns_left} more turns after this one."


def _briefing(view: ExamineeView) -> list[str]:
    people = [f"  {person.name}{f', {person.about}' if person.about else ''}" for person in view.people]
    about = [text for text in (view.instructions, view.setting, view.opening) if text]
    whole = ["", view.whole_case] if view.whole_case else []
    return [*about, "Here:", *people, *whole, "", HELP, ""]
