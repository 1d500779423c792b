"""What the server and the browser say to each other about watching an episode."""

from __future__ import annotations

from osler.choreography.scene import Choreography
from osler.web.schemas import LogItem, ServerModel


class Log(ServerModel):
    """The log of an episode in one view: the items after the one asked for, in order. `last` is the id to ask
    after next. `ended` is false while it is played; then more will come."""

    run: str
    ordinal: int
    view: str
    items: list[LogItem]
    last: str
    ended: bool


Tile = tuple[int, int]
"""A tile of the plan: (x, y) from the upper left."""


class PlanRoom(ServerModel):
    """A room of the plan: `area` are its corners (x0, y0, x1, y1), both inside; `blocked` its furniture."""

    name: str
    kind: str
    title: str
    area: tuple[int, int, int, int]
    slots: dict[str, Tile]
    blocked: list[Tile]


class HospitalPlan(ServerModel):
    """The plan of the hospital. Between tiles of two rooms there is a wall unless a door joins them; through
    glass one sees and does not pass."""

    name: str
    size: Tile
    rooms: list[PlanRoom]
    doors: list[tuple[Tile, Tile]]
    glass: list[tuple[Tile, Tile]]


class OnFloor(ServerModel):
    """An episode on its floor, in the room with this title. `status` is `planned` until it begins, `running`
    until it ends."""

    n: int
    room: str
    status: str


class Floor(ServerModel):
    """A floor of a run, counted from 0, with its episodes in the order of their rooms."""

    floor: int
    episodes: list[OnFloor]


class FloorEpisode(ServerModel):
    """An episode of a floor, as `view` has it. `choreography` is `None` before it begins, and where `hidden`
    says why it may not be seen so."""

    n: int
    room: str
    ended: bool = False
    view: str = ""
    hidden: str = ""
    choreography: Choreography | None = None


class FloorPlayed(ServerModel):
    """One floor of the `floors` of a run, its episodes played side by side on one plan: on the screen they
    all begin at 0."""

    floor: int
    floors: int
    episodes: list[FloorEpisode]
