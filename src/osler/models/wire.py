"""The wire formats: from a request to bytes, and from bytes to a reply.

A `WireFormat` is all in which one API differs from another; retries, limits, the budget and the ladder of
output formats are the client's. Here is that of chat completions (OpenAI's, and of all who speak it), as pure
functions; `osler.models.wire_anthropic` has Anthropic's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from pydantic_core import PydanticSerializationError, from_json, to_json

from osler.models.config import Endpoint
from osler.models.extraction import ends_in_object
from osler.models.faults import Fault, Kind, of_status
from osler.models.secret import Secret, sanitized
from osler.models.types import (
    CompletionRequest,
    Image,
    Message,
    Output,
    Place,
    Rung,
    Sampled,
    Usage,
    encodable,
)

UNKNOWN: Final = Usage()
_REASONING: Final = ("reasoning_content", "reasoning", "thinking")
_MOST_NAMED: Final = 100
_LONG: Final = frozenset({"length", "max_tokens"})
_OVERFULL: Final = "model_context_window_exceeded"
_FILTER: Final = re.compile(
    r"content_?filter|safety|prohibited_content|spii|blocklist|recitation|(?:image|model)_?(?:safety|armor)"
    r"|guardrail",
    re.IGNORECASE,
)
"""How the finish reason of a filtered answer begins: OpenAI's, Gemini's and Bedrock's, bare or with the
reason behind it."""


class Reply(NamedTuple):
    """An endpoint's answer, before its text is parsed. See `Completion` for the fields."""

    text: str
    usage: Usage
    finish_reason: str | None
    model: str | None
    reasoning: str | None
    found_in: Place = "content"
    served_by: str | None = None


class WireFormat(Protocol):
    """The format of one kind of endpoint. `embeddings` is `None` where it serves none."""

    path: str
    embeddings: str | None

    def headers(self, key: Secret | None) -> dict[str, str]:
        """The headers of every request."""
        ...

    def body(
        self,
        request: CompletionRequest,
        messages: Sequence[Message],
        options: Mapping[str, object],
        output: Output | None,
        rung: Rung,
    ) -> bytes:
        """The body of a request for these messages; `options` are the fields it adds to the constant ones, as
        chat completions name them, `output` the form as it is to be sent."""
        ...

    def read(self, body: bytes, secret: Secret | None, *, objects: bool) -> Reply | Fault:
        """The reply in a 200 response, as `read_reply` reads it."""
        ...

    def usage(self, body: bytes) -> Usage:
        """The usage in a response, even if nothing else in it is usable."""
        ...

    def learns(self, fault: Fault) -> bool:
        """Whether a refusal taught the format something, so that the same request is now sent otherwise."""
        ...


class ChatFormat:
    """Chat completions."""

    path: str = "/chat/completions"
    embeddings: str | None = "/embeddings"

    def __init__(self, endpoint: Endpoint) -> None:
        self._heads = {weighs: to_json(endpoint.sent(weighs=weighs)) for weighs in (False, True)}

    def headers(self, key: Secret | None) -> dict[str, str]:
        """The key as a bearer's."""
        return {"Authorization": f"Bearer {key.reveal()}"} if key else {}

    def body(
        self,
        request: CompletionRequest,
        messages: Sequence[Message],
        options: Mapping[str, object],
        output: Output | None,
        rung: Rung,
    ) -> bytes:
        """The body of a request."""
        return body_of(self._heads[request.weighs], messages, options, output, rung)

    def read(self, body: bytes, secret: Secret | None, *, objects: bool) -> Reply | Fault:
        """The reply in a 200 response."""
        return read_reply(body, secret, objects=objects)

    def usage(self, body: bytes) -> Usage:
        """The usage in a response."""
        return usage_in(body)

    def learns(self, fault: Fault) -> bool:
        """Nothing: what such endpoints differ in is learnt by the client."""
        return False


def messages_json(messages: Iterable[Message]) -> bytes:
    """The messages as chat-completions JSON; serializing the whole prompt at once is cheaper than caching
    each message's JSON. Lone surrogates, which cannot be sent, are replaced."""
    try:
        return to_json([{"role": m.role, "content": _content(m.text, m.images)} for m in messages])
    except PydanticSerializationError:
        return to_json([{"role": m.role, "content": _content(encodable(m.text), m.images)} for m in messages])


def _content(text: str, images: Sequence[Image]) -> str | list[dict[str, object]]:
    if not images:
        return text
    urls = (f"data:{image.media_type};base64,{image.data}" for image in images)
    pictures: list[dict[str, object]] = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"type": "text", "text": text}, *pictures] if text else pictures


