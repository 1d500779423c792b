"""Anthropic's messages, as documented, before the fake endpoint: `/v1/messages`.

A request is checked as the API checks it, answered by the usual endpoint as a chat, and the answer put into
the API's shape: stop reasons, refusals, usage. What may be read from its cache are prefixes that end at a
marked block, of 1,024 tokens or more, sent before with the same model and form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import Any, Final

from osler.testing.endpoint_http import HttpReply, HttpRequest
from osler.testing.endpoint_usage import IMAGE_TOKENS, tokens

Body = dict[str, Any]  # JSON of any shape
PATH: Final = "/messages"
LEAST_CACHED: Final = 1024
_LOOKS_BACK: Final = 20
_MOST_MARKS: Final = 4
_MOST_KEPT: Final = 100_000
_LONGEST: Final = 64_000
_FIELDS: Final = frozenset(
    "model messages max_tokens system temperature top_p top_k stop_sequences stream thinking output_config "
    "metadata service_tier cache_control tools tool_choice".split()
)
_NEW: Final = re.compile(r"claude-(?:opus-4-[7-9]|(?:opus|sonnet|haiku)-[5-9])")
"""The models that take no sampling parameters and no prefilled answer."""
_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_STOPS: Final = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
_OF_TYPE: Final = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems"},
    "string": {"pattern", "format"},
}
_ANYWHERE: Final = frozenset(
    "type title description default enum const anyOf allOf $ref $defs definitions".split()
)
_MOST_OPTIONAL: Final = 24
_MOST_UNIONS: Final = 16


class _Refused(ValueError):
    """A request that the API refuses; the message is its own."""


class Anthropic:
    """Serves `/messages` under every address of a usual endpoint, which answers all others."""

    def __init__(self, usual: Callable[[HttpRequest], HttpReply]) -> None:
        self._usual = usual
        self._written: dict[bytes, None] = {}

    def handle(self, request: HttpRequest) -> HttpReply:
        """Answer one request."""
        if not request.path.endswith(PATH):
            return self._usual(request)
        if not request.headers.get("x-api-key"):
            return _error(401, "x-api-key header is required")
        try:
            body = _read(request)
            sent = json.dumps(_as_chat(body)).encode()
        except _Refused as error:
            return _error(400, str(error))
        except (AttributeError, KeyError, TypeError, RecursionError):
            return _error(400, "messages: Input should be a valid list of messages")
        path = f"{request.path.removesuffix(PATH)}/chat/completions"
        bearer = {"authorization": f"Bearer {request.headers['x-api-key']}"}
        headers = {**request.headers, **bearer}
        usual = self._usual(request._replace(path=path, body=sent, headers=headers))
        if usual.kind != "application/json":
            return usual
        value = json.loads(usual.body)
        if usual.status != 200:
            inner = value.get("error", {}) if isinstance(value, dict) else {}
            words = str(inner.get("message", ""))
            if inner.get("code") == "model_not_found":
                words = f"model: {body['model'][:100]}"
            return _error(usual.status, words)._replace(more=usual.more, delay_s=usual.delay_s)
        answer = _answer(body, value, self._cached(body))
        return usual._replace(body=json.dumps(answer).encode())

    def _cached(self, body: Body) -> tuple[int, int, int]:
        """The tokens of a prompt that are read from the cache, written to it, and neither."""
        form = [body["model"], body.get("output_config", {}).get("format"), body.get("thinking")]
        link, total = json.dumps(form).encode(), 0
        links: list[tuple[bytes, int]] = []
        marks: list[int] = []
        for role, block in _blocks(body):
            plain = {name: value for name, value in block.items() if name != "cache_control"}
            link = blake2b(link + json.dumps([role, plain]).encode(), digest_size=12).digest()
            total += tokens(block.get("text", "")) or IMAGE_TOKENS
            links.append((link, total))
            if "cache_control" in block:
                marks.append(len(links) - 1)
        seen = (links[at] for mark in marks for at in range(max(0, mark - _LOOKS_BACK), mark + 1))
        read = max((count for link, count in seen if link in self._written), default=0)
        written = max((links[mark][1] for mark in marks if links[mark][1] >= LEAST_CACHED), default=read)
        self._written |= {links[mark][0]: None for mark in marks if links[mark][1] >= LEAST_CACHED}
        while len(self._written) > _MOST_KEPT:
            del self._written[next(iter(self._written))]
        return read, max(0, written - read), total - max(read, written)


def _read(request: HttpRequest) -> Body:
    """The body of a request, as the API takes it. Raises _Refused."""
    if not request.headers.get("anthropic-version"):
        raise _Refused("anthropic-version: header is required")
    try:
        body = json.loads(request.body)
    except ValueError:
        raise _Refused("The request body is not valid JSON") from None
    if not isinstance(body, dict):
        raise _Refused("Input should be a valid dictionary")
    for name in ("model", "max_tokens", "messages"):
        if name not in body:
            raise _Refused(f"{name}: Field required")
    if strange := sorted(body.keys() - _FIELDS):
        raise _Refused(f"{strange[0]}: Extra inputs are not permitted")
    _check_sampling(body)
    _check_messages(body)
    config = body.get("output_config", {})
    if (form := config.get("format")) is not None:
        if form.get("type") != "json_schema" or not isinstance(form.get("schema"), dict):
            raise _Refused("output_config.format.schema: Field required")
        _check_schema(form["schema"])
    return body


def _check_sampling(body: Body) -> None:
    model, most = str(body["model"]), body["max_tokens"]
    if not isinstance(most, int) or most < 1:
        raise _Refused("max_tokens: Input should be greater than or equal to 1")
    if most > _LONGEST:
        words = f"max_tokens: {most} > {_LONGEST}, which is the maximum allowed number of output tokens"
        raise _Refused(f"{words} for {model}")
    for name in ("temperature", "top_p", "top_k"):
        if name in body and _NEW.match(model):
            raise _Refused(f"`{name}` is deprecated for this model.")
    if not 0 <= body.get("temperature", 0) <= 1:
        raise _Refused("temperature: range: 0..1")
    thinking = body.get("thinking", {})
    budget = thinking.get("budget_tokens", 1024) if thinking.get("type") == "enabled" else 0
    if budget and budget < LEAST_CACHED:
        raise _Refused("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
    if budget >= most:
        raise _Refused("`max_tokens` must be greater than `thinking.budget_tokens`.")
    if budget and body.get("temperature", 1) != 1:
        raise _Refused("`temperature` may only be set to 1 when thinking is enabled.")


def _check_messages(body: Body) -> None:
    messages = body["messages"]
    if not isinstance(messages, list) or not messages:
        raise _Refused("messages: at least one message is required")
    for n, message in enumerate(messages):
        role = message.get("role")
        if role not in ("user", "assistant"):
            raise _Refused(f"messages.{n}.role: Input should be 'user' or 'assistant'")
        # The API itself joins messages of one role; servers that imitate it refuse them.
        if n and role == messages[n - 1]["role"]:
            raise _Refused(f"messages: roles must alternate, but found multiple {role!r} roles in a row")
    if messages[0]["role"] != "user":
        raise _Refused('messages: first message must use the "user" role')
    if messages[-1]["role"] == "assistant" and _NEW.match(body["model"]):
        raise _Refused("Prefilling assistant messages is not supported for this model.")
    marks = 0
    for _, block in _blocks(body):
        marks += "cache_control" in block
        if block.get("type") == "text" and not str(block.get("text", "")).strip():
            raise _Refused("messages: text content blocks must contain non-whitespace text")
        if block.get("type") == "image" and block.get("source", {}).get("type") != "base64":
            raise _Refused("messages: image.source.base64: Field required")
        if block.get("type") not in ("text", "image"):
            raise _Refused("messages: Input tag does not match any of the expected tags: 'text', 'image'")
    if marks > _MOST_MARKS:
        raise _Refused(
            f"A maximum of {_MOST_MARKS} blocks with cache_control may be provided. Found {marks}."
        )


def _check_schema(schema: Body) -> None:
    at = "output_config.format.schema"
    optional = unions = 0
    for node in _nodes(schema):
        kinds = node.get("type")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        unions += "anyOf" in node or len(kinds) > 1
        if "oneOf" in node:
            raise _Refused(f"{at}: Schema type 'oneOf' is not supported")
        allowed = _ANYWHERE.union(*(_OF_TYPE.get(str(kind), set()) for kind in kinds))
        if strange := sorted(node.keys() - allowed):
            raise _Refused(f"{at}: For '{kinds[0]}' type, property '{strange[0]}' is not supported")
        if node.get("minItems", 0) not in (0, 1):
            raise _Refused(f"{at}: For 'array' type, 'minItems' values other than 0 or 1 are not supported")
        if "object" in kinds and node.get("additionalProperties") is not False:
            raise _Refused(f"{at}: For 'object' type, 'additionalProperties' must be explicitly set to false")
        optional += len(node.get("properties", {}).keys() - set(node.get("required", ())))
    if optional > _MOST_OPTIONAL or unions > _MOST_UNIONS:
        raise _Refused(f"{at}: Schema is too complex")


def _nodes(schema: Body) -> Iterator[Body]:
    """A schema and all in it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    inner += [*schema.get("anyOf", ()), *schema.get("allOf", ()), schema.get("items")]
    for one in inner:
        if isinstance(one, dict):
            yield from _nodes(one)


