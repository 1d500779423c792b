"""Seat rendering for models: the prompt, its values from the view, events as lines, and own replies.

Each player declares these for its seat in a `ModelSeat`; assembling them into messages is the same for all
(`osler.players.model.messages`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from pydantic import BaseModel

from osler.core.contract import OwnReply
from osler.core.events import Event, View, json_of
from osler.core.pictures import Picture
from osler.models.types import Output
from osler.prompts import Prompt, prompt
from osler.text.hostile import neutral

Moves = Literal["json", "text"]
"""The answer format: a JSON object, or text for models that cannot write one."""
Lines: TypeAlias = Mapping[type[Event], Callable[[Any], str]]
"""The renderers of events by type; other types are not shown."""


class KeptBack(Protocol):
    """The withheld part of a view, which is released to the seat in lines as soon as an event allows."""

    def after(self, event: Event, /) -> tuple[KeptBack, list[str]]:
        """Return what is still withheld after an event, and the lines that release the rest."""
        ...


def as_dumped(view: View, moves: Moves) -> Mapping[str, object]:
    """The fields of a view by name, as the default template values."""
    return view.model_dump()


def as_json(reply: BaseModel, moves: Moves, view: View, before: Sequence[Event | OwnReply]) -> str:
    """Render a reply as JSON text."""
    return neutral(json_of(reply))


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelSeat:
    """The rendering of one seat for a model.

    template    the prompt: the name of one of ours ("doctor.json"), one in another package
                ("handover:giver.jinja"), or a file
    in_text     the prompt's name for a model that answers in text, if it differs
    lines       renderers of events by type; `other` renders all other events
    lines_by_view   renderers that depend on the view, which take the place of those in `lines`
    values      maps the view to the template's values
    form        the form that the seat fills, by its view, which is sketched below its prompt; `None` for
                plain words
    own         renders an earlier reply of the seat, given the reply, the answer format, the view and the
                feed before it; in text it is neutralized by its renderer, which knows the tags of the form
    kept_back   the part of the view that is released later; `None` if there is none
    pictures    the pictures in the view
    """

    template: str | Path
    lines: Lines
    lines_by_view: Callable[[Any], Lines] = lambda view: {}
    other: Callable[[Event], str] = lambda event: ""
    in_text: str = ""
    values: Callable[[Any, Moves], Mapping[str, object]] = as_dumped
    own: Callable[[BaseModel, Moves, View, Sequence[Event | OwnReply]], str] = as_json
    form: Callable[[Any], Output | None] = lambda view: None
    kept_back: Callable[[Any], KeptBack | None] = lambda view: None
    pictures: Callable[[Any], Iterable[Picture]] = lambda view: ()

    def line(self, event: Event, view: View) -> str:
        """Render an event for the seat with this view; empty if it is not shown."""
        kind = type(event)
        render = self.lines_by_view(view).get(kind) or self.lines.get(kind, self.other)
        return render(event)

    def prompt(self, moves: Moves = "json") -> Prompt:
        """Load the prompt. Raises BadInput if there is none of that name."""
        return prompt(self.in_text if self.in_text and moves == "text" else self.template)
