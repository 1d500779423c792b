"""A scripted endpoint on this machine: each request is answered by the next item of a script."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from aiohttp import web

from osler.models.budget import Budget, Ledger
from osler.models.client import EndpointClient
from osler.models.config import Endpoint
from osler.models.faults import Retry
from osler.models.manners import Manners
from osler.models.secret import Secret
from osler.models.types import CompletionRequest, Message, Output, Sampling

Behaviour = Callable[[web.Request], Awaitable[web.StreamResponse]]
KEY = "sk-test-0123456789abcdefghijklmnop"
USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "prompt_tokens_details": {"cached_tokens": 60},
    "completion_tokens_details": {"reasoning_tokens": 5},
}


@dataclass
class Served:
    """What the endpoint has seen: bodies in order, and the address it stands at."""

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    in_flight: int = 0
    most_in_flight: int = 0


def answer_body(
    content: object, *, finish: str | None = "stop", usage: object = USAGE, **message: object
) -> Any:
    """A whole chat-completions answer as a dict."""
    choice = {"index": 0, "finish_reason": finish, "message": {"content": content, **message}}
    return {"id": "x", "model": "tiny-2", "choices": [choice], "usage": usage}


def says(content: object, **rest: Any) -> Behaviour:
    """Answer with this content."""
    return sends(json.dumps(answer_body(content, **rest)))


def sends(text: str, status: int = 200, **headers: str) -> Behaviour:
    """Answer with these bytes."""

    async def behave(request: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(body=text.encode(), status=status, headers=named)

    return behave


def fails(status: int, message: str = "", code: str = "", **headers: str) -> Behaviour:
    """Answer with an error body."""
    return sends(json.dumps({"error": {"message": message, "code": code}}), status, **headers)


async def resets(request: web.Request) -> web.StreamResponse:
    """Break the connection without a word."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def breaks_off(request: web.Request) -> web.StreamResponse:
    """Promise more than is sent."""
    response = web.StreamResponse()
    response.content_length = 5000
    await response.prepare(request)
    await response.write(b'{"choices": [{"mess')
    assert request.transport is not None
    request.transport.close()
    return response


async def hangs(request: web.Request) -> web.StreamResponse:
    """Never answer."""
    await asyncio.sleep(30)
    return web.Response()


@asynccontextmanager
async def serving(*script: Behaviour) -> AsyncIterator[Served]:
    """An endpoint that follows a script and then repeats its last item."""
    served = Served()

    async def handle(request: web.Request) -> web.StreamResponse:
        served.bodies.append(await request.json())
        served.headers.append(dict(request.headers))
        served.asked.set()
        served.in_flight += 1
        served.most_in_flight = max(served.most_in_flight, served.in_flight)
        try:
            return await script[min(len(served.bodies), len(script)) - 1](request)
        finally:
            served.in_flight -= 1

    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.01)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    served.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield served
    finally:
        await runner.cleanup()


class Slept:
    """A sleep that takes no time and remembers what was asked of it."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


def client_of(
    url: str,
    *,
    tries: int = 3,
    slept: Slept | None = None,
    ledger: Ledger | None = None,
    budget: Budget | None = None,
    breaker_after: int = 3,
    **settings: Any,
) -> EndpointClient:
    """A client with a key, no real waiting and a fixed jitter."""
    endpoint = Endpoint.model_validate({"name": "tiny", "base_url": url, "model": "tiny", **settings})
    manners = Manners(
        retry=Retry(tries=tries),
        breaker_after=breaker_after,
        sleep=slept or Slept(),
    )
    return EndpointClient(endpoint, Secret(KEY), ledger=ledger, budget=budget, rng=Random(7), manners=manners)


def request_of(*texts: str, output: Output | None = None, **rest: Any) -> CompletionRequest:
    """A request whose first message is the system's."""
    first, *others = texts or ("Be brief.", "Hello?")
    messages = (Message(role="system", text=first), *(Message(role="user", text=text) for text in others))
    return CompletionRequest(
        messages=messages, output=output, sampling=rest.pop("sampling", Sampling()), **rest
    )


def roles(body: dict[str, Any]) -> Sequence[str]:
    """Who speaks in a request body."""
    return [message["role"] for message in body["messages"]]
