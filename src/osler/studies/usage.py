"""What the models of a run used, read from its record: the same after any number of sittings."""

from __future__ import annotations

import json
from collections import defaultdict

from osler.models.budget import Ledger, Tally
from osler.models.config import Config
from osler.models.estimate import cost_of
from osler.models.types import Usage
from osler.store.store import Store

COUNTS = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
Used = dict[str, dict[str, dict[str, int | float | None]]]


def usage(store: Store, run_id: int, config: Config) -> Used:
    """By seat and endpoint: replies, calls, tokens, and cost at the configured prices.

    A count is `None` where an endpoint did not report it for every reply; so is a cost without prices.
    """
    found: defaultdict[tuple[str, str], list[dict[str, int | None]]] = defaultdict(list)
    for seat, attempts in store.attempts(run_id):
        for attempt in json.loads(attempts):
            if attempt["at"] == "used":
                found[seat, attempt["endpoint"]].append(attempt)
    seats: Used = {}
    for (seat, name), replies in sorted(found.items()):
        asked = [reply for reply in replies if reply["calls"]]
        row: dict[str, int | float | None] = {
            "replies": len(replies),
            "calls": sum(reply["calls"] or 0 for reply in asked),
        }
        for count in COUNTS:
            row[count] = _sum([reply.get(count) for reply in asked])
        row["cost"] = _cost(asked, name, config)
        seats.setdefault(seat, {})[name] = row
    return seats


def ledger_of(used: Used) -> Ledger:
    """A ledger that begins where earlier sittings ended, for the budgets of the next one."""
    ledger = Ledger()
    for seat, endpoints in used.items():
        for name, row in endpoints.items():
            counts = {count: int(row[count] or 0) for count in ("calls", *COUNTS)}
            ledger.add(seat, name, Tally(**counts, cost=float(row["cost"] or 0)))
    return ledger


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _cost(replies: list[dict[str, int | None]], name: str, config: Config) -> float | None:
    if name not in config.endpoints:
        return None
    total = 0.0
    for reply in replies:
        cost = cost_of(Usage(**{count: reply.get(count) for count in COUNTS}), config.endpoint(name))
        if cost is None:
            return None
        total += cost
    return round(total, 6)