def _blocks(body: Body) -> Iterator[tuple[str, Body]]:
    """The blocks of a prompt in their order, each with its role."""
    said = [("system", body.get("system", []))]
    for role, content in (*said, *((one["role"], one["content"]) for one in body["messages"])):
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            yield role, block


def _as_chat(body: Body) -> Body:
    """The request as chat completions have it."""
    messages: list[Body] = []
    for role, block in _blocks(body):
        if block["type"] == "text":
            part = {"type": "text", "text": block["text"]}
        else:
            source = block["source"]
            url = f"data:{source['media_type']};base64,{source['data']}"
            part = {"type": "image_url", "image_url": {"url": url}}
        if not messages or messages[-1]["role"] != role:
            messages.append({"role": role, "content": []})
        messages[-1]["content"].append(part)
    for message in messages:
        if all(part["type"] == "text" for part in message["content"]):
            message["content"] = "\n".join(part["text"] for part in message["content"])
    chat = {"model": body["model"], "messages": messages, "max_tokens": body["max_tokens"]}
    if (form := body.get("output_config", {}).get("format")) is not None:
        named = {"name": str(form["schema"].get("title", "")), "schema": form["schema"]}
        chat["response_format"] = {"type": "json_schema", "json_schema": named}
    return chat


def _answer(body: Body, found: Body, cached: tuple[int, int, int]) -> Body:
    """The answer of chat completions as a message."""
    [choice] = found["choices"]
    said, finish = choice["message"], choice["finish_reason"]
    read, written, fresh = cached
    content: list[Body] = []
    if body.get("thinking", {}).get("type") in ("enabled", "adaptive"):
        content.append({"type": "thinking", "thinking": "The answer must be short.", "signature": "c2ln"})
    if said.get("content"):
        content.append({"type": "text", "text": said["content"]})
    details = None
    stop = _STOPS.get(finish, finish)
    if said.get("refusal") or finish == "content_filter":
        stop, content = "refusal", []
        details = {"type": "refusal", "category": "general_harms", "explanation": said.get("refusal")}
    return {
        "id": found["id"].replace("chatcmpl-", "msg_"),
        "type": "message",
        "role": "assistant",
        "model": found["model"],
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "stop_details": details,
        "usage": {
            "input_tokens": fresh,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "output_tokens": (found.get("usage") or {}).get("completion_tokens", 0),
        },
    }


def _error(status: int, message: str) -> HttpReply:
    error = {"type": _TYPES.get(status, "api_error"), "message": message}
    body = {"type": "error", "error": error, "request_id": "req_fake"}
    return HttpReply(status, json.dumps(body).encode())
