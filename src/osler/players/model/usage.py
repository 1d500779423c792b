"""The cost of a model's reply, as plain values for the record: refused answers and token usage."""

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
    """The unusable answers of a model, including refusals and empty answers. Network failures do not count as
    answers."""
    return tuple(
        {"at": "model", "error": f"{a.outcome}: {a.detail}"[:500], "reply": a.text[:_MOST_SHOWN]}
        for a in attempts
        if a.outcome in MODELS_OWN
    )


def used_by(endpoint: str, attempts: Iterable[Attempt], model: str | None = None) -> Used:
    """Count the answers received (`calls`) and the tokens used. Unusable answers, and empty ones whose usage
    the endpoint reports, are included, since they are billed too.

    If any of them does not report a count, that count is unknown (`None`), not 0. Requests without an answer,
    and timings, are left out, so that a record does not depend on the network's behaviour.
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
