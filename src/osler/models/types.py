"""The types of model requests and answers: the only interface to models that the rest of Osler sees.

It does not include prices, limits and keys, so a player written against `ModelClient` works with an endpoint,
a cached one, or a scripted model in a test.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator
from pydantic_core import to_json

MediaType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
Role = Literal["system", "user", "assistant"]
Rung = Literal["json_schema", "json_object", "text"]
Place = Literal["content", "tool_call", "reasoning"]
"""The part of an endpoint's message that held the answer."""
Validate = Callable[[object], object]


class _Frozen(BaseModel):
    """The base of the types that are read from outside: immutable, and rejecting unknown fields. Those that
    only our own code makes are named tuples, which are immutable too and not checked at every call."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def encodable(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be sent and stored."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def media_type_of(raw: bytes) -> MediaType | None:
    """The media type by an image's magic bytes; `None` if it is not one of the four that endpoints accept."""
    if raw.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if raw.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if raw.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "image/webp"
    return None


class Image(_Frozen):
    """An image: `data` is its bytes in base64, `media_type` is determined by those bytes, never by a file
    name."""

    media_type: MediaType
    data: str = Field(repr=False)

    @classmethod
    def of(cls, raw: bytes) -> Self:
        """An image from its bytes. Raises ValueError if they are not PNG, JPEG, GIF or WebP."""
        kind = media_type_of(raw)
        if kind is None:
            raise ValueError("not a PNG, JPEG, GIF or WebP image")
        return cls(media_type=kind, data=base64.b64encode(raw).decode("ascii"))

    @model_validator(mode="after")
    def _true_to_its_bytes(self) -> Self:
        try:
            raw = base64.b64decode(self.data, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError("image data is not base64") from None
        result = media_type_of(raw)
        if result != self.media_type:
            raise ValueError(f"image data is {result or 'no known image'}, not {self.media_type}")
        return self


class Message(NamedTuple):
    """One message of a prompt. Images follow the text."""

    role: Role
    text: str
    images: tuple[Image, ...] = ()


TEMPERATURE: Final = 0.7
"""The temperature that Osler asks for where nobody sets one. Servers' own defaults differ (0.8 in llama.cpp,
1 at most providers, a file beside the weights in vLLM), and the same run meant something else at each. At 0 a
model that is asked again repeats itself word for word; at 1 small ones lose the thread."""


class Sampling(_Frozen):
    """Sampling parameters. A field that is `None` is not sent, so the endpoint's default applies."""

    temperature: float | None = Field(default=TEMPERATURE, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    stop: tuple[str, ...] = ()


class Output(_Frozen):
    """The type an answer must have: a JSON schema and a short name (letters, digits, `_` and `-`).

    `strict` asks the endpoint to enforce the schema token by token; some endpoints then reject schemas with
    optional fields, so it is off unless the schema is known to qualify. Answers are validated either way.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    json_schema: dict[str, Any]  # JSON of any shape
    strict: bool = False

    @classmethod
    def of(cls, adapter: TypeAdapter[Any], name: str) -> Self:
        """The output type of a pydantic adapter. Reuse it: building the schema takes milliseconds."""
        return cls(name=name, json_schema=adapter.json_schema())

    @cached_property
    def schema_text(self) -> str:
        """The schema as compact JSON, as shown in a prompt."""
        return to_json(self.json_schema).decode()

    @cached_property
    def digest(self) -> str:
        """A hash of name, schema and strictness."""
        return self._hashed(self.schema_text)

    @cached_property
    def shape(self) -> str:
        """A hash that leaves out which values each list of choices has, and how many items a list must have:
        services accept or refuse schemas by their shape."""
        return self._hashed(to_json(_without_choices(self.json_schema)).decode())

    @cached_property
    def answer_tokens(self) -> int | None:
        """The most tokens that an answer needs, by the bounds of its schema; `None` if it is unbounded.

        A token of a language model stands for two characters or more, but for scripts that are shorter by
        themselves.
        """
        most = _most_characters(self.json_schema)
        return None if most is None else most // 2 + _SPARE_TOKENS

    def _hashed(self, schema: str) -> str:
        return blake2b(f"{self.name}\x1f{self.strict}\x1f{schema}".encode(), digest_size=12).hexdigest()


_SPARE_TOKENS: Final = 64
_SHORT: Final = {"number": 20, "integer": 10, "boolean": 5, "null": 4}


def _without_choices(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_choices(item) for item in node]
    if not isinstance(node, dict):
        return node
    # A property called enum has a schema, not a list.
    return {
        key: [] if key == "enum" and _are_choices(value) else _without_choices(value)
        for key, value in node.items()
        if key != "minItems"
    }


def _are_choices(values: object) -> bool:
    """Whether a list holds choices: several, or one that is numbered and so may be the last on offer. One
    word is a constant, such as the action of a move."""
    if not isinstance(values, list) or not values:
        return False
    return len(values) > 1 or (isinstance(values[0], str) and any(map(str.isdigit, values[0])))


def _most_characters(node: Any) -> int | None:
    """The longest instance of a schema, in characters of JSON; `None` if nothing bounds it."""
    if not isinstance(node, dict):
        return None
    if isinstance(choices := node.get("enum"), list):
        return max((len(to_json(one)) for one in choices), default=2)
    if isinstance(branches := node.get("anyOf"), list):
        return _of_all(map(_most_characters, branches), max)
    match node.get("type"):
        case "object" if isinstance(fields := node.get("properties"), dict):
            names = sum(len(name) + 6 for name in fields)
            return _of_all(map(_most_characters, fields.values()), lambda sizes: names + sum(sizes))
        case "array" if isinstance(most := node.get("maxItems"), int):
            one = _most_characters(node.get("items"))
            return None if one is None else 2 + most * (one + 2)
        case "string" if isinstance(most := node.get("maxLength"), int):
            return most + 2
        case str() as kind:
            return _SHORT.get(kind)
    return None


def _of_all(sizes: Iterable[int | None], combine: Callable[[list[int]], int]) -> int | None:
    known = list(sizes)
    bounded = [size for size in known if size is not None]
    return combine(bounded) if bounded and len(bounded) == len(known) else None


class CompletionRequest(NamedTuple):
    """One request to a model.

    `sample` distinguishes samples drawn for the same prompt; it is not sent (give each sample its own `seed`
    as well if an endpoint honours seeds), but is part of the cache key. `seat` says for whom the tokens are
    spent; it is neither sent nor part of the cache key.
    `once` leaves an answer that the model itself spoilt to the caller, who asks again: it is neither repaired
    nor, if it is empty, asked for again. `weighs`: it chooses among proposals or votes on them, for which an
    endpoint may have another temperature.
    """

    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    seed: int | None = None
    output: Output | None = None
    sample: int = 0
    seat: str = ""
    once: bool = False
    weighs: bool = False


def another(request: CompletionRequest, time: int) -> CompletionRequest:
    """The request as it is sent the next `time`: with another seed, since with the same one a model tends to
    repeat word for word what was refused."""
    return request if not time or request.seed is None else request._replace(seed=request.seed + time)


COUNTS: Final = ("prompt_tokens", "completion_tokens", "cached_tokens", "reasoning_tokens")
"""The counts of tokens in `Usage`."""


class Usage(NamedTuple):
    """Tokens as reported by the endpoint; `None` is unknown, which is not 0. `cached_tokens` are part of
    `prompt_tokens`, `reasoning_tokens` part of `completion_tokens`. `cost` is the price of the request where
    the endpoint reports one, in its own currency."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None


class Sampled(NamedTuple):
    """The sampling that a request was sent with; `None` is the server's default."""

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None


class Attempt(NamedTuple):
    """One request sent for a completion, and its outcome.

    `outcome` is "ok" or one of `osler.models.faults.Kind`; `detail` says why in a few sanitized words; `text`
    is the model's answer, empty if nothing could be read; `finish_reason` and `reasoning` are as in
    `Completion`; `sampled` is `None` where the client does not say.
    """

    outcome: str
    detail: str = ""
    rung: Rung = "text"
    text: str = ""
    usage: Usage = Usage()
    latency_s: float = 0.0
    finish_reason: str | None = None
    reasoning: str | None = None
    sampled: Sampled | None = None


class Completion(NamedTuple):
    """A model's answer.

    `parsed` is what the caller's `validate` returned (without one: the JSON value if an output type was
    requested, else `None`). `latency_s` is that of the last request, `model` the name the endpoint returned,
    `attempts` all requests sent, in order. `reasoning` is the reasoning that the endpoint reports separately.
    `rung` is the format that the answer was asked for in, `found_in` the part of the message it was read
    from; `served_by` is the provider and the version that the endpoint names, if any.
    """

    text: str
    parsed: Any | None = None  # whatever type the caller's validator makes
    usage: Usage = Usage()
    latency_s: float = 0.0
    finish_reason: str | None = None
    model: str | None = None
    reasoning: str | None = None
    rung: Rung = "text"
    found_in: Place = "content"
    served_by: str | None = None
    attempts: tuple[Attempt, ...] = ()
    from_cache: bool = False


class ModelClient(Protocol):
    """The interface of every model client.

    `validate` takes the JSON value (or the text, if no output type is requested) and returns the value
    wanted, or raises ValueError; the model is then given the reason and asked again a bounded number of
    times. Raises `ModelAnswerError` for the model's own faults and `InfrastructureFault` for all others.
    """

    async def complete(
        self, request: CompletionRequest, *, validate: Validate | None = None
    ) -> Completion: ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts: one vector per text, in order."""
        ...
