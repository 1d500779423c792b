"""Anthropic's own wire format, `POST /messages`.

Rules stand apart from the conversation, roles alternate, a form is `output_config.format`, and what may be
read from a cache is marked. Its answers are put into the shape of chat completions and read as those are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic_core import to_json

from osler.models.config import Endpoint
from osler.models.faults import Fault, Kind, of_status
from osler.models.secret import Secret, sanitized
from osler.models.types import CompletionRequest, Image, Message, Output, Rung, Usage, encodable
from osler.models.wire import Reply, read_json, reply_in, usage_of

VERSION: Final = "2023-06-01"
LONGEST: Final = 16_384
"""The limit of an answer that has none, since one must be sent."""
_CACHED: Final = {"cache_control": {"type": "ephemeral"}}
_MOST: Final = re.compile(r"max_tokens: \d+ > (\d+)")
_FINISH: Final = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls"}
_STATUS: Final = {"overloaded_error": 529, "rate_limit_error": 429, "invalid_request_error": 400}
_NAMES: Final = {"stop": "stop_sequences"}
_UNKNOWN_FIELDS: Final = frozenset({"seed"})

Block = dict[str, Any]  # JSON of any shape


class AnthropicFormat:
    """Anthropic's messages. It remembers the longest answer that the model may be asked for."""

    path: str = "/messages"
    embeddings: str | None = None

    def __init__(self, endpoint: Endpoint) -> None:
        self._constant = {weighs: endpoint.sent(weighs=weighs) for weighs in (False, True)}
        self._most: int | None = None

    def headers(self, key: Secret | None) -> dict[str, str]:
        """The key in a header of its own, and the version of the API."""
        named = {"anthropic-version": VERSION}
        return {**named, "x-api-key": key.reveal()} if key else named

    def body(
        self,
        request: CompletionRequest,
        messages: Sequence[Message],
        options: Mapping[str, object],
        output: Output | None,
        rung: Rung,
    ) -> bytes:
        """The body of a request. The rules, and all that has been said, are marked to be read from the cache
        by the requests that begin with the same."""
        constant = self._constant[request.weighs]
        given = {
            _NAMES.get(name, name): value for name, value in options.items() if name not in _UNKNOWN_FIELDS
        }
        if "thinking" in constant:
            given.pop("temperature", None)  # it may only be 1 beside thought
        rules, turns = _apart(messages)
        body: dict[str, Any] = {**constant, **given, "messages": turns}
        if rules:
            body["system"] = rules
        if output is not None and rung == "json_schema":
            form = {"type": "json_schema", "schema": output.json_schema}
            body["output_config"] = {**(constant.get("output_config") or {}), "format": form}
        body["max_tokens"] = self._limit(constant, given)
        return to_json(body)

    def _limit(self, constant: Mapping[str, Any], given: Mapping[str, Any]) -> int:
        """The limit of the answer, with the allowance for thought on top of it, as the API counts it in."""
        if "max_tokens" in constant:
            return int(constant["max_tokens"])
        thinking = constant.get("thinking")
        thought = thinking.get("budget_tokens", 0) if isinstance(thinking, dict) else 0
        limit = given.get("max_tokens", LONGEST) + thought
        return int(limit if self._most is None else min(limit, self._most))

    def read(self, body: bytes, secret: Secret | None, *, objects: bool) -> Reply | Fault:
        """The reply in a 200 response."""
        reply = read_json(body)
        if isinstance(reply, Fault):
            return reply
        if isinstance(reply, dict) and isinstance(error := reply.get("error"), dict):
            return of_status(_STATUS.get(str(error.get("type")), 500), body, None, secret)
        if not isinstance(reply, dict) or not isinstance(reply.get("content"), list):
            return Fault(Kind.BAD_BODY, "the answer holds no content")
        return reply_in(_as_chat(reply, secret), body, secret, objects=objects)

    def usage(self, body: bytes) -> Usage:
        """The usage in a response."""
        result = read_json(body)
        return usage_of(_usage(result.get("usage"))) if isinstance(result, dict) else Usage()

    def learns(self, fault: Fault) -> bool:
        """The longest answer of a model, where it refuses a longer one."""
        match = _MOST.search(fault.raw) if fault.kind is Kind.BAD_REQUEST else None
        if match is None or (self._most is not None and int(match[1]) >= self._most):
            return False
        self._most = max(1, int(match[1]))
        return True


def _apart(messages: Sequence[Message]) -> tuple[list[Block], list[Block]]:
    """The rules, and the turns: user and assistant alternate, beginning with the user."""
    rules: list[Block] = []
    turns: list[Block] = []
    pictures: tuple[Image, ...] = ()
    for n, message in enumerate(messages):
        if n == 0 and message.role == "system" and len(messages) > 1:
            rules = _blocks(message.text, ())
            pictures = message.images  # rules hold none
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message.text, (*pictures, *message.images))
        pictures = ()
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            if not turns and role == "assistant":
                turns.append({"role": "user", "content": _blocks("Begin.", ())})
            turns.append({"role": role, "content": blocks})
    for marked in (rules, turns[-1]["content"] if turns else []):
        if marked:
            marked[-1] |= _CACHED
    return rules, turns


def _blocks(text: str, images: Iterable[Image]) -> list[Block]:
    """The blocks of a message; a text without words is refused and thus left out."""
    shown: list[Block] = [
        {"type": "image", "source": {"type": "base64", "media_type": one.media_type, "data": one.data}}
        for one in images
    ]
    return [{"type": "text", "text": encodable(text)}, *shown] if text.strip() else shown


def _as_chat(found: Mapping[str, Any], secret: Secret | None) -> dict[str, Any]:
    """The response in the shape of chat completions."""
    blocks = [one for one in found["content"] if isinstance(one, dict)]
    texts = [str(one.get("text") or "") for one in blocks if one.get("type") == "text"]
    thought = [str(one.get("thinking") or "") for one in blocks if one.get("type") == "thinking"]
    calls = [
        {"function": {"arguments": one["input"]}}
        for one in blocks
        if one.get("type") == "tool_use" and one.get("input")
    ]
    stop = found.get("stop_reason")
    message = {"content": "".join(texts), "reasoning": "".join(thought), "tool_calls": calls}
    if stop == "refusal":
        message["refusal"] = _declined(found.get("stop_details"), secret)
    choice = {"message": message, "finish_reason": _FINISH.get(str(stop), stop)}
    return {"choices": [choice], "model": found.get("model"), "usage": _usage(found.get("usage"))}


def _declined(details: object, secret: Secret | None) -> str:
    """Return the model's reason for declining, as far as it gives one."""
    if not isinstance(details, dict):
        return ""
    category, why = (str(details.get(name) or "") for name in ("category", "explanation"))
    return sanitized(": ".join(filter(None, (category, why))), secret)


def _usage(found: object) -> dict[str, Any] | None:
    """The usage in the shape of chat completions. What was read from a cache, or written to it, is counted
    apart by the API and is part of the prompt."""
    if not isinstance(found, dict):
        return None
    read, written = found.get("cache_read_input_tokens"), found.get("cache_creation_input_tokens")
    fresh, detail = found.get("input_tokens"), found.get("output_tokens_details")
    parts = (fresh, read or 0, written or 0)
    counted = fresh is not None and all(type(one) is int for one in parts)
    return {
        "prompt_tokens": sum(parts) if counted else None,
        "completion_tokens": found.get("output_tokens"),
        "prompt_tokens_details": {"cached_tokens": read},
        "completion_tokens_details": {
            "reasoning_tokens": detail.get("thinking_tokens") if isinstance(detail, dict) else None
        },
    }
