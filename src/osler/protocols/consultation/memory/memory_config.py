"""The memory settings of a run's configuration: what its doctor retrieves from, and second attempts."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from osler.core.events import Frozen
from osler.errors import BadInput
from osler.memory.card import Policy
from osler.memory.index import Ranking
from osler.memory.near_duplicates import MADE_UP, THRESHOLD

LATEST: Final = 2**31 - 1
"""The position of an episode that comes after everything in any memory."""
CARDS: Final = 4
FROM: Final = "from"


def threshold_of(cases: str) -> float:
    """Return the similarity from which two cases are near-duplicates; generated cases share their wording."""
    return MADE_UP if cases.startswith("generated:") else THRESHOLD


class MemoryUse(Frozen):
    """The use of a frozen memory, with its search parameters. An empty `snapshot` is a memory without cards.

    `position` is the position of the run's episodes in the stream that the memory was written from: no card
    from there or later may be given. `held_out` are places in the source of cases that no card may come from,
    and `threshold` is the similarity from which two texts count as one case (`osler.memory.near_duplicates`).
    """

    snapshot: str = ""
    k: int = Field(default=CARDS, ge=1, le=50)
    by: Ranking = "lexical"
    threshold: float = Field(default=THRESHOLD, gt=0, le=1)
    position: int = Field(default=LATEST, ge=0)
    held_out: tuple[int, ...] = ()


def use_from(written: object, before: tuple[str, ...]) -> MemoryUse | None:
    """Parse the memory of a study's condition, written `{from: CONDITION}`, as far as it is known before
    anything is played.

    Raises BadInput if the condition it learns from is not played before it.
    """
    if written is None:
        return None
    if not isinstance(written, dict) or written.get(FROM) not in before:
        hint = f"write memory: {{from: CONDITION}} with one of: {', '.join(before) or 'none yet'}"
        raise BadInput("memory: it learns from no condition that is played before it", hint=hint)
    return MemoryUse.model_validate({key: value for key, value in written.items() if key != FROM})


class Again(Frozen):
    """A second attempt: the run whose mistakes are retried, and what the doctor is told about them."""

    run: str
    feedback: Policy
