"""The scorecard of one seat's player over a run: figures about it alone, whatever its run is scored by.

A protocol's role names what makes it (`osler.core.role.Role.scorecard`); commands, studies and reports show
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from osler.core.measure import Measure
from osler.stats.intervals import Estimate


class Scorecard(NamedTuple):
    """The figures of a seat's player. `measures` say what each figure is, in their order, and `figures` are
    their values over `answers` answers; `unread` counts the answers that could not be read, by the reason."""

    seat: str
    player: str
    measures: tuple[Measure, ...]
    figures: Mapping[str, Estimate]
    answers: int
    unread: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON, the figures by name."""
        return {
            self.seat: self.player,
            "answers": self.answers,
            "unread": sum(self.unread.values()),
            "why_unread": dict(self.unread),
            "figures": {
                name: {"value": one.value, "low": one.low, "high": one.high, "n": one.n}
                for name, one in self.figures.items()
            },
        }

    @property
    def in_words(self) -> str:
        """A sentence: the number of answers read, and of those that could not be, with the reasons."""
        whys = "".join(f"; {count} not: {why}" for why, count in self.unread.items())
        return f"{self.player}: {self.answers} answers read{whys or ', none left out'}."
