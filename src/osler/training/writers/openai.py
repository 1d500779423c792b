"""OpenAI's fine-tuning form: JSON lines of `messages`, which hosted trainers and TRL read.

A message with pictures is blocks of text and of data URLs, any other is its text. The last message is the
assistant's; an assistant's message that carries no loss has `weight` 0. There is no other weight there, so a
row whose turns count in part is refused.

Source: OpenAI, Fine-tuning API reference, chat format with `weight` and `image_url`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from osler.errors import BadInput
from osler.training.pictures import Album
from osler.training.samples import Sample
from osler.training.state import ImageRef, text_of
from osler.training.writers.form import Content, openai_file


def write(content: Content) -> None:
    """Write a file for each kind and split. Raises BadInput for a weight other than 0 and 1."""
    for kind, split in content.parts:
        path = content.folder / openai_file(kind, split)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for sample in content.rows(kind, split):
                row = {"messages": messages_of(sample, content.album)}
                file.write(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n")


def messages_of(sample: Sample, album: Album) -> list[dict[str, Any]]:
    """The conversation of a row, each picture where it was shown. Raises BadInput for a weight between."""
    weights = _weights(sample)
    images = iter(sample.images)
    messages = []
    for at, message in enumerate(sample.chat):
        whole: dict[str, Any] = {"role": message["role"], "content": _content(message, images, album)}
        if message["role"] == "assistant" and not weights.get(at):
            whole["weight"] = 0
        messages.append(whole)
    return messages


def _weights(sample: Sample) -> dict[int, float]:
    if sample.kind != "multi":
        return {len(sample.messages): 1.0}
    result = dict(zip(sample.target_spans, sample.weights, strict=True))
    if part := next((weight for weight in result.values() if weight not in (0, 1)), None):
        raise BadInput(
            f"a turn that counts {part:g} cannot be written: OpenAI's form knows 0 and 1",
            where="--format openai",
            hint="--weights published, or --prefixes none",
        )
    return result


def _content(message: Mapping[str, Any], images: Iterator[ImageRef], album: Album) -> Any:
    refs = [next(images) for block in message["content"] if block["type"] == "image"]
    if not refs:
        return text_of(message)
    return [{"type": "text", "text": text_of(message)}, *(_picture(one, album) for one in refs)]


def _picture(image: ImageRef, album: Album) -> dict[str, Any]:
    data = base64.b64encode(album.bytes_of(image)).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}}
