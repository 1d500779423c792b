"""The peculiarities of servers and models behind the OpenAI chat format, imitated by name.

The fake endpoint serves each under its own address, `/quirks/NAME/v1`: what a request meets there is the
usual answer, spoilt or refused in the way of that server. A refusal has the words and the shape in which the
server is known to give it.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from osler.testing.endpoint_http import NO_HEADERS, HttpReply, HttpRequest
from osler.testing.quirk_schemas import strict_fault

Body = dict[str, Any]  # JSON of any shape
PATH: Final = "/quirks/"
MODEL: Final = "fake-model"
REFUSAL: Final = "I'm sorry, but I can't provide medical advice. Please consult a healthcare professional."
_THOUGHT: Final = "The user wants a JSON object {like this one}. I should begin with the history."
_OVERFULL: Final = 4
"""The number of messages from which on a prompt is too long for a small context."""


class NumberedRequest(NamedTuple):
    """A request: its body as an object, and its number at this address, from 1."""

    http: HttpRequest
    body: Body
    nth: int

    @property
    def key(self) -> str:
        """The bearer's key."""
        return self.http.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def schema(self) -> Any:
        """The JSON schema in the response format; `None` if there is none."""
        return (self.body.get("response_format") or {}).get("json_schema", {}).get("schema")


Refuses = Callable[[NumberedRequest], HttpReply | None]
Spoils = Callable[[Body], Body | HttpReply]


class Quirk(NamedTuple):
    """One peculiarity. `refuses` answers in the endpoint's place or returns `None`; `ignores` are the fields
    of a request that have no effect; `spoils` changes the usual answer."""

    what: str
    refuses: Refuses = lambda asked: None
    spoils: Spoils = lambda body: body
    ignores: tuple[str, ...] = ()


class Quirks:
    """Serves every quirk before a usual endpoint, which answers all other addresses."""

    def __init__(self, usual: Callable[[HttpRequest], HttpReply]) -> None:
        self._usual = usual
        self._asked = Counter[str]()

    def handle(self, request: HttpRequest) -> HttpReply:
        """Answer one request."""
        if not request.path.startswith(PATH):
            return self._usual(request)
        name = request.path.removeprefix(PATH).partition("/")[0]
        quirk = QUIRKS.get(name)
        if quirk is None:
            return error(404, f"there is no quirk {name[:60]!r}")
        if request.path.endswith("/models"):
            return self._usual(request._replace(path="/v1/models"))
        if not request.path.endswith("/chat/completions"):
            return error(404, "there is nothing here")
        self._asked[name] += 1
        numbered_request = NumberedRequest(request, json.loads(request.body), self._asked[name])
        if (refusal := quirk.refuses(numbered_request)) is not None:
            return refusal
        kept = {field: value for field, value in numbered_request.body.items() if field not in quirk.ignores}
        usual = self._usual(request._replace(path="/v1/chat/completions", body=json.dumps(kept).encode()))
        if usual.status != 200:
            return usual
        spoilt = quirk.spoils(json.loads(usual.body))
        return spoilt if isinstance(spoilt, HttpReply) else sent(spoilt)


def sent(value: object, status: int = 200, more: Mapping[str, str] = NO_HEADERS) -> HttpReply:
    """An answer with a JSON body, and more headers."""
    return HttpReply(status, json.dumps(value).encode(), more=more)


def error(
    status: int, message: str, code: object = None, *, head: Mapping[str, str] = NO_HEADERS, **more: object
) -> HttpReply:
    """An error in OpenAI's shape."""
    inner = {"message": message, "type": "invalid_request_error", "param": None, "code": code, **more}
    return sent({"error": inner}, status, head)


def flat(status: int, message: str, kind: str = "BadRequestError") -> HttpReply:
    """An error in the shape of vLLM and SGLang."""
    return sent({"object": "error", "message": message, "type": kind, "param": None, "code": status}, status)


def _always(reply: HttpReply) -> Refuses:
    return lambda asked: reply


def _first(reply: HttpReply) -> Refuses:
    return lambda asked: reply if asked.nth == 1 else None


def _with(field: str, reply: HttpReply) -> Refuses:
    return lambda asked: reply if field in asked.body else None


