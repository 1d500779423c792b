"""The record of a call to a model: a hash of what it was sent, and everything it answered, as plain data.

A record holds what the episode does not: the raw text, the reasoning, the tries that failed, the time taken.
It depends on when an endpoint was asked, so it is kept beside the episode, never in it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Final

from osler.models.budget import BudgetPaused
from osler.models.config import Endpoint
from osler.models.faults import EndpointFault, Fault, Kind, ModelAnswerError
from osler.models.overhearing import heard, trails
from osler.models.types import (
    COUNTS,
    Attempt,
    Completion,
    CompletionRequest,
    Message,
    ModelClient,
    Usage,
    Validate,
)
from osler.models.wire import messages_json

Call = dict[str, Any]  # JSON
MOST_KEPT: Final = 64_000
"""The longest text of an answer that is kept, in characters."""
SERVERS_DEFAULT: Final = "server's default"
INTERRUPTED: Final = "interrupted"
"""The outcome of a call that was given up before its answer came."""
_UNKNOWN: Final = Usage()


def call_of(endpoint: str, request: CompletionRequest, found: Completion | ModelAnswerError) -> Call:
    """The record of a completion, or of the unusable answer that was given instead.

    `outcome` is "ok" or the kind of fault, `sampling` the temperature, top-p and seed that were sent (`None`
    if the client does not say), `tries` are the requests before the last one, `cost` is what the endpoint
    itself reports for all of them; `calls` and the counts of tokens are as in `counted`. `prompt` is
    the hash of `messages`. An answer from the cache has no tries and cost nothing.
    """
    tries = () if found.from_cache else found.attempts
    call = {
        "endpoint": endpoint,
        "seat": request.seat,
        "prompt": prompt_hash(request.messages),
        "messages": shown(request.messages),
        **(_answered(found) if isinstance(found, Completion) else _refused(found)),
        "sampling": _sampling(found.attempts),
        "from_cache": found.from_cache,
        "tries": [_tried(one) for one in tries[:-1]],
        **counted(tries),
    }
    costs = [one.usage.cost for one in tries if one.usage.cost is not None]
    return {**call, "cost": sum(costs)} if costs else call


def prompt_hash(messages: Sequence[Message]) -> str:
    """16 hex digits over the messages of a request, their pictures included."""
    return blake2b(messages_json(messages), digest_size=8).hexdigest()


def shown(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as JSON, each picture as a hash of 16 hex digits."""
    result = []
    for message in messages:
        pictures = [blake2b(one.data.encode(), digest_size=8).hexdigest() for one in message.images]
        held = {"role": message.role, "text": message.text}
        result.append({**held, "pictures": pictures} if pictures else held)
    return result


def counted(attempts: Iterable[Attempt]) -> dict[str, int | None]:
    """Count the answers received (`calls`) and the tokens used. Unusable answers, and empty ones whose usage
    the endpoint reports, are included, since they are billed too.

    If any of them does not report a count, that count is unknown (`None`), not 0. Requests without an answer,
    and timings, are left out, so that a record does not depend on the network's behaviour.
    """
    usages = [attempt.usage for attempt in attempts if attempt.text or attempt.usage != _UNKNOWN]
    return {"calls": len(usages), **{name: _sum(getattr(one, name) for one in usages) for name in COUNTS}}


def _sampling(attempts: Sequence[Attempt]) -> dict[str, float | str] | None:
    """The sampling of the last request, as it was sent."""
    sampled = attempts[-1].sampled if attempts else None
    if sampled is None:
        return None
    return {name: SERVERS_DEFAULT if one is None else one for name, one in sampled._asdict().items()}


def _sum(counts: Iterable[int | None]) -> int | None:
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def _answered(completion: Completion) -> Call:
    return {
        "outcome": "ok",
        "text": _bounded(completion.text),
        "reasoning": completion.reasoning and _bounded(completion.reasoning),
        "rung": completion.attempts[-1].rung if completion.attempts else completion.rung,
        "found_in": completion.found_in,
        "finish_reason": completion.finish_reason,
        "latency_s": round(completion.latency_s, 3),
        "model": completion.model,
        "served_by": completion.served_by,
    }


def _refused(error: ModelAnswerError) -> Call:
    last = error.attempts[-1] if error.attempts else Attempt(outcome=error.kind.value)
    return {**_tried(last), "detail": last.detail or str(error), "model": None, "served_by": None}


def _tried(one: Attempt) -> Call:
    return {
        "outcome": one.outcome,
        "detail": one.detail,
        "text": _bounded(one.text),
        "reasoning": one.reasoning and _bounded(one.reasoning),
        "rung": one.rung,
        "finish_reason": one.finish_reason,
        "latency_s": round(one.latency_s, 3),
    }


def _bounded(text: str) -> str:
    left = len(text) - MOST_KEPT
    return text if left <= 0 else f"{text[:MOST_KEPT]} [cut here: {left} more characters]"


class Overheard:
    """A client whose calls are recorded, with its endpoint's host and settings, if anyone overhears them."""

    def __init__(self, client: ModelClient, endpoint: Endpoint) -> None:
        self._client, self._endpoint = client, endpoint

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Ask the model. See `ModelClient`."""
        if not heard.get():
            return await self._client.complete(request, validate=validate)
        left: list[list[Attempt]] = []
        began, token = time.perf_counter(), trails.set(left)
        try:
            completion = await self._client.complete(request, validate=validate)
        except ModelAnswerError as error:
            self._record(call_of(self._endpoint.name, request, error))
            raise
        except BaseException as stop:
            tries = tuple(one for trail in left for one in trail)
            if not tries and isinstance(stop, BudgetPaused) and not stop.sent:
                raise
            if not (tries and isinstance(stop, EndpointFault)):
                tries = (*tries, _given_up(stop, time.perf_counter() - began))
            unanswered = ModelAnswerError(Fault(Kind.EMPTY), tries)
            self._record(call_of(self._endpoint.name, request, unanswered))
            raise
        finally:
            trails.reset(token)
        self._record(call_of(self._endpoint.name, request, completion))
        return completion

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts; this is not recorded."""
        return await self._client.embed(texts)

    def _record(self, call: Call) -> None:
        told = {"host": self._endpoint.host, "settings": self._endpoint.settings}
        for calls in heard.get():
            calls.append({**call, **told})


def _given_up(stop: BaseException, seconds: float) -> Attempt:
    """The last request of a call that brought no answer: it could not be sent, or nobody waited for it."""
    outcome = str(stop.kind) if isinstance(stop, EndpointFault) else INTERRUPTED
    return Attempt(outcome, str(stop), latency_s=seconds)
