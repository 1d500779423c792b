"""`osler check` for endpoints: the key, a first answer, each capability that `osler.toml` declares, and one
real turn in each seat to be tried.

Beside the turns each endpoint gets at most six requests: one token of text, a tiny object by each declared
mode, and three that are timed.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

import aiohttp

from osler.cli.check_result import Check
from osler.cli.check_speed import speed
from osler.cli.check_turns import take_turn
from osler.errors import BadInput
from osler.models.client import EndpointClient, format_of
from osler.models.config import Config, Endpoint
from osler.models.embedded.server import server_of
from osler.models.faults import EndpointFault, Kind, ModelAnswerError, Retry
from osler.models.manners import Manners
from osler.models.secret import Secret, sanitized
from osler.models.transport import proxied
from osler.models.types import Completion, CompletionRequest, Message, Output, Rung, Sampling
from osler.runs.real_turns import Turn, remedy
from osler.text.in_role.faults import declines

LONGEST_S: Final = 60.0
PROBE: Final = Output(
    name="ready",
    json_schema={
        "type": "object",
        "properties": {"ready": {"type": "boolean"}},
        "required": ["ready"],
        "additionalProperties": False,
    },
    strict=True,
)
MANNERS: Final = Manners(retry=Retry(tries=2, base_s=0.2, longest_wait_s=5.0), max_repairs=0)
"""Patience with an endpoint that is only checked."""
_MOST_LISTED: Final = 1 << 20  # bytes
_SHOWN_MODELS: Final = 5
_OBJECT_TOKENS: Final = 512  # room for some thought before the object
_PLAIN: Final[Mapping[Kind, str]] = {
    Kind.TIMEOUT: "does not answer in time",
    Kind.CONNECTION: "cannot be reached",
    Kind.TLS: "cannot be reached safely (TLS)",
    Kind.RATE_LIMITED: "says that it gets too many requests (rate limit)",
    Kind.SERVER_ERROR: "answers with a server error",
    Kind.TRUNCATED: "truncates its answers",
    Kind.BAD_BODY: "does not answer as an endpoint of its `kind` does",
    Kind.QUOTA: "says that the account has no credit left",
    Kind.AUTH: "refuses the key",
    Kind.WRONG_MODEL: "does not serve the model",
    Kind.WRONG_ADDRESS: "has nothing at this address",
    Kind.BAD_REQUEST: "refuses the request",
    Kind.NOT_SERVED: "could not be served",
}


def check_endpoints(config: Config, *, online: bool, turns: Sequence[Turn] = ()) -> list[Check]:
    """Every endpoint's checks, in the file's order; run concurrently. No key appears in any of them."""

    async def all_of_them() -> list[list[Check]]:
        return await asyncio.gather(*(_checks(one, online, turns) for one in config.endpoints.values()))

    return [check for checks in asyncio.run(all_of_them()) for check in checks]


async def _checks(endpoint: Endpoint, online: bool, turns: Sequence[Turn]) -> list[Check]:
    name = f"endpoint {endpoint.name}"
    try:
        key, access = endpoint.key(), endpoint.access()
    except BadInput as error:
        return [Check(name=f"{name}: key", ok=False, what=error.what, mend=error.hint)]
    try:
        server_of(endpoint)
    except BadInput as error:
        return [Check(name=f"{name}: file", ok=False, what=error.what, mend=error.hint)]
    hidden = access.hidden(key)
    text = f"{endpoint.key_env} is set" if key else "none is needed by osler.toml (no key_env)"
    checks = [Check(name=f"{name}: key", ok=True, what=text), _prices(name, endpoint)]
    if not online:
        return checks
    quick = endpoint.model_copy(update={"timeout_s": min(endpoint.timeout_s, LONGEST_S)})
    answers = await _answers(name, quick, key, hidden)
    checks.append(answers)
    if answers.ok:
        checks += await _abilities(name, quick, key)
        async with EndpointClient(quick, key, manners=MANNERS) as client:
            checks.append(await speed(client))
        checks += await _turns(endpoint, key, hidden, turns)
    return checks


async def _turns(
    endpoint: Endpoint, key: Secret | None, hidden: Secret | None, turns: Sequence[Turn]
) -> list[Check]:
    """The model's turn in each seat, one after the other, so that what one teaches holds for the next."""
    checks = []
    async with EndpointClient(endpoint, key, manners=MANNERS) as client:
        for turn in turns:
            try:
                checks.append(await take_turn(turn, client, endpoint, hidden))
            except EndpointFault as error:
                checks.append(_failed(f"endpoint {endpoint.name}: as {turn.seat}", endpoint, error))
                break
    return checks


def _prices(name: str, endpoint: Endpoint) -> Check:
    known = endpoint.price_in is not None
    what = "are set" if known else "are not set: costs will be unknown, and a cost budget is impossible"
    return Check(name=f"{name}: prices", ok=True, what=what)


