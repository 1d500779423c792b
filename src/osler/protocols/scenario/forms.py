"""The terminal form of a person as the examinee of a scenario: display, and parsing of lines into a turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from osler.core.contract import OwnReply
from osler.core.events import Event, TurnBegan
from osler.core.order_events import Taken
from osler.players.external import Pending
from osler.players.person import Form, Forms, Talk, common_lines
from osler.protocols.scenario.events import Happened, Observed, Present, Spoke
from osler.protocols.scenario.players.view_state import LONGEST_ACT, LONGEST_SPEECH, MOST_ACTS, shown
from osler.protocols.scenario.seats import ExamineeMove, ExamineeView

HELP: Final = """\
A turn is as many lines as you like; an empty line sends it. Plain text is what
you say aloud: an order to the team is carried out, or asked back. A line that
begins with / or "do:" is something you do, such as "/attach the monitor" or
"do: give oxygen 15 L/min by mask".
  eos       send the turn, and say that all that is due for now is done
  /wait     let a turn pass      /undo     take back the last line
  /people   who is here          /history  everything so far
  /left     turns and time       /help     this
  /pause    step out for a while; it is never scored
  /quit     stop here; the run can be resumed"""
_DOES: Final = ("do:", "/")
_FULL: Final = "That is more than one turn can hold. Send it with an empty line first."


async def _turn(pending: Pending, talk: Talk) -> ExamineeMove:
    lines: list[str] = []
    prompt = f"{_minute(pending)} min> "
    while True:
        line = await talk.line(prompt)
        match line.casefold():
            case "/undo":
                talk.show([f"Taken back: {lines.pop()}" if lines else "There is nothing to take back."])
            case "/wait" if not lines:
                return ExamineeMove()
            case "eos" | "/eos":
                return _move(lines, eos=True)
            case _ if line:
                if _fits(lines, line):
                    lines.append(line)
                else:
                    talk.show([_FULL])
            case _ if lines:
                return _move(lines, eos=False)
            case _:
                talk.show(["Say or do something, or /wait. /help lists what there is."])


def _minute(pending: Pending) -> int:
    return next((item.minute for item in reversed(pending.feed) if not isinstance(item, OwnReply)), 0)


def _lines(item: Event | OwnReply) -> Iterator[str]:
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
        case Present():
            yield f"* {item.who} {'comes in' if item.here else 'leaves'}."
        case OwnReply(reply=ExamineeMove(speak=speak, actions=actions, eos=eos)):
            if speak:
                yield f"You: {speak}"
            yield from (f"You do: {action}" for action in actions)
            if eos:
                yield "You: all that is due for now is done."
        case _:
            yield from common_lines(item)


def _move(lines: Sequence[str], *, eos: bool) -> ExamineeMove:
    said = [line for line in lines if not _act(line)]
    acts = [act[:LONGEST_ACT] for line in lines if (act := _act(line))]
    return ExamineeMove(speak=" ".join(said), actions=tuple(acts), eos=eos)


def _act(line: str) -> str:
    """The act in a line; "" if the line is speech."""
    for mark in _DOES:
        if line.casefold().startswith(mark):
            return line[len(mark) :].strip()
    return ""


def _fits(lines: Sequence[str], line: str) -> bool:
    acts = sum(bool(_act(each)) for each in lines)
    said = sum(len(each) + 1 for each in lines if not _act(each))
    return acts < MOST_ACTS if _act(line) else said + len(line) <= LONGEST_SPEECH


def _left(pending: Pending) -> list[str]:
    left = shown(pending.request).turns_left
    return [f"{_minute(pending)} minutes have passed; {left} more turns after this one."]


def _people(pending: Pending) -> list[str]:
    return [f"  {name} ({role})" for name, role in shown(pending.request).there]


def _briefing(view: ExamineeView) -> list[str]:
    people = [f"  {person.name}{f', {person.about}' if person.about else ''}" for person in view.people]
    about = [text for text in (view.instructions, view.setting, view.opening) if text]
    whole = ["", view.whole_case] if view.whole_case else []
    return [*about, "Here:", *people, *whole]


FORMS: Final[Forms] = {
    ExamineeView: Form(
        help=HELP,
        briefing=_briefing,
        words=_lines,
        read=_turn,
        shows={"/left": _left, "/people": _people},
    )
}
