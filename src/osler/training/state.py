"""A recorded moment at which the trained seat was asked: what a policy is given and a reward may know."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

from pydantic import Field, JsonValue, field_validator

from osler.core.episode import digest
from osler.core.events import Frozen
from osler.models.types import Message

Block = dict[str, JsonValue]
"""A block of a message: {"type": "text", "text": ...} or {"type": "image"}."""


class ImageRef(Frozen):
    """An image of a message, by the SHA-256 of its bytes."""

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    media_type: str


def _is_message(one: Block) -> bool:
    content = one.get("content")
    return isinstance(one.get("role"), str) and isinstance(content, list) and all(map(_is_block, content))


def _is_block(one: JsonValue) -> bool:
    if not isinstance(one, dict):
        return False
    return one.get("type") == "image" or (one.get("type") == "text" and isinstance(one.get("text"), str))


Keep = Callable[[ImageRef, bytes], None]
"""Is handed the bytes of an image."""


class State(Frozen):
    """One recorded moment at which the trained seat was asked.

    `turn` is the 0-based count of the seat's accepted turns before it; `world` is equal for episodes of the
    same case, cohort and seed, `cluster` for cases that are nearly the same. `messages` are to the letter
    those of a model that plays the seat in text: {"role", "content": blocks}, text first and then its
    pictures; `images` has one entry for each image block, in order. `context` holds facts for rewards and
    filters, which are in no message.
    """

    id: str
    protocol: str
    seat: str
    run: str
    episode: str
    turn: int = Field(ge=0)
    world: str
    case_id: str
    case_hash: str
    cluster: str
    messages: tuple[dict[str, JsonValue], ...]
    images: tuple[ImageRef, ...] = ()
    context: dict[str, JsonValue] = Field(default_factory=dict)

    @field_validator("messages")
    @classmethod
    def _in_blocks(cls, messages: tuple[Block, ...]) -> tuple[Block, ...]:
        if not all(_is_message(one) for one in messages):
            raise ValueError("a message is a role with blocks of text or images")
        return messages


def state_id(protocol: str, seat: str, episode: str, turn: int | str) -> str:
    """The id of a state: a hash of the protocol, the seat, the episode's key and the turn."""
    return digest(protocol, seat, episode, str(turn))


def chat_of(
    messages: Iterable[Message], keep: Keep | None = None
) -> tuple[tuple[dict[str, Any], ...], tuple[ImageRef, ...]]:
    """The messages as blocks, and their images in order, whose bytes are handed to `keep`."""
    chat, images = list[dict[str, Any]](), list[ImageRef]()
    for message in messages:
        content: list[Block] = [{"type": "text", "text": message.text}]
        for image in message.images:
            raw = base64.b64decode(image.data)
            result = ImageRef(sha256=sha256(raw).hexdigest(), media_type=image.media_type)
            if keep is not None:
                keep(result, raw)
            images.append(result)
            content.append({"type": "image"})
        chat.append({"role": message.role, "content": content})
    return tuple(chat), tuple(images)


def said(role: str, text: str) -> dict[str, Any]:
    """A message of text alone."""
    return {"role": role, "content": [{"type": "text", "text": text}]}


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, without its images."""
    return "".join(block["text"] for block in message["content"] if block["type"] == "text")


def images_in(messages: Iterable[Mapping[str, Any]]) -> int:
    """The number of image blocks in messages."""
    return sum(block["type"] == "image" for message in messages for block in message["content"])
