"""The examinee's state, read off a request: the texts shown so far, the people present, and its own moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from osler.core.contract import OwnReply, Request
from osler.core.events import Event, TurnBegan
from osler.core.order_events import Resulted
from osler.knowledge.vocabulary import Role
from osler.protocols.scenario.events import Happened, Observed, Present, Spoke
from osler.protocols.scenario.seats import ExamineeMove, ExamineeView

LONGEST_SPEECH: Final = 8000
LONGEST_ACT: Final = 1000
MOST_ACTS: Final = 40
"""The limits of one move: characters of speech, characters of an act, and number of acts."""


@dataclass(frozen=True, slots=True)
class ViewState:
    """The examinee's state.

    `everything` holds all texts shown or heard, in order; `now` those since its last move, with the patient's
    latest appearance. `moves` are its own moves, and `since_change` those made since the patient's appearance
    last changed. `there` lists the people present as (name, role), patient first.
    """

    view: ExamineeView
    everything: tuple[str, ...]
    now: tuple[str, ...]
    moves: tuple[ExamineeMove, ...]
    since_change: tuple[ExamineeMove, ...]
    there: tuple[tuple[str, str], ...]
    turns_left: int
    last_chance: bool

    def named(self, role: Role) -> str:
        """The name of the first person of a role who is present, or ""."""
        return next((name for name, of in self.there if of == role), "")


def shown(request: Request[ExamineeView]) -> ViewState:
    """Read the examinee's state off a request."""
    view, feed = request.view, request.feed
    moves = [
        item.reply for item in feed if isinstance(item, OwnReply) and isinstance(item.reply, ExamineeMove)
    ]
    last = max((at for at, item in enumerate(feed) if isinstance(item, OwnReply)), default=-1)
    turn = next((item for item in reversed(feed) if isinstance(item, TurnBegan)), None)
    door = tuple(text for text in (view.instructions, view.setting, view.opening, view.whole_case) if text)
    after = tuple(_texts(feed[last + 1 :]))
    looks = [item for item in feed if isinstance(item, Observed)]
    return ViewState(
        view=view,
        everything=(*door, *_texts(feed)),
        now=after if last < 0 or not looks else (*_looks(looks[-1]), *after),
        moves=tuple(moves),
        since_change=_since_change(feed),
        there=_there(view, feed),
        turns_left=turn.turns_left if turn else 0,
        last_chance=turn is not None and turn.last_chance,
    )


def _texts(feed: Sequence[Event | OwnReply]) -> Iterator[str]:
    for item in feed:
        match item:
            case Spoke() | Happened():
                yield item.text
            case Observed():
                yield from _looks(item)
            case Resulted(returned=True):
                yield item.text


def _looks(seen: Observed) -> Iterator[str]:
    yield seen.status
    if seen.vitals:
        yield ", ".join(f"{name} {value}" for name, value in seen.vitals.items())


def _since_change(feed: Sequence[Event | OwnReply]) -> tuple[ExamineeMove, ...]:
    before, moves = "", list[ExamineeMove]()
    for item in feed:
        if isinstance(item, Observed) and item.status != before:
            before, moves = item.status, []
        elif isinstance(item, OwnReply) and isinstance(item.reply, ExamineeMove):
            moves.append(item.reply)
    return tuple(moves)


def _there(view: ExamineeView, feed: Sequence[Event | OwnReply]) -> tuple[tuple[str, str], ...]:
    there: dict[str, str] = {person.name: person.role for person in view.people}
    for item in feed:
        if isinstance(item, Present):
            if item.here:
                there[item.who] = item.role
            else:
                there.pop(item.who, None)
    return tuple(there.items())