def body_of(
    head: bytes,
    messages: Iterable[Message],
    options: Mapping[str, object],
    output: Output | None,
    rung: Rung,
) -> bytes:
    """The body of a request. `head` is a JSON object of the constant fields (the model's name, extra fields);
    `options` are the fields that this request adds; `output` is the form as it is to be sent."""
    parts = [head[:-1], b',"messages":', messages_json(messages)]
    if options:
        parts += (b",", to_json(options)[1:-1])
    if output is not None and rung != "text":
        parts += (b',"response_format":', _response_format(output, rung))
    parts.append(b"}")
    return b"".join(parts)


def options_of(
    request: CompletionRequest,
    *,
    seed: bool,
    max_tokens_name: str,
    answer_tokens: int | None = None,
) -> dict[str, object]:
    """The sampling fields of a request that are set; `seed` says whether the endpoint accepts one,
    `answer_tokens` is the limit of an answer where the request sets none."""
    sampling = request.sampling
    options: dict[str, object] = {}
    if sampling.temperature is not None:
        options["temperature"] = sampling.temperature
    if sampling.top_p is not None:
        options["top_p"] = sampling.top_p
    if (most := sampling.max_tokens or answer_tokens) is not None:
        options[max_tokens_name] = most
    if sampling.stop:
        options["stop"] = sampling.stop
    if seed and request.seed is not None:
        options["seed"] = request.seed
    return options


def sampled_of(fields: Mapping[str, object]) -> Sampled:
    """The sampling in the fields of a request's body; settings may hold anything, and only numbers count."""
    given = {name: one for name, one in fields.items() if name in Sampled._fields}
    return Sampled(**{name: one for name, one in given.items() if type(one) in (int, float)})  # type: ignore[arg-type]


def _response_format(output: Output, rung: Rung) -> bytes:
    if rung == "json_object":
        return b'{"type":"json_object"}'
    strict = b"true" if output.strict else b"false"
    named = to_json(output.name)
    start = b'{"type":"json_schema","json_schema":{"name":'
    return b"".join((start, named, b',"strict":', strict, b',"schema":', output.schema_text.encode(), b"}}"))


def read_json(body: bytes) -> Any | Fault:
    """Parse the body of a 200 response; a fault `truncated` if it ends early, `bad_body` if not JSON."""
    try:
        return from_json(body)
    except ValueError:
        try:  # slower, but accepts lone surrogates, which some models emit
            return json.loads(body)
        except (ValueError, RecursionError):
            stripped = body.strip()
    if not stripped or (stripped[:1] == b"{" and stripped[-1:] != b"}"):
        return Fault(Kind.TRUNCATED, "the answer ended early")
    return Fault(Kind.BAD_BODY, "the answer is no JSON")


def read_reply(body: bytes, secret: Secret | None = None, *, objects: bool = False) -> Reply | Fault:
    """The reply in a 200 response, or the fault if there is none.

    With `objects`, where a JSON object is wanted, a message without content is read from its only tool call,
    or from its reasoning if that ends in an object: some servers' parsers misplace the answer there.
    """
    result = read_json(body)
    return result if isinstance(result, Fault) else reply_in(result, body, secret, objects=objects)


def reply_in(found: Any, body: bytes, secret: Secret | None, *, objects: bool) -> Reply | Fault:
    """The reply in a response that was parsed; how the answer stopped is read before what it says."""
    try:
        choice = found["choices"][0]
        message = choice.get("message") or {}
        finish = choice.get("finish_reason")
        refusal = message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        return _no_choice(found, body, secret)
    # Some gateways report an upstream failure inside a 200 response.
    if isinstance(choice.get("error"), dict):
        return _no_choice(choice, to_json({"error": choice["error"]}, inf_nan_mode="null"), secret)
    finish = finish if isinstance(finish, str) else None
    text = _text_of(message.get("content"))
    if (stopped := _stopped(finish, refusal, text, secret)) is not None:
        return stopped
    place: Place = "content"
    reasoning = next((told for name in _REASONING if (told := _text_of(message.get(name)))), "")
    if not text.strip() and objects:
        text, place = _misplaced(message, reasoning, finish)
    if finish and finish.lower() in _LONG:
        finish = "length"
    if not text.strip():
        return _nothing_said(message, reasoning, finish)
    model = found.get("model")
    return Reply(
        text,
        usage_of(found.get("usage")),
        finish,
        model if isinstance(model, str) else None,
        reasoning or None,
        place,
        _served_by(found),
    )


def _stopped(finish: str | None, refusal: object, text: str, secret: Secret | None) -> Fault | None:
    """The fault that a finish reason, or a refusal apart from the text, stands for."""
    said = sanitized(refusal, secret) if isinstance(refusal, str) else ""
    if finish == "refusal" or (said and not text):
        return Fault(Kind.REFUSED, said or "the model declined")
    if finish and _FILTER.match(finish):
        return Fault(Kind.FILTERED, f"the endpoint filtered the answer ({sanitized(finish, secret, 60)})")
    if finish == _OVERFULL:
        return Fault(Kind.TOO_LONG, "the answer reached the end of the model's context", raw=finish)
    return None


