"""The exchanges of a trace by what was said in them: for feedback that points at the moment it is about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic_core import from_json

from osler.core.events import Seat, TurnBegan
from osler.core.trace import Trace

_CUT: Final = " ..."


class SaidIn:
    """The words of one seat in an episode, by exchange."""

    def __init__(self, trace: Trace, seat: Seat) -> None:
        self._words = [(row.n, _flat(" ".join(_texts(row.reply)))) for row in trace.rows if row.seat == seat]
        self._turns: dict[int, int] = {}
        spoken = [n for n, _ in self._words]
        for before, events in trace.told():
            for event in events:
                if isinstance(event, TurnBegan) and (n := next((n for n in spoken if n > before), 0)):
                    self._turns.setdefault(event.turn, n)

    @property
    def last(self) -> int:
        """The last exchange in which the seat replied; 0 if there is none."""
        return self._words[-1][0] if self._words else 0

    def turn(self, number: int) -> int:
        """The exchange of a turn; 0 if there is no such turn."""
        return self._turns.get(number, 0)

    def exchange(self, quote: str) -> int:
        """The first exchange in which the seat said these words; 0 if it did not."""
        words = _flat(quote.removesuffix(_CUT))
        return next((n for n, said in self._words if words and words in said), 0)


def _texts(reply: str) -> Iterator[str]:
    pending: list[object] = [from_json(reply)]
    while pending:
        one = pending.pop(0)
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            pending[:0] = one.values()
        elif isinstance(one, list):
            pending[:0] = one


def _flat(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,;")
