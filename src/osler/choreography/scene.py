"""The frozen values of a choreography. Times on the screen are whole milliseconds since its beginning.

A text is safe to show, but it is still a text of models and files: it is set as text, never as markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from osler.choreography.plan import Tile

PoseName = Literal["stand", "sit", "lie", "away"]
Strain = Literal[0, 1, 2]


@dataclass(frozen=True, slots=True)
class Walk:
    """A way on foot: the actor leaves points[0] at `t0` and is at points[-1] at `t1`, at an even pace."""

    t0: int
    t1: int
    points: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Pose:
    """The bearing of an actor from `t` on, and the slot they take ("" for open floor). `strain` is distress
    that shows in posture: 0 none, 1 bent, 2 doubled up."""

    t: int
    pose: PoseName
    slot: str
    strain: Strain = 0


@dataclass(frozen=True, slots=True)
class Bubble:
    """Words at an actor's head: spoken aloud, thought, or an act in words. `private` is for those eyes only
    that may have this view."""

    t0: int
    t1: int
    id: str
    who: str
    kind: Literal["said", "thought", "does"]
    text: str
    to: str
    private: bool


@dataclass(frozen=True, slots=True)
class Card:
    """Evidence that reached somebody: it goes to their notebook. `minute` is when it was released."""

    t: int
    id: str
    minute: int
    kind: Literal["result", "evidence", "picture", "memory", "refusal"]
    title: str
    text: str
    order: int
    picture: str


@dataclass(frozen=True, slots=True)
class Slip:
    """An order pinned to the board, until `t1` (`None`: to the end). `due` is the simulated minute at which
    its result will be ready, `None` if this is not known."""

    t0: int
    t1: int | None
    id: str
    order: int
    name: str
    minute: int
    due: int | None
    stamped: str


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock. `shut`: from now on something is kept back, and `text` says until when; otherwise it opens, as
    when the doctor spoke of confidence."""

    t: int
    id: str
    text: str
    shut: bool


@dataclass(frozen=True, slots=True)
class Caption:
    """A line in the room, or over it: a notice, the turn of the clock, the sign of a place, the monitor."""

    t0: int
    t1: int
    id: str
    kind: Literal["notice", "time", "sign", "seen", "happens", "end", "form", "note"]
    room: str
    text: str


@dataclass(frozen=True, slots=True)
class Monitor:
    """The vital signs on the monitor from `t` on."""

    t: int
    id: str
    vitals: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Scene:
    """One item of the log as it is played: on the screen from `t0` to `t1`, `seconds` long; in simulated time
    from `since` to `minute`. `who` acts, `where` is the room's title, `what` the line of the storyboard,
    `exchange` the number of the exchange it follows. `id` is the item's id in the log."""

    id: str
    exchange: int
    kind: str
    t0: int
    t1: int
    since: int
    minute: int
    who: tuple[str, ...]
    where: str
    what: str
    mark: str

    @property
    def seconds(self) -> float:
        """Its length on the screen."""
        return (self.t1 - self.t0) / 1000


@dataclass(frozen=True, slots=True)
class Looks:
    """The looks of a person, as numbers of an art's parts: tone of skin 0 to 5, hair 0 to 6, cut 0 to 3,
    clothes 0 to 7. `age` is a band, empty where the view does not say it; `aid` what they walk with."""

    role: str
    age: Literal["", "child", "young", "middle", "old"]
    sex: Literal["", "female", "male"]
    skin: int
    hair: int
    cut: int
    clothes: int
    aid: Literal["", "wheelchair", "cane"]


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody on the screen from `t0` on: standing at `start` until their first walk."""

    name: str
    role: str
    figure: Looks
    t0: int
    start: Tile
    walks: tuple[Walk, ...]
    poses: tuple[Pose, ...]


@dataclass(frozen=True, slots=True)
class Choreography:
    """An episode as one view sees it played on a plan; `end` is the length on the screen."""

    plan: str
    key: str
    view: str
    end: int
    actors: Mapping[str, Actor]
    scenes: tuple[Scene, ...]
    bubbles: tuple[Bubble, ...]
    cards: tuple[Card, ...]
    slips: tuple[Slip, ...]
    locks: tuple[Lock, ...]
    captions: tuple[Caption, ...]
    monitors: tuple[Monitor, ...]

    def as_json(self) -> dict[str, Any]:
        """The whole as plain JSON, fields in the order above."""
        return asdict(self)
