"""Headers, query, proxy, the system role and the limit of an answer: set in `osler.toml`, or learnt."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from osler.errors import BadInput
from osler.models.client import EndpointClient
from osler.models.config import Endpoint, config_of
from osler.models.faults import EndpointFault, Kind, ModelAnswerError
from osler.models.structured import ANSWER_TOKENS, PLAIN_TOKENS, THINKING_TOKENS
from osler.models.types import Message, Output, Sampling
from tests.models.endpoint import (
    Behaviour,
    Slept,
    client_of,
    fails,
    request_of,
    roles,
    says,
    sends,
    serving,
)

SECRET = "azure-secret-value-0001"
TOO_LONG = fails(400, "This model's maximum context length is 8192 tokens.")
TURN = request_of("Rules.", "Go on.", once=True)
OBJECT = Output(name="x", json_schema={"type": "object"})


def sent(*script: Behaviour, calls: int = 1, request: Any = None, **settings: Any) -> list[dict[str, Any]]:
    """The bodies of some equal calls."""

    async def go() -> list[dict[str, Any]]:
        async with serving(*script) as served, client_of(served.url, **settings) as client:
            for _ in range(calls):
                await client.complete(request or TURN)
            return served.bodies

    return asyncio.run(go())


def one(**fields: Any) -> Endpoint:
    table = {"base_url": "http://127.0.0.1:9/v1", "model": "m", **fields}
    return config_of({"endpoints": {"one": table}}).endpoint("one")


def test_headers_and_query_are_sent_and_their_secrets_hidden() -> None:
    async def go() -> tuple[dict[str, str], str]:
        echo = fails(400, f"wrong key {SECRET} given")
        async with serving(echo) as served:
            endpoint = one(
                base_url=served.url,
                headers={"api-key": "env:AZURE_KEY", "X-Title": "trial"},
                query={"api-version": "2024-10-21"},
            )
            async with EndpointClient(endpoint, environ={"AZURE_KEY": SECRET}) as client:
                with pytest.raises(EndpointFault) as caught:
                    await client.complete(request_of())
            assert SECRET not in repr(endpoint) + endpoint.model_dump_json() + repr(endpoint.serving)
            assert SECRET not in repr(endpoint.access({"AZURE_KEY": SECRET}))
            return served.headers[0], str(caught.value)

    headers, words = asyncio.run(go())
    assert (headers["api-key"], headers["X-Title"]) == (SECRET, "trial")
    assert "Authorization" not in headers
    assert SECRET not in words


@pytest.mark.parametrize(
    "fields",
    [
        {"headers": {"api-key": "abc"}},
        {"headers": {"Authorization": "anything"}},
        {"headers": {"X-Auth": "abcdefghij0123456789abcdefghij"}},
        {"headers": {"X-Auth": "Basic abc"}},
        {"headers": {"api-key": "env:sk-abcdefghijklmnop"}},
        {"headers": {"Host": "elsewhere"}},
        {"headers": {"X-Title": "a\r\nb"}},
        {"query": {"key": "abc"}},
        {"proxy": "http://me:passphrase@proxy:3128"},
        {"proxy": "proxy:3128"},
        {"max_answer_tokens": 0},
    ],
)
def test_settings_that_hold_a_key_or_cannot_be_used_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        one(**fields)
    for part in ("abc", "sk-", "passphrase", "anything"):
        assert part not in str(caught.value)


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(BadInput, match="AZURE_KEY is not set"):
        EndpointClient(one(headers={"api-key": "env:AZURE_KEY"}), environ={})


def test_a_proxy_is_asked_for_the_whole_address() -> None:
    async def go() -> dict[str, str]:
        async with serving(says("ok")) as served:
            proxy = served.url.removesuffix("/v1").replace("http://", "http://me:passphrase@")
            endpoint = one(base_url="http://models.invalid/v1", proxy="env:MY_PROXY")
            async with EndpointClient(endpoint, environ={"MY_PROXY": proxy}) as client:
                await client.complete(request_of())
            return served.headers[0]

    headers = asyncio.run(go())
    assert headers["Host"] == "models.invalid"
    assert headers["Proxy-Authorization"].startswith("Basic ")


def test_the_environments_proxy_is_used_only_if_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def go(*, trust_env: bool) -> int:
        async with serving(says("ok")) as served:
            monkeypatch.setenv("HTTP_PROXY", served.url.removesuffix("/v1"))
            monkeypatch.delenv("NO_PROXY", raising=False)
            endpoint = one(base_url="http://models.invalid/v1", trust_env=trust_env, timeout_s=5)
            async with EndpointClient(endpoint, environ={}) as client:
                await client.complete(request_of())
            return len(served.bodies)

    monkeypatch.delenv("no_proxy", raising=False)
    assert asyncio.run(go(trust_env=True)) == 1
    with pytest.raises(EndpointFault, match="connection"):
        asyncio.run(go(trust_env=False))


@pytest.mark.parametrize(
    "words",
    [
        "System role not supported",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "Only user, assistant and tool roles are supported, got system.",
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "Developer instruction is not enabled for models/gemma-3-27b-it",
    ],
)
def test_a_model_without_a_system_role_is_told_the_rules_by_the_user(words: str) -> None:
    bodies = sent(fails(400, words), says("ok"), calls=2)
    assert [roles(body) for body in bodies] == [["system", "user"], ["user"], ["user"]]
    assert bodies[1]["messages"][0]["content"] == "Rules.\n\nGo on."


def test_a_declared_system_role_is_not_tried_and_prompts_still_grow_at_the_end() -> None:
    first = TURN
    more = (*first.messages, Message(role="assistant", text="Yes?"), Message(role="user", text="More."))
    longer = first._replace(messages=more)
    settings: dict[str, Any] = {"capabilities": {"system_role": False}}
    [short], [long] = sent(says("ok"), **settings), sent(says("ok"), request=longer, **settings)
    assert long["messages"][: len(short["messages"])] == short["messages"]
    assert roles(long) == ["user", "assistant", "user"]


def test_an_answer_has_a_limit_which_request_endpoint_and_extra_may_set() -> None:
    def limit(request: Any = None, **settings: Any) -> Any:
        return sent(says('{"x": 1}'), request=request, **settings)[0].get("max_tokens")

    bounded = Output(name="x", json_schema={"type": "string", "maxLength": 400})
    assert limit() == PLAIN_TOKENS, "a seat that answers in plain words"
    assert limit(request_of(output=OBJECT, once=True)) == ANSWER_TOKENS, "a form without bounds"
    assert limit(request_of(output=bounded, once=True)) == bounded.answer_tokens
    assert limit(max_answer_tokens=300) == 300
    assert limit(request_of(sampling=Sampling(max_tokens=9), once=True), max_answer_tokens=300) == 9
    assert limit(request_of()) is None, "only a seat's turn is limited by default"
    assert limit(request_of(), max_answer_tokens=300) == 300
    assert limit(extra={"max_completion_tokens": 77}) is None


def test_a_limit_that_is_too_high_for_the_endpoint_is_left_out() -> None:
    refusal = fails(400, "max_tokens is too large: 1024. This model supports at most 512.")
    assert [body.get("max_tokens") for body in sent(refusal, says("ok"), calls=2)] == [1024, None, None]
    assert [body.get("max_tokens") for body in sent(TOO_LONG, says("ok"), calls=2)] == [1024, None, 1024]


def test_a_prompt_that_is_too_long_even_without_a_limit_is_tried_only_twice() -> None:
    async def go() -> int:
        async with serving(TOO_LONG) as served, client_of(served.url) as client:
            with pytest.raises(ModelAnswerError) as caught:
                await client.complete(TURN)
            assert caught.value.kind is Kind.TOO_LONG
            return len(served.bodies)

    assert asyncio.run(go()) == 2


@pytest.mark.parametrize(
    "cut",
    [
        says(None, finish="length"),
        says("<think>Let me see", finish="length"),
        says("{", finish="length", reasoning_content="Let me see, there is much to be said.", usage=None),
    ],
)
def test_thought_that_fills_the_limit_raises_it_once(cut: Behaviour) -> None:
    request = request_of(output=OBJECT, once=True)
    bodies = sent(cut, says("{}"), calls=2, request=request)
    thinks = ANSWER_TOKENS + THINKING_TOKENS
    assert [body["max_tokens"] for body in bodies] == [ANSWER_TOKENS, thinks, thinks]
    with pytest.raises(ModelAnswerError):
        sent(cut, request=request)
    with pytest.raises(ModelAnswerError):
        sent(cut, request=request, max_answer_tokens=100)


def test_a_wait_in_milliseconds_is_kept() -> None:
    async def go() -> list[float]:
        slept = Slept()
        busy = sends(json.dumps({"error": {"message": "busy"}}), 429, **{"retry_after_ms": "1500"})
        async with serving(busy, says("ok")) as served, client_of(served.url, slept=slept) as client:
            await client.complete(request_of())
        return slept.seconds

    [waited] = asyncio.run(go())
    assert 1.5 <= waited < 2.5


@pytest.mark.parametrize(
    "words",
    [
        "Invalid JSON payload received. Unknown name \"$defs\" at 'generation_config.response_schema'",
        "output_config.format: Extra inputs are not permitted",
        "Failed to parse grammar",
        "Invalid schema for response_format 'doctor_move'",
        "JSON mode is not enabled for this model",
    ],
)
def test_a_refused_schema_is_learnt_from_in_any_servers_words(words: str) -> None:
    body = json.dumps([{"error": {"code": 400, "message": words}}])
    bodies = sent(sends(body, 400), says("{}"), request=request_of(output=OBJECT))
    assert [body.get("response_format", {}).get("type") for body in bodies] == ["json_schema", "json_object"]
