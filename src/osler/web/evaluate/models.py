"""Models: one real turn of a model by name."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import APIRouter

from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.models.budget import cost_of
from osler.models.client import EndpointClient
from osler.models.config import Endpoint
from osler.models.faults import EndpointFault, ModelAnswerError, Retry
from osler.models.manners import Manners
from osler.models.secret import sanitized
from osler.runs.real_turns import JUDGE, Took, Turn, played, remedy, take
from osler.web.evaluate.start_schemas import ModelTurn, TurnTaken
from osler.web.house import House, TheHouse
from osler.web.rights import Asking, needs

router = APIRouter()
_LONGEST_S: Final = 60.0
_MOST_SHOWN: Final = 4000
_MANNERS: Final = Manners(retry=Retry(tries=2, base_s=0.2, longest_wait_s=5.0), max_repairs=0)


@router.post("/models/turn", dependencies=[needs("run")])
async def turn(house: TheHouse, asking: Asking, wanted: ModelTurn) -> TurnTaken:
    """Let a model take one real turn: its answer to the first request of a seat."""
    return await house.long_work.run(asking.id, lambda: _turn(house, wanted))


def _turn(house: House, model_turn: ModelTurn) -> TurnTaken:
    protocol = protocol_named(model_turn.protocol)
    seat = model_turn.seat or protocol.under_test
    if seat == JUDGE:
        offered = protocol.model_judge is not None
    else:
        offered = seat in played(protocol.name).requests and protocol.role(seat).takes_models
    if not offered:
        raise BadInput(f"no model can sit as {seat[:40]!r}", where=protocol.many)
    endpoint = house.models.endpoints().endpoint(model_turn.model.removeprefix("model:"))
    quick = endpoint.model_copy(update={"timeout_s": min(endpoint.timeout_s, _LONGEST_S)})
    return asyncio.run(_taken(Turn(seat, protocol), quick))


async def _taken(turn: Turn, endpoint: Endpoint) -> TurnTaken:
    key = endpoint.key()
    hidden = endpoint.access().hidden(key)
    empty = TurnTaken(
        ok=False,
        model=endpoint.model,
        host=endpoint.host,
        seat=turn.seat,
        reply="",
        what="",
        mend="",
        seconds=None,
        prompt_tokens=None,
        completion_tokens=None,
        cost=None,
    )
    async with EndpointClient(endpoint, key, manners=_MANNERS) as client:
        try:
            took = await take(turn, client, endpoint)
        except EndpointFault as error:
            return empty.model_copy(update={"what": error.what, "mend": error.hint})
    said = empty.model_copy(update={"reply": sanitized(took.text, hidden, _MOST_SHOWN)})
    return said.model_copy(update=_figures(took, endpoint))


def _figures(took: Took, endpoint: Endpoint) -> dict[str, object]:
    if isinstance(took.heard, ModelAnswerError):
        return {"what": str(took.heard), "mend": remedy(took.heard, endpoint, took.rung, took.text)}
    if took.heard is None:
        return {"what": "it was not asked anything", "mend": "report this as a fault of Osler"}
    answer = took.heard
    return {
        "ok": True,
        "what": f"a run would ask again: {took.refused}" if took.refused else "",
        "model": answer.model or endpoint.model,
        "seconds": round(answer.latency_s, 2),
        "prompt_tokens": answer.usage.prompt_tokens,
        "completion_tokens": answer.usage.completion_tokens,
        "cost": cost_of(answer.usage, endpoint),
    }
