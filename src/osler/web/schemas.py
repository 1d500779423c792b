"""What the server and the browser say to each other, as far as several rooms share it.

`openapi.json` is generated from these and from each room's own; the front end's types are generated from it.
"""

from __future__ import annotations

import json
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

T = TypeVar("T")


class ServerModel(BaseModel):
    """Base class of everything the server sends: every field is present, defaults included."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class BrowserModel(BaseModel):
    """Base class of everything the browser gives: unknown fields are refused, and text that cannot be
    written, in names and values."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _can_be_written(cls, given: Any) -> Any:
        try:
            json.dumps(given, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            raise ValueError("a text holds half a character (a lone surrogate)") from None
        return given


class Problem(ServerModel):
    """An error: what is wrong, where, and what to do about it. Every 4xx and 5xx answer is one."""

    what: str
    where: str = ""
    mend: str = ""


class Page(ServerModel, Generic[T]):
    """One page of a list. `next` is the cursor of the page after it; `total` counts all that match."""

    items: list[T]
    next: str | None = None
    total: int | None = None


class TextLine(ServerModel):
    """One line of text for an event or a reply, as `osler.core.wording` words it.

    `label` stands before the text: the speaker, or the kind of line ("result", "notice"). `by` is the seat
    whose words or act it is, empty if there is none. `public` lines were said or done openly.
    """

    label: str
    kind: str
    text: str
    by: str = ""
    public: bool = True


Mark = Literal["evidence", "order", "consult", "thought", "refusal", "end"]
"""The kinds of moment that a scrubber marks."""


class LogItem(ServerModel):
    """An event of an episode, or a seat's reply, in the order in which they happened.

    `id` is "N.I": the I-th event told after exchange N (counting from 1), and "N.0" is the reply of exchange
    N itself. Ids sort as two whole numbers, not as text. `event` has every field, defaults included, and is
    `None` for a reply; `reply` is the reply's own JSON, and `seat` the seat that gave it.
    """

    id: str
    n: int
    minute: int
    event: dict[str, Any] | None = None
    seat: str = ""
    reply: dict[str, Any] | None = None
    lines: list[TextLine] = Field(default_factory=list)
    mark: Mark | None = None
    picture: str = Field(default="", description="address of the picture shown with it; empty if none")
