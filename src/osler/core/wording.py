"""Wordings of events as text: speaker or actor, kind of line, and text; written once, for every reader.

Each module of events defines their wordings next to them, and a protocol collects those it needs
(`Protocol.words`). Screens, judges, raters, persons, prompts and exports select among the wordings of an
event and format them in their own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from pydantic import BaseModel

from osler.core.events import Ended, Event, Moved, Noticed, Placed, Released, Said, Seat, TurnBegan

SAID: Final = "said"
DONE: Final = "does"
_ACTS: Final = frozenset({SAID, DONE, "order"})
"""The kinds of lines of a reply that the table tells again as events, to those who may hear them; others,
such as a thought or a conclusion, stand in the reply alone."""
_DAY: Final = 24 * 60
_LONGEST_DEFAULT: Final = 600


class Wording(NamedTuple):
    """One line of text for an event: its speaker or actor, its kind, and the text.

    `by` is the seat whose words or act it is, empty if there is none; `who` is the display name if it differs
    from the seat's ("Ann" for student_1). `kind` is the kind of line, in a word or two ("said", "does",
    "result"). `to` names the listener if not everyone hears it ("the tutor"). Lines that are not `public`
    (private thoughts, drafts, the table's bookkeeping) are shown on screens, but to no judge or rater.

        >>> osler.Wording("Ann", "said", "It is the heart.", by="student_1", to="the tutor").label
        'Ann, to the tutor'
    """

    who: str
    kind: str
    text: str
    by: Seat = ""
    to: str = ""
    public: bool = True

    @property
    def label(self) -> str:
        """The label before the text on a screen: the speaker, or the kind of line."""
        if self.kind != SAID:
            return self.kind
        return f"{self.speaker}, to {self.to}" if self.to else self.speaker

    @property
    def speaker(self) -> str:
        """The display name of the speaker or actor."""
        return self.who or self.by

    @property
    def named(self) -> str:
        """The text, preceded by the display name if that differs from the seat: "Ann: It is the heart."."""
        return f"{self.who}: {self.text}" if self.who else self.text


Words: TypeAlias = Mapping[type[Event], Callable[..., Wording | Iterable[Wording] | None]]
"""The functions that word events, by type; each returns one wording, several, or `None` for none."""


ReplyWords: TypeAlias = Mapping[type[BaseModel], Callable[..., Wording | Iterable[Wording]]]
"""The functions that word a seat's own replies, by type; each is given the reply and the seat."""


def said(by: Seat, text: str, *, who: str = "", to: str = "", public: bool = True) -> Wording:
    """Build the wording of words spoken aloud by a seat, under its own name or that of `who`.

    >>> osler.said("student_1", "It is the heart.", who="Ann").named
    'Ann: It is the heart.'
    """
    return Wording(who, SAID, text, by, to, public)


def noted(kind: str, text: str) -> Wording:
    """Build the wording of a line by the table itself, such as a limit; judges do not see it.

    >>> osler.noted("limit", "two turns left").public
    False
    """
    return Wording("", kind, text, public=False)


def clock(minute: int) -> str:
    """Format simulated time: "0:07", and "day 8 2:00" from the second day on."""
    days, rest = divmod(minute, _DAY)
    hours, minutes = divmod(rest, 60)
    return f"day {days + 1} {hours}:{minutes:02}" if days else f"{hours}:{minutes:02}"


def wordings(event: Event, words: Words) -> tuple[Wording, ...]:
    """The wordings of an event, by `words` or else by the kernel's. An event of a type unknown to both is
    worded as its kind and its fields, and is shown to no judge, since it has not been declared public."""
    write = words.get(type(event)) or KERNEL_WORDS.get(type(event)) or _by_fields
    result = write(event)
    if result is None:
        return ()
    return (result,) if isinstance(result, Wording) else tuple(result)


def reply_wordings(reply: BaseModel, seat: Seat, words: ReplyWords) -> tuple[Wording, ...]:
    """The wordings of a seat's own reply, for that seat: its words and acts, and its private parts as lines
    that are not public. A type unknown to `words` is worded as its fields."""
    write = words.get(type(reply))
    wording = write(reply, seat) if write else Wording("", "reply", _plain_fields(reply), seat, public=False)
    return (wording,) if isinstance(wording, Wording) else tuple(wording)


def not_told_again(worded: Iterable[Wording]) -> tuple[Wording, ...]:
    """The lines of a reply that no event repeats: what was only thought, and what was concluded."""
    return tuple(one for one in worded if one.kind not in _ACTS)


def _plain_fields(reply: BaseModel) -> str:
    given = {name: value for name, value in reply if value not in (None, "", (), [], {})}
    return "; ".join(f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in given.items())[
        :_LONGEST_DEFAULT
    ]


def spoken_line(wording: Wording) -> str:
    """Format a wording as one terminal line: "Patient: It hurts.", "[result] ECG: normal"."""
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


def _status(event: Ended) -> str:
    return f"{event.status} ({event.cause})" if event.cause else event.status


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
    Ended: lambda event: noted("ended", f"{_status(event)}: {event.reason}"),
}
"""The wordings of the events that any protocol may tell."""
