"""How a seat reads to a model: its prompt, its view as the prompt's values, its events as lines, its replies.

Each player says so for its seat with a `ModelSeat`; what becomes of it, message by message, is the same for
all (`osler.players.model.messages`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from pydantic import BaseModel

from osler.prompts import Prompt, neutral, prompt
from osler.seats.contract import Own
from osler.seats.events import Event, View, json_of
from osler.seats.pictures import Picture

Moves = Literal["json", "text"]
"""The form a model answers in: a JSON object, or text for models that cannot write one."""
Lines: TypeAlias = Mapping[type[Event], Callable[[Any], str]]
"""What a model reads of an event, by type; nothing of any other."""


class KeptBack(Protocol):
    """What a seat does not know yet, and is handed in lines as soon as an event allows."""

    def after(self, event: Event, /) -> tuple[KeptBack, list[str]]:
        """What is still kept back after an event, and the lines that hand over the rest."""
        ...


def as_dumped(view: View, moves: Moves) -> Mapping[str, object]:
    """The fields of a view under their names."""
    return view.model_dump()


def as_json(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | Own]) -> str:
    """A reply as JSON text."""
    return neutral(json_of(reply))


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelSeat:
    """How one seat reads to a model.

    template    the prompt: the name of one of ours ("doctor.json"), one in another package
                ("handover:giver.jinja"), or a file
    in_text     the prompt's name for a model that answers in text, where it is another one
    lines       what is read of each event; `other` is what is read of any other
    values      from the view to the values of the template
    own         the seat's own earlier reply, as it is shown to it again, from the reply, the form, the view
                and the feed before it
    kept_back   what of the view is handed over only later; `None` where that is nothing
    pictures    the pictures that the view holds
    """

    template: str | Path
    lines: Lines
    other: Callable[[Event], str] = lambda event: ""
    in_text: str = ""
    values: Callable[[Any, Moves], Mapping[str, object]] = as_dumped
    own: Callable[[BaseModel, Moves, View, Sequence[Event | Own]], str] = as_json
    kept_back: Callable[[Any], KeptBack | None] = lambda view: None
    pictures: Callable[[Any], Iterable[Picture]] = lambda view: ()

    def line(self, event: Event) -> str:
        """What a model reads of an event; empty where there is nothing to read."""
        return self.lines.get(type(event), self.other)(event)

    def prompt(self, moves: Moves = "json") -> Prompt:
        """The prompt. Raises BadInput where there is none of its name."""
        return prompt(self.in_text if self.in_text and moves == "text" else self.template)