def _overfull(reply: HttpReply) -> Refuses:
    return lambda asked: reply if len(asked.body["messages"]) >= _OVERFULL else None


def _with_system(reply: HttpReply) -> Refuses:
    return lambda asked: reply if any(one["role"] == "system" for one in asked.body["messages"]) else None


def _wrong_key(asked: NumberedRequest) -> HttpReply:
    return error(401, f"Incorrect API key provided: {asked.key}.", "invalid_api_key")


def _echo_of_part(asked: NumberedRequest) -> HttpReply:
    return error(401, f"Incorrect API key provided: {asked.key[:8]}...{asked.key[-4:]}.", "invalid_api_key")


def _not_strict(asked: NumberedRequest) -> HttpReply | None:
    fault = strict_fault(asked.schema) if asked.schema is not None else None
    return error(400, f"Invalid schema for response_format 'x': {fault}") if fault else None


def _bounded(asked: NumberedRequest) -> HttpReply | None:
    if "maxItems" not in json.dumps(asked.schema):
        return None
    return error(400, "Invalid schema for response_format 'x': In context=(), 'maxItems' is not permitted.")


def _azure_classic(asked: NumberedRequest) -> HttpReply | None:
    if "/openai/deployments/" not in asked.http.path or "api-version=" not in asked.http.query:
        return sent({"error": {"code": "404", "message": "Resource not found"}}, 404)
    if not asked.http.headers.get("api-key"):
        words = "Access denied due to invalid subscription key or wrong API endpoint."
        return sent({"error": {"code": "401", "message": words}}, 401)
    return None


def _keyed(asked: NumberedRequest) -> HttpReply | None:
    return None if asked.key else error(401, "You didn't provide an API key.")


