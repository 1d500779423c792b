"""What is asked of a model and what comes back: the only interface the rest of Osler sees.

Prices, limits and keys are no part of it, so a player written against `ModelClient` works with an endpoint, a
cache in front of one, or a scripted model in a test.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator
from pydantic_core import to_json

MediaType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
Role = Literal["system", "user", "assistant"]
Rung = Literal["json_schema", "json_object", "text"]
Validate = Callable[[object], object]


class _Frozen(BaseModel):
    """Immutable, and refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def encodable(text: str) -> str:
    """The text with every lone half of a surrogate pair replaced, so that it can be sent and stored."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def media_type_of(raw: bytes) -> MediaType | None:
    """What an image's first bytes say it is; `None` if it is none of the four kinds that endpoints take."""
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
    """A picture: `data` is its bytes as base64 text, `media_type` what those bytes are, never what a file
    name claims."""

    media_type: MediaType
    data: str = Field(repr=False)

    @classmethod
    def of(cls, raw: bytes) -> Self:
        """An image from its bytes. Raises ValueError if they are no PNG, JPEG, GIF or WebP."""
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
        found = media_type_of(raw)
        if found != self.media_type:
            raise ValueError(f"image data is {found or 'no known image'}, not {self.media_type}")
        return self


class Message(_Frozen):
    """One message of a prompt. Images follow the text."""

    role: Role
    text: str
    images: tuple[Image, ...] = ()


class Sampling(_Frozen):
    """How answers are drawn. What is `None` is not sent, so the endpoint's own default holds."""

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    stop: tuple[str, ...] = ()


class Output(_Frozen):
    """The type an answer must have: a JSON schema and a short name (letters, digits, `_` and `-`).

    `strict` asks the endpoint to hold to the schema token by token; some endpoints then refuse schemas with
    optional fields, so it is off unless the schema is known to qualify. Answers are validated either way.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    json_schema: dict[str, Any]  # JSON of any shape
    strict: bool = False

    @classmethod
    def of(cls, adapter: TypeAdapter[Any], name: str) -> Self:
        """The output type of a pydantic adapter. Keep it: building the schema costs milliseconds."""
        return cls(name=name, json_schema=adapter.json_schema())

    @cached_property
    def schema_text(self) -> str:
        """The schema as compact JSON, as it is shown in a prompt."""
        return to_json(self.json_schema).decode()

    @cached_property
    def digest(self) -> str:
        """A hash of name, schema and strictness."""
        return blake2b(
            f"{self.name}\x1f{self.strict}\x1f{self.schema_text}".encode(), digest_size=12
        ).hexdigest()


class CompletionRequest(_Frozen):
    """One question to a model.

    `sample` tells apart answers drawn for the same prompt; it is not sent (give each sample its own `seed` as
    well where an endpoint honours seeds), but the cache keeps samples apart by it. `seat` says for whom the
    tokens are spent; it is neither sent nor part of what identifies a request.
    """

    messages: tuple[Message, ...] = Field(min_length=1)
    sampling: Sampling = Sampling()
    seed: int | None = None
    output: Output | None = None
    sample: int = Field(default=0, ge=0)
    seat: str = ""


class Usage(_Frozen):
    """Tokens as the endpoint counted them; `None` is unknown, which is not 0. `cached_tokens` are part of
    `prompt_tokens`, `reasoning_tokens` part of `completion_tokens`."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class Attempt(_Frozen):
    """One request sent for a completion and what became of it.

    `outcome` is "ok" or one of `osler.models.faults.Kind`; `detail` says why in a few sanitized words; `text`
    is what the model said, empty where nothing could be read.
    """

    outcome: str
    detail: str = ""
    rung: Rung = "text"
    text: str = ""
    usage: Usage = Usage()
    latency_s: float = 0.0


class Completion(_Frozen):
    """A model's answer.

    `parsed` is what the caller's `validate` returned (without one: the JSON value where an output type was
    asked, else `None`). `latency_s` is that of the last request sent, `model` the name the endpoint returned,
    `attempts` everything that was sent, in order. `reasoning` is thought the endpoint reports apart.
    """

    text: str
    parsed: Any | None = None  # whatever type the caller's validator makes
    usage: Usage = Usage()
    latency_s: float = 0.0
    finish_reason: str | None = None
    model: str | None = None
    reasoning: str | None = None
    attempts: tuple[Attempt, ...] = ()
    from_cache: bool = False


class ModelClient(Protocol):
    """Any model that can be asked.

    `validate` takes the JSON value (the text, where no output type is asked) and returns the value wanted, or
    raises ValueError; the model is told why and asked again a bounded number of times. Raises
    `ModelAnswerError` for what is the model's own fault and `InfrastructureFault` for what is not.
    """

    async def complete(
        self, request: CompletionRequest, *, validate: Validate | None = None
    ) -> Completion: ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in order."""
        ...
