"""Starting runs: what a run can be made of, its estimate, and playing it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
from fastapi import APIRouter, FastAPI

from osler.core.protocol import Protocol
from osler.core.registry import protocols
from osler.core.role import EXTERNAL, PERSON
from osler.errors import BadInput
from osler.models.budget import limits_in
from osler.models.config import Endpoint
from osler.models.prices import Prices
from osler.runs.endpoints import record_of, words
from osler.web.evaluate.planning import begin, estimate, may_price, within
from osler.web.evaluate.playing import AT_ONCE, Playing
from osler.web.evaluate.run_words import asks_models, listed, settings_of
from osler.web.evaluate.spending import check_left, endpoints_of, limits_of, noted
from osler.web.evaluate.start_schemas import (
    Budget,
    Estimated,
    ModelChoice,
    ProtocolChoice,
    RunPlan,
    SeatChoice,
    Started,
    StartForm,
)
from osler.web.house import TheHouse
from osler.web.lookups import RunName
from osler.web.rights import Asking, needs
from osler.web.watch.seeing import Looking

_OF_THE_RUN = ("cases", "format", "models", "seed", "repeats", "limit", "only", "left_out", "branch")
_HIDDEN = frozenset({PERSON, EXTERNAL})


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    yield
    await anyio.to_thread.run_sync(Playing.of(app.state.house).stop)


router = APIRouter(lifespan=_running)


@router.get("/start", dependencies=[needs("run")])
def form(house: TheHouse, asking: Asking) -> StartForm:
    """The choices for a new run."""
    return StartForm(
        protocols=[_protocol(one) for one in protocols()],
        models=[_model(name, one) for name, one in endpoints_of(house.models).endpoints.items()],
        max_money=house.models.max_money,
        may_price=may_price(house, asking),
    )


def _protocol(protocol: Protocol) -> ProtocolChoice:
    usual: Mapping[str, Any] = protocol.config().model_dump(mode="json")
    seats = [
        SeatChoice(
            seat=role.name,
            under_test=role.name == protocol.under_test,
            optional=role.optional,
            default=listed(usual.get(role.name, role.default)),
            players=sorted(name for name in role.players if name not in _HIDDEN),
            models=role.takes_models,
            wrappers=[f"{one.name}:N" if one.counted else one.name for one in role.wrappers],
        )
        for role in protocol.roles
    ]
    left_out = (*_OF_THE_RUN, *(one.seat for one in seats))
    return ProtocolChoice(
        name=protocol.name,
        one=protocol.one,
        many=protocol.many,
        case=protocol.case,
        seats=seats,
        settings=settings_of(usual, left_out),
    )


def _model(name: str, endpoint: Endpoint) -> ModelChoice:
    unpriced = endpoint.price_in is None or endpoint.price_out is None
    fields = {one: getattr(endpoint, one) for one in Prices.model_fields}
    try:
        endpoint.key()
        endpoint.access()
    except BadInput as error:  # it names the variable, and never holds a value
        lacks = error.what
    else:
        lacks = ""
    return ModelChoice(
        value=f"model:{name}",
        words=words(record_of(endpoint, {})),
        host=endpoint.host,
        prices=None if unpriced else Prices(**fields),
        lacks=lacks,
    )


@router.post("/runs/plan", dependencies=[needs("run")])
def plan(house: TheHouse, asking: Asking, wanted: RunPlan) -> Estimated:
    """Estimate a run; no model is asked."""
    return estimate(house, wanted, asking)


@router.post("/runs", dependencies=[needs("run")], status_code=201)
def start(house: TheHouse, asking: Asking, wanted: RunPlan) -> Started:
    """Start a run."""
    run, options = begin(house, wanted, asking)
    Playing.of(house).play(run, options, wanted.concurrency)
    return Started(run=run.name, status="running")


@router.post("/runs/{run}/pause", dependencies=[needs("run")])
def pause(house: TheHouse, looking: Looking, run: RunName) -> Started:
    """Pause a run that a server of this machine plays; what is recorded stays."""
    result = looking.run(run).run
    if not Playing.of(house).pause(result):
        if result.status == "running":
            what = "it is played by another program, which has to be stopped where it runs"
            raise BadInput(what, where=result.name)
        return Started(run=result.name, status=result.status, note="it was not being played")
    return Started(
        run=result.name, status="interrupted", note="it stops as soon as what is asked is answered"
    )


@router.post("/runs/{run}/resume", dependencies=[needs("run")])
def resume(house: TheHouse, looking: Looking, run: RunName, budget: Budget | None = None) -> Started:
    """Go on with a run where it stopped, within its budget, or within another one from here on."""
    result = house.store.info(looking.run(run).run.id)  # with all its episodes, whoever sees them
    if result.done >= result.planned:
        return Started(run=result.name, status=result.status, note="all its episodes have ended")
    limits = limits_of(budget) if budget else limits_in(result.manifest)
    options = within(house.models, limits)
    if asks_models(result):
        check_left(house, result, options.limits())
    Playing.of(house).play(result, options, AT_ONCE)
    if budget is not None:
        house.store.note(result.id, **noted(budget))
    return Started(run=result.name, status="running")