def _gemini(asked: NumberedRequest) -> HttpReply | None:
    if not asked.key:
        return sent([{"error": {"code": 401, "message": "Missing key.", "status": "UNAUTHENTICATED"}}], 401)
    field = next(
        (one for one in ("seed", "$defs") if one in asked.body or one in json.dumps(asked.schema)), ""
    )
    at = "generation_config.response_schema" if field == "$defs" else "request"
    words = f"Invalid JSON payload received. Unknown name \"{field}\" at '{at}': Cannot find field."
    refusal = [{"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}]
    return sent(refusal, 400) if field else None


def _gemini_schema(asked: NumberedRequest) -> HttpReply | None:
    words = "Invalid JSON payload received. Unknown name \"$defs\" at 'generation_config.response_schema'"
    refusal = [{"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}]
    return sent(refusal, 400) if asked.schema is not None else None


def _gemini_bare(asked: NumberedRequest) -> HttpReply | None:
    words = "Request contains an invalid argument."
    refusal = [{"error": {"code": 400, "message": words, "status": "INVALID_ARGUMENT"}}]
    return sent(refusal, 400) if asked.schema is not None else None


def _high_limit(asked: NumberedRequest) -> HttpReply | None:
    most = asked.body.get("max_tokens", 0)
    words = f"max_tokens is too large: {most}. This model supports at most 2048 completion tokens."
    return error(400, words, "invalid_value") if most > 2048 else None


def _unpaced(asked: NumberedRequest) -> HttpReply | None:
    busy = "Rate limit reached for requests. Please try again in 5ms."
    return error(429, busy, "rate_limit_exceeded", head={"retry-after-ms": "5"}) if asked.nth == 1 else None


def message(**changed: object) -> Spoils:
    """Change the message of the answer; a callable is given the usual content."""

    def spoil(body: Body) -> Body:
        said = body["choices"][0]["message"]
        content = said["content"]
        new = {name: value(content) if callable(value) else value for name, value in changed.items()}
        return _choice(body, message={**said, **new})

    return spoil


def finish(reason: str, **changed: object) -> Spoils:
    """Change the finish reason of the answer, and its message."""
    return lambda body: _choice(message(**changed)(body), finish_reason=reason)  # type: ignore[arg-type]


def _choice(body: Body, **changed: object) -> Body:
    return {**body, "choices": [{**body["choices"][0], **changed}]}


def usage(change: Callable[[Mapping[str, Any]], object]) -> Spoils:
    """Change the usage; `None` leaves it out."""
    return lambda body: {**body, "usage": change(body["usage"])}


def _called(content: str) -> list[Body]:
    return [{"id": "c1", "type": "function", "function": {"name": "answer", "arguments": content}}]


def _python(content: str) -> str:
    return repr(json.loads(content))


def _harmony(content: str) -> str:
    opening = f"<|channel|>analysis<|message|>{_THOUGHT}<|end|>"
    return f"{opening}<|start|>assistant<|channel|>final<|message|>{content}<|return|>"


def _zipped(body: Body) -> HttpReply:
    return sent(body)._replace(
        body=gzip.compress(json.dumps(body).encode()), more={"content-encoding": "gzip"}
    )


def _huge(body: Body) -> HttpReply:
    packed = gzip.compress(b" " * (65 << 20), 1)
    return HttpReply(200, packed, more={"content-encoding": "gzip"})


def _streamed(body: Body) -> HttpReply:
    said = body["choices"][0]["message"]["content"]
    piece = json.dumps({"object": "chat.completion.chunk", "choices": [{"delta": {"content": said}}]})
    return HttpReply(200, f"data: {piece}\n\ndata: [DONE]\n\n".encode(), "text/event-stream")


def _upstream(asked: NumberedRequest) -> HttpReply | None:
    failed = {"error": {"message": "Provider returned error", "code": 502}}
    return sent(failed) if asked.nth == 1 else None


_PAGE: Final = HttpReply(200, b"<!doctype html><html><body>Welcome</body></html>", "text/html")
_GARBAGE: Final = HttpReply(200, bytes(range(128, 256)) * 8, "application/octet-stream")
_MOVED: Final = HttpReply(301, b"", "text/html", more={"location": "https://models.example/v1"})
_GATEWAY: Final = HttpReply(502, b"<html><body><h1>502 Bad Gateway</h1></body></html>", "text/html")
_EXTRA: Final = {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}
_NO_SEED: Final = sent({"object": "error", "message": {"detail": [_EXTRA]}}, 422)
_FILTER: Final = error(
    400,
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    "content_filter",
)
_QUOTA: Final = error(429, "You exceeded your current quota, please check your plan.", "insufficient_quota")
_RENAMED: Final = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead."
)
_NO_ROUTE: Final = "No endpoints found that can handle the requested parameters."
_NO_ROLE: Final = "System role not supported"
_TOO_LONG: Final[Mapping[str, HttpReply]] = {
    "openai": error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
    "vllm": flat(
        400,
        "This model's maximum context length is 4096 tokens. However, you requested 5200 tokens "
        "(5100 in the messages, 100 in the completion).",
    ),
    "llamacpp": error(
        400,
        "the request exceeds the available context size. try increasing the context size",
        400,
        type="exceed_context_size_error",
    ),
    "sglang": flat(400, "The input (9000 tokens) is longer than the model's context length (4096 tokens)."),
    "ollama": error(400, "input length exceeds the maximum context length", type="api_error"),
    "anthropic": error(400, "prompt is too long: 210000 tokens > 200000 maximum"),
}

QUIRKS: Final[Mapping[str, Quirk]] = {
    "none": Quirk("none: the usual answer"),
    # The key, the address and the model
    "wrong-key": Quirk("a wrong key, echoed", _wrong_key),
    "wrong-key-in-part": Quirk("a wrong key, echoed in part", _echo_of_part),
    "wrong-model-openai": Quirk(
        "a wrong model, as OpenAI says it",
        _always(
            error(404, "The model `m` does not exist or you do not have access to it.", "model_not_found")
        ),
    ),
    "wrong-model-ollama": Quirk(
        "a wrong model, as Ollama says it",
        _always(error(404, 'model "m" not found, try pulling it first', type="api_error")),
    ),
    "wrong-model-vllm": Quirk(
        "a wrong model, as vLLM says it", _always(flat(404, "The model `m` does not exist.", "NotFoundError"))
    ),
    "redirect": Quirk("301 to elsewhere", _always(_MOVED)),
    "html-page": Quirk("a web page", _always(_PAGE)),
    "garbage": Quirk("bytes that are no text", _always(_GARBAGE)),
    # Limits of rate and money, and failures that may pass
    "retry-after": Quirk("429 once, with Retry-After", _first(error(429, "busy", head={"retry-after": "0"}))),
    "retry-after-ms": Quirk("429 once, with retry-after-ms", _unpaced),
    "rate-limit": Quirk("429 always", _always(error(429, "Rate limit reached", "rate_limit_exceeded"))),
    "quota": Quirk("429: no credit left", _always(_QUOTA)),
    "overloaded": Quirk("529 always", _always(error(529, "Overloaded", type="overloaded_error"))),
    "bad-gateway": Quirk("a proxy's 502, once", _first(_GATEWAY)),
    "error-in-200": Quirk("OpenRouter: an error inside a 200, once", _upstream),
    "timeout": Quirk("never answers", _always(HttpReply(200, b"", manner="never"))),
    "reset": Quirk("drops the connection", _always(HttpReply(200, b"", manner="reset"))),
    "slow": Quirk(
        "sends its answer in pieces", spoils=lambda b: sent(b)._replace(manner="slow", slow_s=0.04)
    ),
    "mid-body": Quirk(
        "closes in the middle of the body", spoils=lambda b: sent(b)._replace(manner="truncated")
    ),
    "gzip": Quirk("compresses, though not asked to", spoils=_zipped),
    "huge": Quirk("sends more than 64 MiB", spoils=_huge),
    # Fields and formats that are refused
    "max-tokens-renamed": Quirk("wants max_completion_tokens", _with("max_tokens", error(400, _RENAMED))),
    "limit-too-high": Quirk("takes at most 2048 answer tokens", _high_limit),
    "no-seed": Quirk("Mistral: 422 for a seed", _with("seed", _NO_SEED)),
    "no-temperature": Quirk(
        "refuses a temperature",
        _with(
            "temperature",
            error(400, "Unsupported value: 'temperature' does not support 0.7 with this model."),
        ),
    ),
    "no-schema": Quirk(
        "DeepSeek: no json_schema",
        lambda asked: (
            error(400, "This response_format type is unavailable now") if asked.schema is not None else None
        ),
    ),
    "no-format": Quirk(
        "no response_format at all", _with("response_format", error(400, "response_format is not supported"))
    ),
    "no-route": Quirk(
        "OpenRouter: nobody takes the format",
        _with("response_format", sent({"error": {"message": _NO_ROUTE, "code": 404}}, 404)),
    ),
    "bare-refusal": Quirk("Gemini: refuses a schema without naming it", _gemini_bare),
    "format-ignored": Quirk("response_format has no effect", ignores=("response_format",)),
    "strict-schema": Quirk("OpenAI's strict mode: checks the schema", _not_strict),
    "no-bounds": Quirk("Azure's strict mode: no maxItems", _bounded),
    "gemini-schema": Quirk("Gemini: an error in a list", _gemini_schema),
    "no-system-role": Quirk("Gemma's template", _with_system(flat(400, _NO_ROLE))),
    # A prompt that is too long
    **{
        f"context-{name}": Quirk(f"too long, as {name} says it", _overfull(r))
        for name, r in _TOO_LONG.items()
    },
    # Where the answer is, and around what
    "think": Quirk(
        "thought before the answer", spoils=message(content=lambda c: f"<think>{_THOUGHT}</think>\n{c}")
    ),
    "think-unopened": Quirk(
        "thought without its opening", spoils=message(content=lambda c: f"{_THOUGHT}</think>{c}")
    ),
    "harmony": Quirk("gpt-oss: channels in the content", spoils=message(content=_harmony)),
    "fenced": Quirk(
        "in a fence", spoils=message(content=lambda c: f"Sure!\n```json\n{c}\n```\nAnything else?")
    ),
    "parts": Quirk("content in parts", spoils=message(content=lambda c: [{"type": "text", "text": c}])),
    "reasoning-too": Quirk("reasoning beside the content", spoils=message(reasoning_content=_THOUGHT)),
    "reasoning-only": Quirk(
        "the answer in reasoning_content",
        spoils=message(content=None, reasoning_content=lambda c: f"{_THOUGHT}\n{c}"),
    ),
    "tool-call-only": Quirk(
        "the answer in a tool call", spoils=finish("tool_calls", content=None, tool_calls=_called)
    ),
    "json-array": Quirk("a list around the object", spoils=message(content=lambda c: f"[{c}]")),
    "python-quotes": Quirk("a dict as Python writes it", spoils=message(content=_python)),
    "sse": Quirk("a stream that was not asked for", spoils=_streamed),
    # Usage
    "no-usage": Quirk("no usage", spoils=usage(lambda used: None)),
    "float-usage": Quirk(
        "counts with a point",
        spoils=usage(lambda used: {n: float(v) for n, v in used.items() if isinstance(v, int)}),
    ),
    # No answer
    "empty": Quirk("an empty text", spoils=message(content="")),
    "null": Quirk("no content", spoils=message(content=None)),
    "reasoning-without-answer": Quirk(
        "thought and no answer", spoils=message(content=None, reasoning_content=_THOUGHT)
    ),
    "cut": Quirk(
        "cut in the middle of the object", spoils=finish("length", content=lambda c: c[: len(c) // 2])
    ),
    "thought-cut": Quirk(
        "cut in the middle of a thought", spoils=finish("length", content=f"<think>{_THOUGHT}")
    ),
    "reasoning-cut": Quirk(
        "only reasoning, cut", spoils=finish("length", content=None, reasoning_content=_THOUGHT)
    ),
    "refusal-field": Quirk("declines in `refusal`", spoils=message(content=None, refusal=REFUSAL)),
    "refusal": Quirk("declines in prose", spoils=message(content=REFUSAL)),
    "filtered": Quirk("the filter stops the answer", spoils=finish("content_filter", content="")),
    "filtered-prompt": Quirk("Azure: the filter stops the prompt", _always(_FILTER)),
    "filtered-gemini": Quirk(
        "Gemini's layer: the reason behind the word, and no message",
        spoils=lambda body: _choice(body, finish_reason="content_filter: PROHIBITED_CONTENT", message=None),
    ),
    "filtered-bare": Quirk("others before Gemini: the bare reason", spoils=finish("SAFETY", content="")),
    "filtered-bedrock": Quirk("Bedrock's guardrail", spoils=finish("guardrail_intervened")),
    "refusal-reason": Quirk("a refusal in the finish reason, its words as text", spoils=finish("refusal")),
    # Providers and servers as a whole
    "anthropic": Quirk("its own messages", _keyed),
    "anthropic-layer": Quirk(
        "its chat format: response_format and seed have no effect",
        _keyed,
        ignores=("response_format", "seed"),
    ),
    "gemini": Quirk("no seed, no $defs, errors in a list", _gemini),
    "azure-classic": Quirk("a key of its own, a version in the query", _azure_classic),
    "azure-v1": Quirk("the key of a bearer, no maxItems", lambda asked: _keyed(asked) or _bounded(asked)),
    "openrouter": Quirk(
        "names provider and cost",
        _keyed,
        lambda body: {**body, "provider": "Somewhere", "usage": {**body["usage"], "cost": 0.0001}},
    ),
    "bedrock": Quirk("a gateway: no seed, no schema", lambda asked: _keyed(asked) or _litellm(asked)),
    "llama.cpp": Quirk("thought in reasoning_content", spoils=message(reasoning_content=_THOUGHT)),
    "ollama": Quirk("thought in reasoning", spoils=message(reasoning=_THOUGHT)),
    "vllm": Quirk("thought in reasoning_content", spoils=message(reasoning_content=_THOUGHT, tool_calls=[])),
    "sglang": Quirk(
        "usage without details", spoils=usage(lambda used: {**used, "prompt_tokens_details": None})
    ),
}


def _litellm(asked: NumberedRequest) -> HttpReply | None:
    field = next((one for one in ("seed", "response_format") if one in asked.body), None)
    words = f"litellm.UnsupportedParamsError: bedrock does not support parameters: ['{field}']"
    return error(400, words) if field else None
