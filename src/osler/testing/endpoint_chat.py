"""The routes of the fake endpoint: the answer to a request, faults included.

Pure except for its counts: bytes in, an `HttpReply` out. A malformed request is answered 400, with the
reason.
"""

from __future__ import annotations

import base64
import json
import math
import re
import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from osler.testing.endpoint_asked import BadRequest, ReadRequest, digest_of, read_chat, read_object
from osler.testing.endpoint_http import NO_HEADERS, HttpReply, HttpRequest, Traffic
from osler.testing.endpoint_plans import OF_ANY_ANSWER, Fault, FaultPlan, Faults, Rule, Script
from osler.testing.endpoint_schema import Json, Sampler, Unsatisfiable
from osler.testing.endpoint_seats import SeatTurn, spoken, wanted
from osler.testing.endpoint_usage import Prefixes, Stats, tokens

MODELS: Final = ("fake-model",)
DIMENSIONS: Final = 64
_MOST_NAMES: Final = 100
_PROXY_PAGE: Final = b"<html><body><h1>503 Service Unavailable</h1>upstream connect error</body></html>"
_encode = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Pace:
    """The latency of answers, in seconds: `latency_s` plus or minus `jitter_s`."""

    latency_s: float = 0.0
    jitter_s: float = 0.0

    def of(self, digest: str) -> float:
        """The delay of the answer to this content; the same content always takes equally long."""
        if not self.jitter_s:
            return self.latency_s
        rng = int(digest[:8], 16) / 2**32
        return max(0.0, self.latency_s + self.jitter_s * (2 * rng - 1))


