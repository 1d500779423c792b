"""What the server tells the browser about the recorded examples."""

from __future__ import annotations

from pydantic import Field

from osler.web.schemas import Sent


class Example(Sent):
    """One recorded example: its run and episode, for the addresses of the screens that show it."""

    run: str
    n: int
    protocol: str
    seat: str
    title: str
    note: str = Field(description="who played, in words")
    case: str = Field(description="its case, to take this chair oneself: `POST /api/sittings`")
    ready: bool


class Examples(Sent):
    """The recorded examples."""

    examples: list[Example]
