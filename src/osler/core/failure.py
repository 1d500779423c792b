"""Failure tags: why a scored episode went wrong, by rule, each with the exchange it rests on.

The tags are the same in every protocol. What follows from the end of an episode is read here; a protocol
declares the rest (`Protocol.failures`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from osler.core.events import Seat
from osler.core.measure import Scored, share_of
from osler.core.order_events import Resulted
from osler.core.trace import Trace
from osler.errors import Status

_LONGEST: Final = 200


class Tag(NamedTuple):
    """A kind of failure: its name in JSON and addresses, its label, and what it means."""

    name: str
    words: str
    means: str


RAN_OUT: Final = Tag("ran_out", "ran out of turns", "turns, time or budget were used up before the end")
NO_VALID_MOVE: Final = Tag("no_valid_move", "no valid move", "the retries were used up without a valid move")
DECLINED: Final = Tag("declined", "declined to answer", "the model, or a filter before it, would not answer")
NO_ANSWER: Final = Tag("no_answer", "no answer", "it ended without a conclusion, or without an option named")
WRONG_ANSWER: Final = Tag("wrong_answer", "wrong answer", "the diagnosis, answer or option was not right")
NEVER_ASKED: Final = Tag("never_asked", "key history missed", "a fact marked key was never heard")
NEVER_EXAMINED: Final = Tag("never_examined", "key test missed", "a finding marked key was never ordered")
NOT_AWAITED: Final = Tag("not_awaited", "result not awaited", "a key finding was ordered, and not back yet")
CLOSED_EARLY: Final = Tag(
    "closed_early", "premature closure", "a wrong conclusion before the telling finding was sought"
)
UNSUPPORTED: Final = Tag("unsupported", "invented evidence", "evidence was given that nobody had reported")
UNSAFE: Final = Tag("unsafe", "unsafe act", "something was ordered, done or advised that would harm")
CRITICAL_MISSED: Final = Tag("critical_missed", "critical step missed", "a critical step was not seen")
ORDER_REFUSED: Final = Tag("order_refused", "order refused", "an order as put could not be carried out")
GIVEN_AWAY: Final = Tag("given_away", "answer given away", "guidance named the answer before a learner had")
NO_GUIDANCE: Final = Tag("no_guidance", "guidance vetoed", "no draft was approved: a round without guidance")

TAGS: Final = (
    *(RAN_OUT, NO_VALID_MOVE, DECLINED, NO_ANSWER, WRONG_ANSWER, NEVER_ASKED, NEVER_EXAMINED, NOT_AWAITED),
    *(CLOSED_EARLY, UNSUPPORTED, UNSAFE, CRITICAL_MISSED, ORDER_REFUSED, GIVEN_AWAY, NO_GUIDANCE),
)
"""Every tag, in the order of a table."""

SHARES: Final = tuple(share_of(one.name, one.words, one.means, "less") for one in TAGS)
"""The share of scored episodes with each tag, as a measure for tables."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A tag of an episode: the number of the exchange it rests on, and why, in words. Raises ValueError
    without an exchange, or for a tag that is not one of `TAGS`."""

    tag: Tag
    exchange: int
    why: str

    def __post_init__(self) -> None:
        if self.tag not in TAGS:
            raise ValueError(f"{self.tag.name!r} is not one of the tags")
        if self.exchange < 1:
            raise ValueError(f"{self.tag.name} rests on no exchange")


Rules = Callable[[Scored], Iterable[Failure]]
"""The failures of a scored episode by a protocol's own rules."""


def last_of(trace: Trace, *seats: Seat) -> int:
    """The last exchange of some seats, or of all if none replied; 0 in an empty trace."""
    own = [row.n for row in trace.rows if row.seat in seats]
    return max(own or [row.n for row in trace.rows], default=0)


def failure(tag: Tag, exchange: int, *what: str) -> Iterator[Failure]:
    """Yield a failure; nothing if there is no exchange that it could rest on."""
    if exchange > 0:
        text = "; ".join(" ".join(one.split()) for one in what if one) or tag.means
        yield Failure(tag, exchange, text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]} ...")


def of_ending(episode: Scored, seats: Iterable[Seat]) -> Iterator[Failure]:
    """The failures that the end of any episode shows, of the `seats` under test."""
    row, trace = episode.row, episode.trace()
    tag = {
        Status.OUT_OF_TURNS: RAN_OUT,
        Status.OUT_OF_BUDGET: RAN_OUT,
        Status.INVALID_PLAY: DECLINED if row.declined else NO_VALID_MOVE,
    }.get(row.status)
    if tag is not None:
        yield from failure(tag, last_of(trace, *seats), row.reason)


def of_orders(episode: Scored) -> Iterator[Failure]:
    """The first order that was refused."""
    for n, events in episode.trace().told():
        for event in events:
            if isinstance(event, Resulted) and not event.returned:
                yield from failure(ORDER_REFUSED, n, f"{event.name}: {event.text}")
                return
