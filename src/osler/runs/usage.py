"""Token usage and cost of a run's models, read from its record: the same after any number of sessions."""

from __future__ import annotations

import json
from collections.abc import Iterable

from osler.models.budget import Ledger, Tally, cost_of
from osler.models.config import Config, Endpoint
from osler.models.prices import prices_in, with_prices
from osler.models.types import COUNTS, Usage
from osler.store.records import CallRow
from osler.store.store import Store

JUDGE = "judge"
"""The seat under which the usage of a judge is reported."""
Used = dict[str, dict[str, dict[str, int | float | None]]]


def usage(store: Store, run_id: int, config: Config) -> Used:
    """Return replies, calls, tokens, and cost by seat and endpoint: at the prices that the run was begun
    with, else at the configured ones.

    A count is `None` if the endpoint did not report it for every reply; so is a cost without prices.
    `retries` are the requests that failed before an answer came, `faults` the answers that could not be used;
    both are `None` where no call was recorded.
    """
    return _by_seat(_sums_of(store, run_id, config))


def usage_with_times(store: Store, run_id: int, config: Config) -> Used:
    """Return what `usage` does with `seconds`, the time from request to answer summed over the `answered`
    calls; both are `None` where no call was recorded. Times differ whenever a run is played again."""
    return _by_seat(_sums_of(store, run_id, config), times=True)


def _sums_of(store: Store, run_id: int, config: Config) -> dict[tuple[str, str], _Sums]:
    sums: dict[tuple[str, str], _Sums] = {}
    manifest = store.info(run_id).manifest
    config = with_prices(config, prices_in(manifest))
    branch = manifest.get("configuration", {}).get("branch")
    kept = branch["at"] if branch else 0  # what a branch keeps was paid for by its parent
    for seat, attempts in store.attempts(run_id, after=kept):
        for attempt in json.loads(attempts):
            if attempt["at"] == "used":
                name = attempt["endpoint"]
                endpoint = config.endpoints.get(name)
                sums.setdefault((seat, name), _Sums()).add(attempt, endpoint)
    for row in store.calls(run_id, after=kept):
        seat, name = row.body["seat"], row.body["endpoint"]
        sums.setdefault((seat, name), _Sums()).count(row)
    return sums


def judge_usage(store: Store, run_id: int, grader: str, config: Config) -> Used:
    """Return the usage of a model judge of a run, in the form of players' usage, as the seat `judge`."""
    usage: dict[tuple[str, str], _Sums] = {}
    for row in store.judge_calls(run_id, grader):
        name = row.body["endpoint"]
        sums = usage.setdefault((JUDGE, name), _Sums())
        sums.add(row.body, config.endpoints.get(name))
        sums.count(row)
    return _by_seat(usage)


def _by_seat(found: dict[tuple[str, str], _Sums], *, times: bool = False) -> Used:
    seats: Used = {}
    for (seat, name), sums in sorted(found.items()):
        seats.setdefault(seat, {})[name] = sums.row() | (sums.times() if times else {})
    return seats


def joined(parts: Iterable[Used]) -> Used:
    """Return several usages as one; no two of them have a seat in common."""
    return {seat: endpoints for part in parts for seat, endpoints in part.items()}


def ledger_of(used: Used) -> Ledger:
    """Return a ledger preloaded with earlier sessions' usage, so that budgets carry over to the next one."""
    ledger = Ledger()
    for seat, endpoints in used.items():
        for name, row in endpoints.items():
            counts = {count: int(row[count] or 0) for count in ("calls", *COUNTS)}
            ledger.add(seat, name, Tally(**counts, cost=float(row["cost"] or 0)))
    return ledger


class _Sums:
    """The sums over one seat's replies from one endpoint; one unknown summand makes a sum unknown."""

    def __init__(self) -> None:
        self._replies = 0
        self._calls = 0
        self._counts: dict[str, int | None] = dict.fromkeys(COUNTS, 0)
        self._cost: float | None = 0.0
        self._retries: int | None = None
        self._faults: int | None = None
        self._seconds: float | None = None
        self._answered: int | None = None

    def add(self, reply: dict[str, int | None], endpoint: Endpoint | None) -> None:
        """Add the usage of one reply. A reply without calls came from a cache and used nothing."""
        self._replies += 1
        if not reply["calls"]:
            return
        self._calls += reply["calls"]
        for name, total in self._counts.items():
            count = reply.get(name)
            self._counts[name] = None if total is None or count is None else total + count
        usage = Usage(**{name: reply.get(name) for name in COUNTS})
        cost = cost_of(usage, endpoint) if endpoint else None
        self._cost = None if self._cost is None or cost is None else self._cost + cost

    def count(self, call: CallRow) -> None:
        """Count the requests of one call that failed, and time its answer."""
        self._retries = (self._retries or 0) + len(call.body["tries"])
        self._faults = (self._faults or 0) + (call.body["outcome"] != "ok")
        seconds = call.body.get("latency_s") if call.body["outcome"] == "ok" else None
        self._seconds = (self._seconds or 0.0) + (seconds or 0.0)
        self._answered = (self._answered or 0) + (seconds is not None)

    def row(self) -> dict[str, int | float | None]:
        """Return the sums by name."""
        cost = None if self._cost is None else round(self._cost, 6)
        failed = {"retries": self._retries, "faults": self._faults}
        return {"replies": self._replies, "calls": self._calls, **self._counts, "cost": cost, **failed}

    def times(self) -> dict[str, int | float | None]:
        """Return the seconds waited for answers, and the number of these."""
        seconds = None if self._seconds is None else round(self._seconds, 3)
        return {"seconds": seconds, "answered": self._answered}
