"""An event in words: who spoke or acted, the kind of line, and the text; written once, for every reader.

Each module of events says beside them how they read, and a protocol gathers what it needs
(`Protocol.words`). Screens, judges, raters, persons, prompts and exports choose among the wordings of an
event and set them in their own form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic import BaseModel

from osler.seats.events import (
    Ended,
    Event,
    Moved,
    Noticed,
    Placed,
    Released,
    Said,
    Seat,
    TurnBegan,
)

SAID: Final = "said"
DONE: Final = "does"
_DAY: Final = 24 * 60
_LONGEST_DEFAULT: Final = 600


class Wording(NamedTuple):
    """One line that an event reads as.

    `by` is the seat whose words or act it is, empty where it is nobody's; `who` is the name it goes under
    where that is not its seat's ("Ann" of student_1). `kind` is what the line is, in a word or two ("said",
    "does", "result"). `to` says who hears it where not all do ("the tutor"). What is not `public` (private
    thought, drafts, the table's bookkeeping) is shown on screens, and to no judge or rater.
    """

    who: str
    kind: str
    text: str
    by: Seat = ""
    to: str = ""
    public: bool = True

    @property
    def label(self) -> str:
        """What stands before the text on a screen: the speaker, or the kind of line."""
        if self.kind != SAID:
            return self.kind
        return f"{self.speaker}, to {self.to}" if self.to else self.speaker

    @property
    def speaker(self) -> str:
        """The name of whoever speaks or acts."""
        return self.who or self.by

    @property
    def named(self) -> str:
        """The text, after the name it goes under where that is not its seat's: "Ann: It is the heart."."""
        return f"{self.who}: {self.text}" if self.who else self.text


Words: TypeAlias = Mapping[type[Event], Callable[[Any], Wording | Iterable[Wording] | None]]
"""How events read, by type: one wording, several, or `None` where there is nothing to read."""


def said(by: Seat, text: str, *, who: str = "", to: str = "", public: bool = True) -> Wording:
    """Words spoken aloud by a seat, under its own name or that of `who`."""
    return Wording(who, SAID, text, by, to, public)


def noted(kind: str, text: str) -> Wording:
    """A line of the table's own, such as a limit or the begin of a visit; no judge sees it."""
    return Wording("", kind, text, public=False)


def clock(minute: int) -> str:
    """Simulated time: "0:07", and "day 8 2:00" from the second day on."""
    days, rest = divmod(minute, _DAY)
    hours, minutes = divmod(rest, 60)
    return f"day {days + 1} {hours}:{minutes:02}" if days else f"{hours}:{minutes:02}"


def wordings(event: Event, words: Words) -> tuple[Wording, ...]:
    """How an event reads, by `words` or as the kernel has it. An event of a type that neither knows reads as
    its kind and its fields, and is shown to no judge: nobody has said that it is public."""
    write = words.get(type(event)) or KERNEL_WORDS.get(type(event)) or _by_fields
    found = write(event)
    if found is None:
        return ()
    return (found,) if isinstance(found, Wording) else tuple(found)


def spoken_line(wording: Wording) -> str:
    """A wording as one line for a person at a terminal: "Patient: It hurts.", "[result] ECG: normal"."""
    match wording.kind:
        case "said":
            return f"{wording.label[:1].upper()}{wording.label[1:]}: {wording.text}"
        case "does":
            return f"{wording.speaker[:1].upper()}{wording.speaker[1:]} does: {wording.text}"
        case "notice":
            return f"! {wording.text}"
    return f"[{wording.kind}] {wording.text}"


def _by_fields(event: Event) -> Wording:
    fields = (name for name in type(event).model_fields if name not in Event.model_fields)
    shown = "; ".join(f"{name}: {_plain(getattr(event, name))}" for name in fields)
    return noted(event.kind.replace("_", " "), shown[:_LONGEST_DEFAULT])


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_plain, value))
    if isinstance(value, Mapping | BaseModel):
        pairs = value.items() if isinstance(value, Mapping) else value
        return ", ".join(f"{name} {_plain(one)}" for name, one in pairs if one is not None)
    return str(value)


def _turn(event: TurnBegan) -> Wording:
    left = "the last" if event.last_chance else f"{event.turns_left} more after it"
    return noted("turn", f"number {event.turn}, {left}")


KERNEL_WORDS: Final[Words] = {
    Placed: lambda event: None,
    Moved: lambda event: None,
    Released: lambda event: None,
    TurnBegan: _turn,
    Said: lambda event: said(event.by, event.text),
    Noticed: lambda event: noted("notice", event.text),
    Ended: lambda event: noted("ended", f"{event.status}: {event.reason}"),
}
"""How the events that any protocol may tell read."""
