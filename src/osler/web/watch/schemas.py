"""What the server and the browser say to each other about watching an episode."""

from __future__ import annotations

from osler.web.schemas import LogItem, Sent


class Log(Sent):
    """The log of an episode in one view: the items after the one asked for, in order. `last` is the id to ask
    after next. `ended` is false while it is played; then more will come."""

    run: str
    ordinal: int
    view: str
    items: list[LogItem]
    last: str
    ended: bool
