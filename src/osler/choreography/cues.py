"""The vocabulary of staging: a protocol says in it what each of its events becomes.

A handler is given one item of a log as a view has it, and the state of the stage, and yields cues in order.
Walks that follow each other directly begin at the same time; everything else waits for those who walk. Items
of `room` have no event, or one with what everybody sees: these are staged by the kind of line, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

from osler.choreography.figure import NOTHING_TOLD, Traits, traits_of
from osler.choreography.scene import PoseName, Strain


class Spoken(NamedTuple):
    """One line of an item, as `osler.core.wording` words it."""

    label: str
    kind: str
    text: str
    by: str = ""
    public: bool = True

    @property
    def speaker(self) -> str:
        """The name before the listener: "Ann" of "Ann, to the tutor"."""
        return self.label.partition(", to ")[0]

    @property
    def to(self) -> str:
        """The listener, if not everybody hears it."""
        return self.label.partition(", to ")[2]


class Gate(NamedTuple):
    """A gate that shows in an item: something is kept back, and it is said under which condition; or that
    condition was met."""

    text: str
    shut: bool


class ViewedEvent(NamedTuple):
    """An event of an episode or a seat's reply, as one view has it. `event` is `None` for replies; in the
    view `room` it holds only what everybody sees, if anything. `seat` is the seat that replied."""

    id: str
    n: int
    minute: int
    event: Mapping[str, Any] | None = None
    seat: str = ""
    reply: Mapping[str, Any] | None = None
    lines: tuple[Spoken, ...] = ()
    mark: str = ""
    picture: str = ""
    gates: tuple[Gate, ...] = ()

    @property
    def kind(self) -> str:
        """The event's kind, "reply", or in `room` the kind of its first line."""
        if self.event is not None:
            return str(self.event.get("kind", ""))
        if self.seat:
            return "reply"
        return self.lines[0].kind if self.lines else ""

    def text(self, name: str) -> str:
        """A field of the event as text, empty if it has none."""
        value = (self.event or {}).get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> int | None:
        """A field of the event as a whole number."""
        value = (self.event or {}).get(name)
        return value if isinstance(value, int) else None


@dataclass(frozen=True, slots=True)
class Go:
    """Somebody walks to a slot of a room: that one, else the first free one whose name begins with it. A
    `room` is a kind of room, or the name of one. Who is not there yet comes from their part's base."""

    who: str
    room: str
    slot: str = ""


@dataclass(frozen=True, slots=True)
class Come:
    """Somebody comes in under a name and a role, or is given them."""

    who: str
    name: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Bear:
    """Somebody who has come holds themselves so from now on: 0 upright, 1 bent, 2 doubled up."""

    who: str
    strain: Strain


@dataclass(frozen=True, slots=True)
class Say:
    """The lines of the item with their bubbles and captions."""


@dataclass(frozen=True, slots=True)
class Pin:
    """An order is pinned to the board; due at a simulated minute, once this is known."""

    order: int
    name: str
    due: int | None = None


@dataclass(frozen=True, slots=True)
class Unpin:
    """The slip of an order comes off the board; stamped if it was refused."""

    order: int
    name: str
    stamped: str = ""


@dataclass(frozen=True, slots=True)
class Earn:
    """A card flies to the notebook."""

    kind: Literal["result", "evidence", "picture", "memory", "refusal"]
    title: str
    text: str
    order: int = 0


@dataclass(frozen=True, slots=True)
class Open:
    """A lock opens; or, if `shut`, it shows closed."""

    text: str
    shut: bool = False


@dataclass(frozen=True, slots=True)
class Show:
    """A caption for `ms`."""

    kind: Literal["notice", "time", "sign", "seen", "happens", "end", "form", "note"]
    text: str
    ms: int = 1200


@dataclass(frozen=True, slots=True)
class Vitals:
    """The signs on the monitor from now on, by name."""

    vitals: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Tell:
    """Words for the log alone, where an item has no line of its own."""

    text: str


@dataclass(frozen=True, slots=True)
class Pass:
    """The clock turns to the item's minute; without it, it has turned before the item's first cue."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A moment of nothing."""

    ms: int


Cue: TypeAlias = Go | Come | Bear | Say | Pin | Unpin | Earn | Open | Show | Vitals | Tell | Pass | Rest


class State(Protocol):
    """The state of the stage, as a handler may ask for it."""

    def room_of(self, who: str) -> str:
        """The kind of room somebody is in, empty if they have not come yet."""

    def named(self, name: str) -> str:
        """The actor of a name; who is unknown gets an actor of their own."""

    def role_of(self, who: str) -> str:
        """The role of an actor that has come."""

    def people(self) -> tuple[str, ...]:
        """Everybody who has come, in the order of their coming."""

    def pinned(self) -> Mapping[int, str]:
        """The orders on the board and their names; what a name is no longer on it is not pinned."""


Handler: TypeAlias = Callable[[ViewedEvent, State], Iterable[Cue]]


class Participant(NamedTuple):
    """Somebody of whom a view tells before the first item: their actor, name, role and traits."""

    who: str
    name: str = ""
    role: str = ""
    traits: Traits = NOTHING_TOLD


class Place(NamedTuple):
    """A part in the play: the room and slot of the encounter, the base they come from, their pose there."""

    room: str
    slot: str
    base: str = "corridor"
    base_slot: str = ""
    pose: PoseName = "stand"


def _patient(view: Mapping[str, Any]) -> Iterator[Participant]:
    yield Participant("patient", traits=traits_of(view))


@dataclass(frozen=True, kw_only=True)
class Staging:
    """The staging of a protocol.

    room      the kind of room where the encounter goes on
    parts     by role ("doctor", "student"): where they sit; others stand in the room
    opening   the cues before the first item
    events    by kind of event, beside those that any protocol may tell (`osler.choreography.shared`)
    lines     by kind of line, for the view `room`
    voices    the seats that speak for several people, each an actor of their own
    cast      the people that a seat's view (as JSON) tells of
    waits     the ways of those who have come, while the clock turns on for long
    apart     lines of these seats are spoken where the seat is, and call nobody into the encounter's room
    """

    room: str = "consulting"
    cast: Callable[[Mapping[str, Any]], Iterable[Participant]] = _patient
    parts: Mapping[str, Place] = field(default_factory=dict)
    opening: tuple[Cue, ...] = ()
    events: Mapping[str, Handler] = field(default_factory=dict)
    lines: Mapping[str, Handler] = field(default_factory=dict)
    voices: frozenset[str] = frozenset()
    waits: tuple[Go, ...] = ()
    apart: frozenset[str] = frozenset()


PLAIN: Final = Staging()
"""The staging of a protocol that brings none: everybody stands in one room and speaks."""
