"""The budget of a run, what its models have used of it, and what failed, by cause."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from fastapi import APIRouter

from osler.errors import BadInput
from osler.models.budget import Limits, budget_entry, limits_in
from osler.models.config import Config as Endpoints
from osler.models.faults import hint_on
from osler.runs.run import recorded
from osler.runs.seating import ModelOptions
from osler.runs.usage import usage
from osler.store.listing import counts
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.evaluate.start_schemas import Budget, Faults, Spending
from osler.web.house import House, TheHouse
from osler.web.lookups import RunCache, RunName
from osler.web.rights import needs
from osler.web.watch.seeing import Looking

router = APIRouter()


def noted(budget: Budget) -> dict[str, Any]:
    """A budget as the manifest of its run keeps it."""
    return budget_entry(limits_of(budget))


def limits_of(budget: Budget) -> Limits:
    """The limits that a budget sets."""
    return Limits(budget.token_budget, budget.max_money)


@router.get("/runs/{run}/spending", dependencies=[needs("watch")])
def run_spending(house: TheHouse, looking: Looking, run: RunName) -> Spending:
    """The part of a run's budget that its models have used, and the requests that failed, by cause."""
    seen = looking.run(run)
    result = seen.run
    store = looking.store(seen)
    room: RunCache[Spending] = house.rooms.setdefault("evaluate.spending", RunCache())
    key = (result.done, limits_in(result.manifest))
    made = partial(_spending, house, result, store, seen.whole)
    return room.get(result.id, key, made, people=seen.people or result.status == "running")


def _spending(house: House, run: RunInfo, store: Store, among: frozenset[int] | None) -> Spending:
    endpoints = endpoints_of(house.models)
    used = [one for each in usage(store, run.id, endpoints).values() for one in each.values()]
    costs = [one["cost"] for one in used]
    limits = limits_in(run.manifest)
    with house.store.connected() as connection:
        ended = counts(connection, run.id, "status", among)
    return Spending(
        money=None if None in costs else round(sum(one or 0.0 for one in costs), 6),
        tokens=sum(int(one["prompt_tokens"] or 0) + int(one["completion_tokens"] or 0) for one in used),
        calls=sum(int(one["calls"] or 0) for one in used),
        max_money=limits.money,
        token_budget=limits.tokens,
        limited_here=house.models.max_money,
        faults=list(_faults(store, run.id)),
        ended={status: count for status, count in ended.items() if status != "completed"},
    )


def _faults(store: Store, run_id: int) -> Iterator[Faults]:
    again: dict[tuple[str, str, str], int] = {}
    lost: dict[tuple[str, str, str], int] = {}
    for row in store.calls(run_id):
        where = row.body["seat"], row.body["endpoint"]
        for one in row.body["tries"]:
            again[one["outcome"], *where] = again.get((one["outcome"], *where), 0) + 1
        if row.body["outcome"] != "ok":
            lost[row.body["outcome"], *where] = lost.get((row.body["outcome"], *where), 0) + 1
    for cause, seat, endpoint in sorted({*again, *lost}):
        key = cause, seat, endpoint
        yield Faults(
            cause=cause,
            words=hint_on(cause),
            seat=seat,
            endpoint=endpoint,
            again=again.get(key, 0),
            lost=lost.get(key, 0),
        )


def endpoints_of(models: ModelOptions) -> Endpoints:
    """The endpoints configured here, none without an osler.toml."""
    try:
        return models.endpoints()
    except BadInput:  # a server that only shows runs needs no osler.toml
        return Endpoints()


def check_left(house: House, run: RunInfo, limits: Limits) -> None:
    """Raise BadInput if a run's models have used all that they may, which names the limit."""
    spent = recorded(house.store, run.id, endpoints_of(house.models))
    for used, most, unit in ((spent.money, limits.money, ""), (spent.tokens, limits.tokens, " tokens")):
        if most is not None and used >= most:
            raise BadInput(
                f"its budget is used up: {used:.6g} of {most:g}{unit}",
                where=run.name,
                hint="raise the budget and go on; a server's own ceiling is its --max-money",
            )
