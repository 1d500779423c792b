"""Parsing a request to the fake endpoint from its bytes. Anything unreadable is a BadRequest."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, NamedTuple

from pydantic_core import from_json, to_json

from osler.testing.endpoint_schema import Json
from osler.testing.endpoint_seats import SeatName, schema_in, seat_of
from osler.testing.endpoint_usage import Message, message_of

_FORMATS: Final = ("text", "json_object", "json_schema")


class BadRequest(ValueError):
    """A malformed request that no endpoint could answer; the message says why."""


class ReadRequest(NamedTuple):
    """A parsed chat request.

    `schema` is the JSON schema to fill, as text, wherever it was found: as text it can be a cache key.
    """

    model: str
    messages: tuple[Message, ...]
    texts: tuple[str, ...]
    turn: int
    format: str
    schema_name: str
    schema: str | None
    seat: SeatName
    max_tokens: int | None
    digest: str


def read_chat(body: bytes) -> ReadRequest:
    """Parse a chat request. Raises BadRequest."""
    request = read_object(body)
    model, given = request.get("model"), request.get("messages")
    if not isinstance(model, str) or not model:
        raise BadRequest("model must be a name")
    if not isinstance(given, list) or not given:
        raise BadRequest("messages must be a list of one message or more")
    if request.get("stream"):
        raise BadRequest("this endpoint does not stream")
    messages = tuple(map(_read_message, given))
    texts = tuple(message.text for message in messages)
    kind, name, schema = _read_format(request.get("response_format"))
    schema = schema or schema_in(texts)
    most = request.get("max_completion_tokens", request.get("max_tokens"))
    return ReadRequest(
        model=model,
        messages=messages,
        texts=texts,
        turn=sum(message.role == "assistant" for message in messages),
        format=kind,
        schema_name=name,
        schema=schema,
        seat=seat_of(schema, name, texts[0]),
        max_tokens=most if isinstance(most, int) and most > 0 else None,
        digest=digest_of(body),
    )


def _read_message(given: Json) -> Message:
    if not isinstance(given, dict) or not isinstance(role := given.get("role"), str):
        raise BadRequest("every message needs a role")
    content = given.get("content")
    if isinstance(content, str):
        return message_of(role, content, content)
    if content is None:
        return message_of(role, "", "")
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise BadRequest("a message's content must be a text, a list of parts, or null")
    parts = [part for part in content if isinstance(part, dict)]
    text = "\n".join(str(part.get("text", "")) for part in parts if part.get("type") == "text")
    images = sum(part.get("type") == "image_url" for part in parts)
    return message_of(role, text, to_json(content).decode(), images)


def _read_format(given: Json) -> tuple[str, str, str | None]:
    """The response format: the kind of answer, the schema's name and the schema as text."""
    if given is None:
        return "text", "", None
    if not isinstance(given, dict) or given.get("type") not in _FORMATS:
        raise BadRequest(f"response_format must be of type {', '.join(_FORMATS)}")
    kind = str(given["type"])
    if kind != "json_schema":
        return kind, "", None
    inner = given.get("json_schema")
    if not isinstance(inner, dict) or not isinstance(schema := inner.get("schema"), dict):
        raise BadRequest("response_format.json_schema needs a name and a schema")
    return kind, str(inner.get("name", "")), to_json(schema).decode()


def read_object(body: bytes) -> dict[str, Json]:
    """Parse a body that must be one JSON object. Raises BadRequest."""
    try:
        value: Json = from_json(body)
    except ValueError:
        raise BadRequest("the body is not JSON") from None
    if not isinstance(value, dict):
        raise BadRequest("the body must be a JSON object")
    return value


def digest_of(body: bytes) -> str:
    """A hash of a request's content: 24 hex digits."""
    return blake2b(body, digest_size=12).hexdigest()
