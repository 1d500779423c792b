"""Items that a model judge looks for, and which lines of a transcript may prove each kind."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from osler.judging.model.transcript import Source

Part = Literal["diagnosis", "supporting_evidence", "plan", "follow_up", "unsafe", "unsupported", "correct"]

TOP: Final = 2

_DONE: Final[frozenset[Source]] = frozenset({"doctor", "order", "plan", "follow_up"})

_WRITTEN: Final[frozenset[Source]] = frozenset({"diagnosis", "evidence"})

SOURCES: Final[dict[Part, frozenset[Source]]] = {
    "diagnosis": frozenset({"diagnosis"}),
    "supporting_evidence": _WRITTEN,
    "plan": _DONE,
    "follow_up": _DONE,
    "unsafe": _DONE,
    "unsupported": _DONE | _WRITTEN,
    "correct": frozenset({"diagnosis"}),
}
"""The sources of transcript lines that a verdict on each part may quote."""


class Item(NamedTuple):
    """One rubric item."""

    id: str
    part: Part
    what: str
