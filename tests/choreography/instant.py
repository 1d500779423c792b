"""The picture at one instant of a choreography: who is where, in which pose, and the words in the air.

Each question is a search by time, so an instant costs the same in a short and in a long episode.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from osler.choreography.scene import Actor, Bubble, Caption, Choreography, PoseName, Scene, Slip


class Standing(NamedTuple):
    """The place of an actor in tiles, which lies between two while they walk, and their pose."""

    x: float
    y: float
    pose: PoseName
    slot: str
    walks: bool


class Instant(NamedTuple):
    """The picture at the time `t`: simulated `minute`, the scene that plays, everybody who has come, the
    words in the air, the slips on the board, and how many cards are in the notebook."""

    t: int
    minute: int
    scene: Scene | None
    people: dict[str, Standing]
    bubbles: tuple[Bubble, ...]
    captions: tuple[Caption, ...]
    slips: tuple[Slip, ...]
    cards: int


class Timeline:
    """A choreography with its times laid out for searching."""

    def __init__(self, choreography: Choreography) -> None:
        self._made = choreography
        self._scenes = [scene.t0 for scene in choreography.scenes]
        self._bubbles = [bubble.t0 for bubble in choreography.bubbles]
        self._captions = [caption.t0 for caption in choreography.captions]
        self._cards = [card.t for card in choreography.cards]
        self._walks = {who: [walk.t0 for walk in actor.walks] for who, actor in choreography.actors.items()}
        self._poses = {who: [pose.t for pose in actor.poses] for who, actor in choreography.actors.items()}

    def at(self, t: int) -> Instant:
        """The picture at `t` milliseconds from the beginning."""
        choreography = self._made
        at = bisect_right(self._scenes, t) - 1
        scene = choreography.scenes[at] if at >= 0 else None
        people = {
            who: self._place(who, actor, t) for who, actor in choreography.actors.items() if actor.t0 <= t
        }
        return Instant(
            t,
            scene.minute if scene else 0,
            scene,
            people,
            _open(choreography.bubbles, self._bubbles, t),
            _open(choreography.captions, self._captions, t),
            tuple(slip for slip in choreography.slips if slip.t0 <= t and (slip.t1 is None or t < slip.t1)),
            bisect_right(self._cards, t),
        )

    def _place(self, who: str, actor: Actor, t: int) -> Standing:
        at = bisect_right(self._walks[who], t) - 1
        pose = actor.poses[bisect_right(self._poses[who], t) - 1]
        if at < 0:
            return Standing(*actor.start, pose.pose, pose.slot, False)
        walk = actor.walks[at]
        if t >= walk.t1:
            return Standing(*walk.points[-1], pose.pose, pose.slot, False)
        steps = (t - walk.t0) / (walk.t1 - walk.t0) * (len(walk.points) - 1)
        here = int(steps)
        (x, y), (to_x, to_y) = walk.points[here], walk.points[here + 1]
        part = steps - here
        return Standing(x + (to_x - x) * part, y + (to_y - y) * part, pose.pose, pose.slot, True)


def _open(given: Sequence[Any], starts: Sequence[int], t: int) -> tuple[Any, ...]:
    """Those that have begun and not ended; they follow each other, so none lies far before the last."""
    at = bisect_right(starts, t)
    return tuple(one for one in given[max(0, at - 4) : at] if one.t0 <= t < one.t1)
