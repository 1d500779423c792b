"""Codes of rooms as people type them, and a limit on guessing."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from typing import Final

from osler.store.rooms import CODE_LENGTH, LETTERS
from osler.web.problems import NotFound, TooMany

WRONG_A_MINUTE: Final = 20
"""Wrong codes from one address in a minute; a whole class may come from one address with right ones."""
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


class Guesses:
    """Wrong codes by address, in the last minute."""

    def __init__(self) -> None:
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def check(self, address: str) -> None:
        """Raise TooMany for an address that guesses."""
        if len(self._recent(address)) >= WRONG_A_MINUTE:
            raise TooMany("too many wrong codes", hint="wait a minute, then type the code slowly")

    def wrong(self, address: str) -> None:
        """Count a wrong code."""
        self._recent(address).append(time.monotonic())

    def _recent(self, address: str) -> deque[float]:
        found = self._wrong.setdefault(address, deque())
        self._wrong.move_to_end(address)
        if len(self._wrong) > _MOST_ADDRESSES:
            self._wrong.popitem(last=False)
        while found and found[0] < time.monotonic() - _MINUTE_S:
            found.popleft()
        return found
