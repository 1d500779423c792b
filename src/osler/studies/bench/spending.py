"""The money, tokens and time that the models of a shared run took, from the records of their calls alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from osler.models.budget import cost_of
from osler.models.prices import Prices
from osler.models.types import COUNTS, Usage


class Spending(NamedTuple):
    """The use of one endpoint in one seat. A count that was not reported for every call is `None`, and so is
    the cost of an unpriced model; `median_s` and `p90_s` (the 90th percentile) are the latency of an
    answer that came from no cache."""

    calls: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    cost: float | None
    median_s: float | None
    p90_s: float | None


def spending(
    calls: Iterable[tuple[str, Mapping[str, Any]]], prices: Mapping[str, Prices]
) -> dict[str, dict[str, Spending]]:
    """The spending by seat and endpoint, of (seat, call) pairs: a call as `osler.models.calls` records it."""
    held: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for seat, call in calls:
        held.setdefault((seat, str(call.get("endpoint", ""))), []).append(call)
    seats: dict[str, dict[str, Spending]] = {}
    for (seat, endpoint), some in sorted(held.items()):
        seats.setdefault(seat, {})[endpoint] = _spending(some, prices.get(endpoint))
    return seats


def _spending(calls: Sequence[Mapping[str, Any]], prices: Prices | None) -> Spending:
    counts = {name: _total(calls, name) for name in COUNTS}
    cost = cost_of(Usage(**counts), prices) if prices else None
    asked = (call.get("latency_s") for call in calls if not call.get("from_cache"))
    waits = [float(wait) for wait in asked if wait is not None]
    return Spending(
        calls=sum(int(call.get("calls") or 0) for call in calls),
        prompt_tokens=counts["prompt_tokens"],
        completion_tokens=counts["completion_tokens"],
        cached_tokens=counts["cached_tokens"],
        cost=None if cost is None else round(cost, 6),
        median_s=round(float(np.quantile(waits, 0.5)), 3) if waits else None,
        p90_s=round(float(np.quantile(waits, 0.9)), 3) if waits else None,
    )


def _total(calls: Iterable[Mapping[str, Any]], name: str) -> int | None:
    """The sum of a count over the calls that were answered; unknown if one of them does not report it."""
    counts = [call.get(name) for call in calls if call.get("calls")]
    return None if None in counts else sum(int(count or 0) for count in counts)
