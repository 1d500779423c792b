"""Remarks on a draft: what its author should check, and what could not be placed."""

from __future__ import annotations

from typing import NamedTuple

from osler.authoring.stations.lines import Place


class Check(NamedTuple):
    """A remark for the author: where in the draft, what to look at, and the place in the source, if any."""

    where: str
    what: str
    place: Place | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}{f' ({self.place})' if self.place else ''}"


class Unplaced(NamedTuple):
    """A line that is nowhere in the draft, and why."""

    text: str
    why: str
    place: Place
