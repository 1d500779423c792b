"""Events that several protocols share."""

from __future__ import annotations

from typing import Literal

from osler.core.events import Event


class VisitBegan(Event):
    """A visit begins; the first is number 1."""

    kind: Literal["visit"] = "visit"
    visit: int
