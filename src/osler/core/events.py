"""The events of an episode, as small frozen records.

An event is told to some seats (`to`) and kept in the trace by all. Times are simulated minutes since the
encounter began. Here stand the events that any protocol may tell; its own it defines
beside its seats.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from osler.core.kinds import NAME, Registry

Seat = Annotated[str, StringConstraints(pattern=NAME)]
"""The name of a seat, as defined by a protocol's contracts."""
JsonObject: TypeAlias = dict[str, Any]
Json: TypeAlias = Mapping[str, Any]
"""A JSON object, and one that is only read."""
NOT_VALID: Final = "Not a valid move"
"""The prefix of the notice about a refused move."""


class Frozen(BaseModel):
    """Base class of every stored record: immutable, and it refuses unknown fields.

    >>> class Answer(osler.Frozen):
    ...     text: str
    >>> Answer(text="Yes.").model_copy(update={"text": "No."})
    Answer(text='No.')
    """

    # A schema is built on first use: most commands need few of them.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def model_copy(self, *, update: Json | None = None, deep: bool = False) -> Self:
        """Copy the record with some fields replaced; cached properties are not copied."""
        copied = super().model_copy(update=update, deep=deep)
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied


def json_of(record: BaseModel, *, defaults: bool = True) -> str:
    """Serialize a record as JSON text, with or without default values; `model_dump_json` at half the cost."""
    return record.__pydantic_serializer__.to_json(record, exclude_defaults=not defaults).decode()


class View(Frozen):
    """Base class of every view: the knowledge of a seat before the encounter begins.

    >>> class Note(osler.View):
    ...     door_note: str
    >>> Note(door_note="Woman, 58.").text
    '{"door_note":"Woman, 58."}'
    """

    @cached_property
    def text(self) -> str:
        """The view as JSON text, with which a request's hash begins."""
        return self.model_dump_json()


class Event(Frozen):
    """Base class of every event; a subclass is registered under its `kind`.

    `kind` is a literal with the same default, by which stored traces are read; kinds must be unique
    (BadInput). `minute` is simulated, since the encounter began; `to` are the seats that are told.

        >>> osler.Said(minute=3, to=("doctor",), by="patient", text="It hurts.").line
        '{"kind":"said","minute":3,"to":["doctor"],"by":"patient","text":"It hurts."}'
    """

    seen: ClassVar[tuple[str, ...]] = ()
    """The fields that everybody in the room sees happen, beside its wording."""
    minute: int = Field(ge=0, description="simulated minutes since the encounter began")
    to: tuple[Seat, ...] = ()
    kind: str

    @property
    def line(self) -> str:
        """The event as JSON text, leaving out default values."""
        return f'{{"kind":"{self.kind}",{json_of(self, defaults=False)[1:]}'

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        EVENTS.register(cls)


EVENTS: Final = Registry[Event]("event", "osler.plugins:import_protocols")
"""The registry of all event classes, which also reads stored events."""


class Placed(Event):
    """A place exists. Screens draw it; no seat is told."""

    kind: Literal["place"] = "place"
    place: str


class Moved(Event):
    """A participant goes to a place."""

    kind: Literal["move"] = "move"
    who: str
    place: str


class TurnBegan(Event):
    """A turn of the seat under test begins, with the remainder of each limit (`None`: unlimited)."""

    kind: Literal["turn"] = "turn"
    turn: int
    turns_left: int
    tests_left: int | None = None
    minutes_left: int | None = None
    cost_left: int | None = None
    differential_wanted: bool = False
    last_chance: bool = False


class Said(Event):
    """Words spoken aloud, by a seat.

    >>> osler.Said(minute=0, by="patient", text="It hurts.").text
    'It hurts.'
    """

    kind: Literal["said"] = "said"
    by: Seat
    text: str


class Released(Event):
    """A ledger entry: evidence became available. No seat is told; judges and screens read it.

    `item` is the case's id of a fact or finding, or the order's name if the case has none.
    `provenance` is `case`, `policy:normal` or `synthetic`.
    """

    kind: Literal["released"] = "released"
    item: str
    provenance: Literal["case", "policy:normal", "synthetic"] = "case"
    gate: Literal["asked", "volunteered", "ordered"] = "asked"


class Noticed(Event):
    """A notice of the table to a seat: a limit, an invalid move, the last chance. `said` is the seat's own
    answer that was refused, where there is something in it to put right."""

    kind: Literal["notice"] = "notice"
    text: str
    said: str = ""


class Ended(Event):
    """The encounter is over; `status` is one of `osler.errors.Status`. `cause` is the cause of a failure, for
    machines; an end that the story decides has none."""

    kind: Literal["ended"] = "ended"
    status: str
    reason: str
    cause: str = ""
