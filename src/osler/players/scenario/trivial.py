"""Examinees that work without thinking, for validity checks: what they score is the floor of any sense."""

from __future__ import annotations

from typing import Any, Final

from osler.players.scenario.shown import LONGEST_ACT, LONGEST_SPEECH, MOST_ACTS, shown
from osler.seats.contract import Request
from osler.seats.scenario import ExamineeMove


class NullExaminee:
    """Says nothing, does nothing and ends nothing."""

    name: Final = "null"
    durable: Final = False

    async def reply(self, request: Request[Any], /) -> ExamineeMove:
        """The same empty move, whatever happens."""
        return ExamineeMove()


class RepeatEverythingExaminee:
    """Says all that it has been shown, names each of it as an act, the latest first, and ends each state."""

    name: Final = "repeat-everything"
    durable: Final = False

    async def reply(self, request: Request[Any], /) -> ExamineeMove:
        """Everything shown so far, as far as a move can hold it."""
        latest_first = [text.strip() for text in reversed(shown(request).everything)]
        pieces = tuple(text[:LONGEST_ACT] for text in dict.fromkeys(latest_first) if text)
        return ExamineeMove(
            speak="\n".join(pieces)[:LONGEST_SPEECH].strip(), actions=pieces[:MOST_ACTS], eos=True
        )