def _misplaced(message: Mapping[str, Any], reasoning: str, finish: object) -> tuple[str, Place]:
    """The answer of a message without content, and where it was; "" if there is none."""
    called = _tool_calls(message)
    if len(called) == 1:
        return called[0], "tool_call"
    # An object inside a thought that was cut off, or that goes on, may be a draft.
    if not called and finish != "length" and ends_in_object(reasoning):
        return reasoning, "reasoning"
    return "", "content"


def _tool_calls(message: Mapping[str, Any]) -> list[str]:
    """The arguments of each tool call, as text."""
    calls = message.get("tool_calls") or [{"function": message.get("function_call")}]
    functions = (
        [one.get("function") for one in calls if isinstance(one, dict)] if isinstance(calls, list) else []
    )
    given = [one["arguments"] for one in functions if isinstance(one, dict) and one.get("arguments")]
    return [encodable(one) if isinstance(one, str) else to_json(one).decode() for one in given]


def _nothing_said(message: Mapping[str, Any], reasoning: str, finish: object) -> Fault:
    if finish == "length":
        return Fault(Kind.LENGTH, "nothing but thought, cut at the length limit; raise max_answer_tokens")
    if _tool_calls(message):
        return Fault(Kind.EMPTY, "a tool call instead of text; switch the server's tool parser off")
    if reasoning:
        return Fault(Kind.THOUGHT_ONLY, "nothing but reasoning; switch the server's reasoning parser off")
    return Fault(Kind.EMPTY, "no text")


def _served_by(found: Mapping[str, Any]) -> str | None:
    """The provider behind a gateway, and the version of the system, as the endpoint names them."""
    named = (found.get("provider"), found.get("system_fingerprint"))
    return (
        " ".join(sanitized(one, limit=_MOST_NAMED) for one in named if isinstance(one, str) and one) or None
    )


def read_vectors(body: bytes, count: int) -> list[list[float]] | Fault:
    """The vectors in an embeddings response, in the order of the texts sent."""
    result = read_json(body)
    if isinstance(result, Fault):
        return result
    try:
        rows = sorted(result["data"], key=lambda row: int(row["index"]))
        vectors = [[float(number) for number in row["embedding"]] for row in rows]
    except (KeyError, TypeError, ValueError):
        return Fault(Kind.BAD_BODY, "the answer holds no vectors")
    if len(vectors) != count:
        return Fault(Kind.BAD_BODY, f"{len(vectors)} vectors for {count} texts")
    return vectors


def usage_of(found: object) -> Usage:
    """The usage as reported; whatever is missing or not a count stays unknown."""
    if not isinstance(found, dict):
        return UNKNOWN
    sent = found.get("prompt_tokens_details")
    made = found.get("completion_tokens_details")
    cached = sent.get("cached_tokens") if isinstance(sent, dict) else None
    return Usage(
        prompt_tokens=_count(found.get("prompt_tokens")),
        completion_tokens=_count(found.get("completion_tokens")),
        cached_tokens=_count(found.get("prompt_cache_hit_tokens") if cached is None else cached),
        reasoning_tokens=_count(made.get("reasoning_tokens")) if isinstance(made, dict) else None,
        cost=_price(found.get("cost")),
    )


def usage_in(body: bytes) -> Usage:
    """The usage in a response, even if nothing else in it is usable."""
    result = read_json(body)
    return usage_of(result.get("usage")) if isinstance(result, dict) else UNKNOWN


def _count(found: object) -> int | None:
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    return found if type(found) is int and 0 <= found < 2**53 else None


def _price(found: object) -> float | None:
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if 0 <= found < 2**53 else None


def _text_of(content: object) -> str:
    """The text of a message's content: a string, a list of parts, or nothing."""
    if isinstance(content, str):
        text = content
    elif isinstance(content, list):
        contents = (part.get("text") if isinstance(part, dict) else part for part in content)
        text = "".join(part for part in contents if isinstance(part, str))
    else:
        return ""
    return encodable(text)


def _no_choice(found: object, body: bytes, secret: Secret | None) -> Fault:
    error = found.get("error") if isinstance(found, dict) else None
    blocked = found.get("promptFeedback") if isinstance(found, dict) else None
    if isinstance(blocked, dict) and (why := blocked.get("blockReason")):
        return Fault(Kind.FILTERED, f"the endpoint filtered the prompt ({sanitized(str(why), secret, 60)})")
    if error is None:
        return Fault(Kind.BAD_BODY, "the answer holds no choice")
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return of_status(status, body, None, secret)
