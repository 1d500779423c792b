"""What a model's reply took, in the plain values of a record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from osler.models.faults import MODELS_OWN
from osler.models.types import Attempt, Usage

Used = dict[str, str | int | None]
_UNKNOWN: Final = Usage()
_MOST_SHOWN: Final = 4000
_COUNTS: Final = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")


def refused_of(attempts: Iterable[Attempt]) -> tuple[dict[str, str], ...]:
    """What a model answered that could not be used, refusals and empty answers too. Failures of the network
    are no answers of the model's."""
    return tuple(
        {"at": "model", "error": f"{a.outcome}: {a.detail}"[:500], "reply": a.text[:_MOST_SHOWN]}
        for a in attempts
        if a.outcome in MODELS_OWN
    )


def used_by(endpoint: str, attempts: Iterable[Attempt], model: str | None = None) -> Used:
    """Answers got (`calls`) and tokens used, over every answer: those that could not be used, and those
    without words where the endpoint says what they took, are paid for as well.

    A count that one of them did not report is unknown (`None`), not 0. Requests that brought no answer and
    times are left out, so that a record is the same however the network behaved.
    """
    usages = [attempt.usage for attempt in attempts if attempt.text or attempt.usage != _UNKNOWN]
    counts = {name: _sum(getattr(usage, name) for usage in usages) for name in _COUNTS}
    return {"endpoint": endpoint, "model": model, "calls": len(usages), **counts}


def _sum(counts: Iterable[str | int | None]) -> int | None:
    total = 0
    for count in counts:
        if not isinstance(count, int):
            return None
        total += count
    return total
