"""The storyboard: a choreography as text, complete without the picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from osler.choreography.scene import Choreography, Scene
from osler.core.wording import clock

_PASSED_OVER: Final = frozenset({"turn", "place", "released"})
"""Kinds of scenes that the text leaves out, the bookkeeping that transcripts leave out too; the JSON has
them."""


class Line(NamedTuple):
    """A line of a storyboard: the exchange, simulated time, seconds on the screen, place, and words."""

    exchange: int
    clock: str
    seconds: float
    where: str
    what: str


def lines(made: Choreography) -> Iterator[Line]:
    """Yield a line for each scene."""
    for scene in made.scenes:
        if scene.kind not in _PASSED_OVER:
            yield Line(scene.exchange, clock(scene.minute), scene.seconds, scene.where, scene.what)


def scene_object(scene: Scene) -> dict[str, Any]:
    """A scene for other programs."""
    return {
        "id": scene.id,
        "minute": scene.minute,
        "seconds": scene.seconds,
        "who": list(scene.who),
        "where": scene.where,
        "what": scene.what,
        "exchange": scene.exchange,
        "kind": scene.kind,
        "mark": scene.mark,
    }


def storyboard_object(made: Choreography) -> dict[str, Any]:
    """A storyboard for other programs: its scenes, and the seconds of the whole."""
    return {
        "plan": made.plan,
        "key": made.key,
        "view": made.view,
        "seconds": made.end / 1000,
        "scenes": [scene_object(scene) for scene in made.scenes],
    }
