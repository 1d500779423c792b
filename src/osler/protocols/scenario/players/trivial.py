"""Trivial examinees for validity checks: their score is the floor, or needs no encounter."""

from __future__ import annotations

from typing import Any, Final

from osler.core.contract import Request
from osler.protocols.scenario.players.examinee import next_move
from osler.protocols.scenario.players.view_state import LONGEST_ACT, LONGEST_SPEECH, MOST_ACTS, shown
from osler.protocols.scenario.seats import ExamineeMove


class NullExaminee:
    """The null examinee: says nothing, does nothing and ends nothing."""

    name: Final = "null"
    durable: Final = False

    async def reply(self, request: Request[Any], /) -> ExamineeMove:
        """Return the same empty move, whatever happens."""
        return ExamineeMove()


class RepeatEverythingExaminee:
    """An examinee that says every text it has been shown, repeats each as an act, latest first, and ends each
    state."""

    name: Final = "repeat-everything"
    durable: Final = False

    async def reply(self, request: Request[Any], /) -> ExamineeMove:
        """Repeat everything shown so far, up to the limits of a move."""
        latest_first = [text.strip() for text in reversed(shown(request).everything)]
        pieces = tuple(text[:LONGEST_ACT] for text in dict.fromkeys(latest_first) if text)
        return ExamineeMove(
            speak="\n".join(pieces)[:LONGEST_SPEECH].strip(), actions=pieces[:MOST_ACTS], eos=True
        )


class OpeningOnlyExaminee:
    """The probe of the opening: acts once on the opening alone, then ends every state. Its score requires no
    encounter."""

    name: Final = "opening-only"
    durable: Final = False

    async def reply(self, request: Request[Any], /) -> ExamineeMove:
        """Do what the built-in examinee would do from the opening, once."""
        state = shown(request)
        if state.moves:
            return ExamineeMove(eos=True)
        at_the_door = shown(request._replace(feed=()))
        return next_move(at_the_door, MOST_ACTS, MOST_ACTS).model_copy(update={"eos": True})
