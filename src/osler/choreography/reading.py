"""The time that things take on the screen, in milliseconds. It is made, since none is stored.

Words are read at 200 a minute, within bounds: what is longer than a bubble's time stands in the log beside
the picture, and the reader may stop. What is private is passed more quickly than what is said.
"""

from __future__ import annotations

from typing import Final

_WORD_MS: Final = 60_000 // 200
_LETTERS_A_WORD: Final = 7
_LEAST: Final = 900
_MOST_SAID: Final = 4000
_MOST_THOUGHT: Final = 1500
TILES_A_SECOND: Final = 2.6
MOST_WALK: Final = 2000
MOST_WAIT: Final = 1500
LONG_WAIT: Final = 10
"""Simulated minutes from which on the turn of the clock is shown."""


def reading(text: str, *, private: bool = False) -> int:
    """The time for a text. Letters count where a script sets no spaces."""
    words = max(len(text.split()), len(text) // _LETTERS_A_WORD)
    return min(max(_LEAST, words * _WORD_MS), _MOST_THOUGHT if private else _MOST_SAID)


def walking(tiles: int) -> int:
    """The time for a way of so many steps: long ways are hurried."""
    return min(round(tiles / TILES_A_SECOND * 1000), MOST_WALK)


def waiting(minutes: int) -> int:
    """The time in which the clock turns on by so many simulated minutes; none for a short while."""
    return 0 if minutes < LONG_WAIT else min(600 + minutes * 10, MOST_WAIT)


def span(minutes: int) -> str:
    """A length of simulated time in words."""
    days, rest = divmod(minutes, 24 * 60)
    hours, left = divmod(rest, 60)
    parts = ((days, "day"), (hours, "hour"), (left, "minute"))
    return " ".join(f"{n} {word}{'s' if n > 1 else ''}" for n, word in parts if n) or "no time"