class Endpoint:
    """Answers requests. Holds a fault plan, a script and the counts, all of which `reset` restarts."""

    def __init__(self, pace: Pace, plan: FaultPlan | None, rules: Sequence[Rule]) -> None:
        self._pace, self._plan, self._rules = pace, plan, rules
        self.traffic = Traffic()
        self.reset()

    def reset(self) -> None:
        """Forget every count, every attempt and every prompt."""
        self.stats = Stats()
        self.traffic.peak = self.traffic.now
        self._prefixes = Prefixes()
        self._script = Script(self._rules)
        self._faults = Faults(self._plan) if self._plan else None

    def handle(self, request: HttpRequest) -> HttpReply:
        """Answer one request of any kind."""
        path = request.path.removeprefix("/v1")
        route = self._routes.get(path)
        if route is None:
            return self._count("other", _error(404, f"there is nothing at {request.path[:200]}"))
        method, answer = route
        if request.method not in method:
            return self._count(path, _error(405, f"{path} takes {' or '.join(method)}"))
        if path in ("/stats", "/reset"):
            return answer(self, request)
        try:
            return self._count(path, answer(self, request))
        except BadRequest as error:
            return self._count(path, _error(400, str(error)))
        except Unsatisfiable as error:
            return self._count(path, _error(400, f"the json_schema cannot be satisfied: {error}"))
        except (RecursionError, OverflowError):
            return self._count(
                path, _error(400, "the request nests too deeply, or its numbers are too great")
            )

    def _count(self, path: str, reply: HttpReply) -> HttpReply:
        self.stats.paths[path] += 1
        self.stats.statuses[reply.status] += 1
        return reply

    # Chat

    def _chat(self, request: HttpRequest) -> HttpReply:
        chat = read_chat(request.body)
        self.stats.asked_of[_bounded(chat.model, self.stats.asked_of)] += 1
        delay = self._pace.of(chat.digest)
        said = {
            "model": chat.model,
            "seat": chat.seat,
            "schema_name": chat.schema_name,
            "format": chat.format,
        }
        rule = self._script.find(said, chat.texts)
        if rule and rule.delay_ms is not None:
            delay = rule.delay_ms / 1000
        fault = self._fault(chat.digest)
        if fault in _STATUS_FAULTS:
            return self._status_fault(fault, chat.model, delay)
        if rule and rule.status != 200:
            return _error(rule.status, rule.text or "scripted", delay_s=delay)
        message, finish = _message(chat, rule, fault)
        return self._wired(self._completion(chat, rule, message, finish, fault), fault, delay)

    def _completion(
        self,
        request: ReadRequest,
        rule: Rule | None,
        message: dict[str, Json],
        finish: str,
        fault: Fault | None,
    ) -> bytes:
        content = message["content"]
        said = tokens(content) if isinstance(content, str) else 0
        prompt, cached = self._prefixes.count(request.model, request.messages)
        stats = self.stats
        if fault not in _LOST:
            for tally in (
                stats.all,
                stats.models[_bounded(request.model, stats.models)],
                stats.seats[request.seat],
            ):
                tally.add(prompt, cached, said, request.turn)
            stats.latest.append(prompt)
        usage: dict[str, object] = {
            "prompt_tokens": prompt,
            "completion_tokens": said,
            "total_tokens": prompt + said,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }
        return _encode(
            {
                "id": f"chatcmpl-{request.digest}",
                "object": "chat.completion",
                "created": 0,
                "model": "some-other-model" if fault == "other-model" else request.model,
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                "usage": usage | (rule.usage or {}) if rule else usage,
            }
        ).encode()

    # Other routes

    def _embeddings(self, request: HttpRequest) -> HttpReply:
        body = read_object(request.body)
        model, given = body.get("model"), body.get("input")
        texts = [given] if isinstance(given, str) else given
        if not isinstance(model, str) or not isinstance(texts, list) or not texts:
            raise BadRequest("embeddings need a model and an input of one or more texts")
        size = body.get("dimensions", DIMENSIONS)
        if not isinstance(size, int) or not 1 <= size <= 4096:
            raise BadRequest("dimensions must be between 1 and 4096")
        digest = digest_of(request.body)
        self.stats.asked_of[_bounded(model, self.stats.asked_of)] += 1
        fault, delay = self._fault(digest, OF_ANY_ANSWER), self._pace.of(digest)
        if fault in _STATUS_FAULTS:
            return self._status_fault(fault, model, delay)
        packed = body.get("encoding_format") == "base64"
        vectors = [_vector(text, size, packed=packed) for text in texts]
        data: list[Json] = [
            {"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)
        ]
        used = sum(tokens(str(text)) for text in texts)
        usage = {"prompt_tokens": used, "total_tokens": used}
        answer = _encode({"object": "list", "model": model, "data": data, "usage": usage})
        return self._wired(answer.encode(), fault, delay)

    def _models(self, request: HttpRequest) -> HttpReply:
        data: list[Json] = [
            {"id": name, "object": "model", "created": 0, "owned_by": "osler"} for name in MODELS
        ]
        return _json({"object": "list", "data": data})

    def _stats(self, request: HttpRequest) -> HttpReply:
        return _json(self.shown())

    def _reset(self, request: HttpRequest) -> HttpReply:
        self.reset()
        return _json({"reset": True})

    def shown(self) -> dict[str, Json]:
        """The counts shown at `/stats`."""
        return {**self.stats.shown(), "peak_in_flight": self.traffic.peak}

    _routes: Final[dict[str, tuple[tuple[str, ...], Callable[[Endpoint, HttpRequest], HttpReply]]]] = {
        "/chat/completions": (("POST",), _chat),
        "/embeddings": (("POST",), _embeddings),
        "/models": (("GET",), _models),
        "/stats": (("GET",), _stats),
        "/reset": (("POST",), _reset),
    }

    # Faults

    def _fault(self, digest: str, among: frozenset[Fault] | None = None) -> Fault | None:
        if self._faults is None:
            return None
        fault = self._faults.next(digest, among) if among else self._faults.next(digest)
        if fault:
            self.stats.faults[fault] += 1
        return fault

    def _status_fault(self, fault: Fault | None, model: str, delay: float) -> HttpReply:
        plan = self._plan or FaultPlan()
        match fault:
            case "429-retry-after":
                more = {"retry-after": str(plan.retry_after_s)}
                return _error(429, "rate limit reached", more=more, delay_s=delay)
            case "429":
                return _error(429, "rate limit reached", delay_s=delay)
            case "503":
                return HttpReply(503, _PROXY_PAGE, "text/html", delay_s=delay)
            case "wrong-model":
                return _error(
                    404, f"the model {model[:100]!r} does not exist", delay_s=delay, code="model_not_found"
                )
        return _error(500, "the server had an error", delay_s=delay)

    def _wired(self, body: bytes, fault: Fault | None, delay: float) -> HttpReply:
        reply = HttpReply(200, body, delay_s=delay)
        match fault:
            case "timeout":
                return reply._replace(manner="never", delay_s=0)
            case "reset":
                return reply._replace(manner="reset")
            case "truncated":
                return reply._replace(manner="truncated")
            case "slow-body":
                return reply._replace(manner="slow", slow_s=self._plan.slow_body_s if self._plan else 0)
        return reply


_LOST: Final[frozenset[Fault | None]] = frozenset({"timeout", "reset", "truncated"})
_STATUS_FAULTS: Final[frozenset[Fault | None]] = frozenset(
    {"429", "429-retry-after", "500", "503", "wrong-model"}
)


def _message(request: ReadRequest, rule: Rule | None, fault: Fault | None) -> tuple[dict[str, Json], str]:
    """The assistant's message and its finish reason."""
    if fault == "refused":
        return {"role": "assistant", "content": None, "refusal": "I cannot help with that."}, "stop"
    if fault == "filtered":
        return {"role": "assistant", "content": None}, "content_filter"
    content = rule.text if rule and rule.is_scripted else _templated(request, rule.fields if rule else {})
    finish = rule.finish_reason if rule else "stop"
    if content is not None and fault:
        content = _spoilt(content, fault)
    if content is not None and request.max_tokens and tokens(content) > request.max_tokens:
        content, finish = content[: request.max_tokens * 4], "length"
    return {"role": "assistant", "content": content}, finish


def _templated(request: ReadRequest, fields: Mapping[str, Json]) -> str:
    turn = SeatTurn(request.seat, request.turn, request.texts)
    if request.schema is None and request.format == "text":
        return spoken(turn, request.digest, fields)
    wishes: dict[str, Json] = {**wanted(turn), **fields}
    if request.schema is None:
        return _encode(wishes or {"answer": spoken(turn, request.digest)})
    try:
        answer = _filled(request.schema, _encode(wishes), request.digest[0])
    except Unsatisfiable:
        if request.format == "json_schema":
            raise
        # An apparent schema in a prompt may be ordinary text.
        return spoken(turn, request.digest)
    # ReadRequest in words alone, models wrap their JSON in prose.
    return f"Here is my answer:\n```json\n{answer}\n```" if request.format == "text" else answer


@lru_cache(maxsize=4096)
def _filled(schema: str, wishes: str, seed: str) -> str:
    """An instance of a schema. Sixteen seeds give enough variety while most instances come from the cache."""
    return _encode(Sampler(json.loads(schema), json.loads(wishes), seed).instance())


def _spoilt(content: str, fault: Fault) -> str:
    match fault:
        case "empty":
            return ""
        case "bad-json":
            return '{"action": "ASK", "question'
        case "schema-violation":
            return '{"unexpected": true}'
    return content


def _vector(text: Json, size: int, *, packed: bool) -> Json:
    if not isinstance(text, str):
        raise BadRequest("this endpoint embeds texts only")
    vector = _bag(text, size)
    return base64.b64encode(struct.pack(f"<{size}f", *vector)).decode() if packed else list(vector)


@lru_cache(maxsize=4096)
def _bag(text: str, size: int) -> tuple[float, ...]:
    """A bag-of-words embedding: each word adds to one dimension, so texts that share words are similar."""
    places = [0.0] * size
    for word in re.findall(r"\w+", text.lower()) or [""]:
        place = int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest())
        places[place % size] += 1.0
    length = math.hypot(*places)
    return tuple(place / length for place in places)


def _bounded(name: str, known: Collection[str]) -> str:
    return name if name in known or len(known) < _MOST_NAMES else "(others)"


def _json(value: dict[str, Json], status: int = 200) -> HttpReply:
    return HttpReply(status, _encode(value).encode())


def _error(
    status: int,
    text: str,
    *,
    more: Mapping[str, str] = NO_HEADERS,
    delay_s: float = 0.0,
    code: str | None = None,
) -> HttpReply:
    kind = "invalid_request_error" if status < 500 else "server_error"
    body: dict[str, Json] = {"error": {"message": text, "type": kind, "param": None, "code": code}}
    return _json(body, status)._replace(more=more, delay_s=delay_s)