async def _answers(name: str, endpoint: Endpoint, key: Secret | None, hidden: Secret | None) -> Check:
    name, who = f"{name}: answers", f"{endpoint.model} at {_place(endpoint)}"
    try:
        try:
            answer, _ = await _ask(endpoint, key, None, Sampling(max_tokens=1))
        except EndpointFault as error:
            # Some endpoints refuse an answer that exceeds its limit instead of truncating it.
            if error.kind is not Kind.BAD_REQUEST:
                raise
            answer, _ = await _ask(endpoint, key, None, Sampling())
    except ModelAnswerError as error:
        return Check(name=name, ok=True, what=f"{who} answers (to one token: {error})")
    except EndpointFault as error:
        served = await _served(endpoint, key) if error.kind is Kind.WRONG_MODEL else ""
        return _failed(name, endpoint, error, served and f"set `model` to one it serves: {served}")
    what = f"{who} answered in {answer.latency_s:.2f} s"
    if answer.model and answer.model != endpoint.model:
        what += f", and calls itself {sanitized(answer.model, hidden, 100)}"
    return Check(name=name, ok=True, what=what)


async def _abilities(name: str, endpoint: Endpoint, key: Secret | None) -> list[Check]:
    """Each declared mode of JSON output, tried on its own."""
    declared = endpoint.capabilities
    ways: list[tuple[Rung, dict[str, Any]]] = []
    if declared.json_schema:
        ways.append(("json_schema", {}))
    if declared.json_object:
        ways.append(("json_object", {"json_schema": False}))
    if not ways:
        what = "are parsed from plain text, as osler.toml says"
        return [Check(name=f"{name}: objects", ok=True, what=what)]
    return [
        await _ability(
            f"{name}: {rung}",
            endpoint.model_copy(update={"capabilities": declared.model_copy(update=changed)}),
            key,
            rung,
        )
        for rung, changed in ways
    ]


async def _ability(name: str, endpoint: Endpoint, key: Secret | None, rung: Rung) -> Check:
    mend = f"set {rung} = false under [endpoints.{endpoint.name}.capabilities]"
    try:
        answer, used = await _ask(endpoint, key, PROBE, Sampling(max_tokens=_OBJECT_TOKENS))
    except ModelAnswerError as error:
        if error.kind is Kind.LENGTH:
            what = f"is accepted, but {_OBJECT_TOKENS} tokens were too few for an answer (a thinking model?)"
            return Check(name=name, ok=True, what=what)
        text = error.attempts[-1].text if error.attempts else ""
        if error.kind is Kind.REFUSED or declines(text):
            mend = remedy(error, endpoint, rung, text)
        return Check(name=name, ok=False, what=f"is accepted but not honoured: {error}", mend=mend)
    except EndpointFault as error:
        return _failed(name, endpoint, error)
    if used != rung:
        ignored = any(one.outcome == Kind.UNPARSABLE for one in answer.attempts)
        what = "is accepted but not honoured: it holds no JSON" if ignored else "is refused by the endpoint"
        return Check(name=name, ok=False, what=what, mend=mend)
    return Check(name=name, ok=True, what=f"works ({answer.latency_s:.2f} s)")


async def _ask(
    endpoint: Endpoint, key: Secret | None, output: Output | None, sampling: Sampling
) -> tuple[Completion, Rung]:
    """Ask once; return the completion and the output mode in which it was requested."""
    wanted = "Say yes." if output is None else 'Answer with the JSON object {"ready": true}.'
    request = CompletionRequest(
        messages=(Message(role="user", text=wanted),),
        sampling=sampling,
        output=output,
        seat="check",
    )
    async with EndpointClient(endpoint, key, manners=MANNERS) as client:
        answer = await client.complete(request, validate=_is_ready if output else None)
        return answer, client.abilities.asked(output).rung


def _is_ready(value: object) -> object:
    if not isinstance(value, dict) or not isinstance(value.get("ready"), bool):
        raise ValueError("the object is not the one asked for")
    return value


async def _served(endpoint: Endpoint, key: Secret | None) -> str:
    """The listed model names closest to the configured one; "" if the endpoint does not list any."""
    access = endpoint.access()
    headers = format_of(endpoint).headers(key) | access.headers
    timeout = aiohttp.ClientTimeout(total=endpoint.timeout_s)
    hidden = access.hidden(key)
    try:
        async with (
            aiohttp.ClientSession(headers=headers, timeout=timeout, trust_env=endpoint.trust_env) as session,
            session.get(
                f"{endpoint.base_url}/models", params=access.query, allow_redirects=False, **proxied(access)
            ) as response,
        ):
            body = b""
            async for piece in response.content.iter_any():
                body += piece
                if len(body) > _MOST_LISTED:
                    return ""
        listed = json.loads(body)
        names = [str(one["id"]) for one in listed["data"]]
    # The list only improves a hint for an error reported anyway, so a failure here is ignored.
    except (aiohttp.ClientError, OSError, TimeoutError, ValueError, TypeError, LookupError, RecursionError):
        return ""
    near = get_close_matches(endpoint.model, names, _SHOWN_MODELS, 0.0)
    more = f" and {len(names) - len(near)} more" if len(names) > len(near) else ""
    return ", ".join(sanitized(name, hidden, 100) for name in near) + more


def _place(endpoint: Endpoint) -> str:
    return str(endpoint.gguf or endpoint.base_url)


def _failed(name: str, endpoint: Endpoint, error: EndpointFault, mend: str = "") -> Check:
    plain = _PLAIN.get(error.kind, "cannot be used")
    what = f"{_place(endpoint)} {plain}, asked for {endpoint.model}: {error.what}"
    return Check(name=name, ok=False, what=what, mend=mend or error.hint)
