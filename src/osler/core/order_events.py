"""The events of orders and results, for every protocol in which tests or examinations are ordered."""

from __future__ import annotations

from typing import Final, Literal

from osler.core.events import Event
from osler.core.pictures import Picture
from osler.core.wording import Wording, Words, clock, noted


class Ordered(Event):
    """The doctor asks for a test or an examination, in the doctor's own words."""

    kind: Literal["order"] = "order"
    order: int
    name: str


class Taken(Event):
    """An order was accepted; its result will be ready at `ready_minute`. `finding_kind` is the kind of what
    was ordered, as cases call it."""

    seen = ("finding_kind",)
    kind: Literal["taken"] = "taken"
    order: int
    name: str
    ready_minute: int
    finding_kind: str = ""


class Resulted(Event):
    """A result reaches the doctor, or the reason why there is none (`returned=False`). A `picture` is shown
    to players that can see. `finding_kind` is empty where nothing was found out: a refused order, a
    treatment."""

    seen = ("finding_kind",)
    kind: Literal["result"] = "result"
    order: int
    name: str
    returned: bool
    text: str
    picture: Picture | None = None
    finding_kind: str = ""


class Pictured(Event):
    """A picture is shown to the describer, under the name it was ordered by."""

    kind: Literal["picture"] = "picture"
    order: int
    name: str
    picture: Picture


ORDER_WORDS: Final[Words] = {
    Ordered: lambda event: Wording("", "order", event.name),
    Taken: lambda event: noted("order", f"{event.name} will be ready at {clock(event.ready_minute)}"),
    Resulted: lambda event: Wording(
        "", "result" if event.returned else "no result", f"{event.name}: {event.text}"
    ),
    Pictured: lambda event: noted("picture", event.name),
}
"""The wordings of orders and results."""
