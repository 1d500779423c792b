"""The imitation of Anthropic's API refuses what the API documents that it refuses."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from osler.testing.anthropic_endpoint import Anthropic
from osler.testing.endpoint_chat import Endpoint, Pace
from osler.testing.endpoint_http import HttpReply, HttpRequest
from osler.testing.endpoint_plans import FaultPlan, plan_of

HEADERS: Final = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
SAID: Final = [{"role": "user", "content": "Hello"}]
BODY: Final[dict[str, Any]] = {"model": "claude-opus-4-5", "max_tokens": 100, "messages": SAID}
OBJECT: Final[dict[str, Any]] = {"type": "object", "properties": {}, "additionalProperties": False}


def handled(body: object, headers: dict[str, str] = HEADERS, plan: FaultPlan | None = None) -> HttpReply:
    server = Anthropic(Endpoint(Pace(), plan, ()).handle)
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return server.handle(HttpRequest("POST", "/v1/messages", sent, headers=headers))


def form(**properties: object) -> dict[str, Any]:
    schema = {**OBJECT, "properties": properties, "required": list(properties)}
    return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}


def test_an_answer_has_the_documented_shape() -> None:
    reply = handled({**BODY, **form(score={"type": "integer"})})
    found = json.loads(reply.body)
    assert (reply.status, found["type"], found["role"], found["stop_reason"]) == (
        200,
        "message",
        "assistant",
        "end_turn",
    )
    assert json.loads(found["content"][0]["text"]) == {"score": 0}
    assert found["usage"]["output_tokens"] > 0


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"seed": 1}, "seed: Extra inputs are not permitted"),
        ({"response_format": {}}, "response_format: Extra inputs"),
        ({"max_tokens": 10**6}, "which is the maximum allowed"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"model": "claude-opus-4-7", "temperature": 0.5}, "`temperature` is deprecated"),
        ({"model": "claude-sonnet-5", "top_p": 0.5}, "`top_p` is deprecated"),
        ({"temperature": 1.5}, "range: 0..1"),
        ({"thinking": {"type": "enabled", "budget_tokens": 10}}, "greater than or equal to 1024"),
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, "must be greater than"),
        ({"messages": []}, "at least one message"),
        ({"messages": [{"role": "system", "content": "x"}]}, "'user' or 'assistant'"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, "first message"),
        ({"messages": SAID * 2}, "must alternate"),
        ({"messages": [{"role": "user", "content": " "}]}, "non-whitespace"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "Input tag"),
        ({"messages": ["x"]}, "valid list"),
        (
            {"model": "claude-opus-5", "messages": [*SAID, {"role": "assistant", "content": "{"}]},
            "Prefilling",
        ),
        ({"system": [{"type": "text", "text": "a", "cache_control": {}}] * 5}, "maximum of 4 blocks"),
        (form(a={"type": "string", "maxLength": 3}), "'maxLength' is not supported"),
        (form(a={"type": "integer", "minimum": 1}), "'minimum' is not supported"),
        (form(a={"type": "array", "items": {"type": "string"}, "minItems": 2}), "other than 0 or 1"),
        (form(a={"type": "array", "items": {"type": "string"}, "maxItems": 2}), "'maxItems'"),
        (form(a={"oneOf": [{"type": "string"}]}), "'oneOf' is not supported"),
        (form(a={"type": "object", "properties": {}}), "explicitly set to false"),
        (form(**{f"a{n}": {"anyOf": [{"type": "string"}]} for n in range(17)}), "too complex"),
    ],
)
def test_what_is_documented_as_refused_is_refused(more: dict[str, Any], words: str) -> None:
    reply = handled({**BODY, **more})
    found = json.loads(reply.body)
    assert (reply.status, found["type"], found["error"]["type"]) == (400, "error", "invalid_request_error")
    assert words in found["error"]["message"]


@pytest.mark.parametrize(
    ("body", "headers", "status", "words"),
    [
        (BODY, {"anthropic-version": "2023-06-01"}, 401, "x-api-key"),
        (BODY, {"x-api-key": "k"}, 400, "anthropic-version"),
        ({"model": "claude-1", "messages": SAID}, HEADERS, 400, "max_tokens: Field required"),
        (b"{", HEADERS, 400, "not valid JSON"),
        (b"[]", HEADERS, 400, "valid dictionary"),
    ],
)
def test_a_request_without_what_it_needs_is_refused(
    body: object, headers: dict[str, str], status: int, words: str
) -> None:
    reply = handled(body, headers)
    assert reply.status == status
    assert words in reply.body.decode()


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        ("429-retry-after", 429, "rate_limit_error"),
        ("500", 500, "api_error"),
        ("wrong-model", 404, "not_found_error"),
        ("refused", 200, '"stop_reason": "refusal"'),
        ("filtered", 200, '"category": "general_harms"'),
        ("503", 503, "<html>"),
    ],
)
def test_faults_take_the_shape_of_this_api(fault: str, status: int, words: str) -> None:
    reply = handled(BODY, plan=plan_of({"kinds": {fault: 1.0}}))
    assert reply.status == status
    assert words in reply.body.decode()
    assert ("retry-after" in reply.more) == (fault == "429-retry-after")
