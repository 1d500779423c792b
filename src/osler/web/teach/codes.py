"""Codes of rooms as people type them, and a limit on guessing."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final, NamedTuple

from osler.store.rooms import CODE_LENGTH, LETTERS
from osler.web.problems import NotFound, TooMany

WRONG_A_MINUTE: Final = 20
"""Wrong codes in a minute, of a visitor or of the strangers from one address, that are answered as wrong.
Those after them are told to wait, while a right one still leads in: a class may come from one address."""
FLOOD_A_MINUTE: Final = 100
"""Wrong codes in a minute after which none is looked up, right or wrong. There are 19^6 codes (47 million),
so at this pace one address needs more than two weeks on average to hit upon one of ten rooms."""
MEMBERS_A_MINUTE: Final = 200
"""The same for all from one address who have come in, together: whoever has one room's code can make as many
visitors as they like. Strangers do not count for them."""
_MINUTE_S: Final = 60.0
_MOST_ADDRESSES: Final = 10_000


def code_of(typed: str) -> str:
    """A code without the blanks and hyphens people put in. Raises NotFound for what cannot be one."""
    code = "".join(letter for letter in typed[:40].upper() if letter.isalnum())
    if len(code) != CODE_LENGTH or not set(code) <= set(LETTERS):
        raise no_such_room()
    return code


def shown_code(code: str) -> str:
    """A code in two halves, as it is read aloud."""
    return f"{code[:3]}-{code[3:]}"


def no_such_room() -> NotFound:
    """The error for a code or an address that leads nowhere: the same for all reasons."""
    return NotFound(
        "there is no room here", hint="check the code with your teacher; the room may have closed"
    )


class Guesser(NamedTuple):
    """Those whose wrong codes are counted together: `one` is a visitor, or all strangers from one address,
    and `members` are all from that address who have come in, empty for strangers."""

    one: str
    members: str = ""


class Guesses:
    """Wrong codes in the last minute, by the visitor or the address that they came from."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def check(self, by: Guesser) -> None:
        """Raise TooMany for whoever floods us with codes."""
        if len(self._recent(by.one)) >= FLOOD_A_MINUTE:
            raise _too_many()
        if by.members and len(self._recent(by.members)) >= MEMBERS_A_MINUTE:
            raise _too_many()

    def wrong(self, by: Guesser) -> None:
        """Count a wrong code. Raises TooMany after too many of them."""
        now, recent = self._clock(), self._recent(by.one)
        recent.append(now)
        if by.members:
            self._recent(by.members).append(now)
        if len(recent) > WRONG_A_MINUTE:
            raise _too_many()

    def _recent(self, by: str) -> deque[float]:
        result = self._wrong.setdefault(by, deque())
        self._wrong.move_to_end(by)
        if len(self._wrong) > _MOST_ADDRESSES:
            self._wrong.popitem(last=False)
        while result and result[0] < self._clock() - _MINUTE_S:
            result.popleft()
        return result


def _too_many() -> TooMany:
    return TooMany("too many wrong codes", hint="wait a minute, then type the code slowly")
