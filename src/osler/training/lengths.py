"""Lengths of rows in tokens, by a tokenizer if one is given, and rows without their earliest rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import JsonValue

from osler.training.backend.tokens import counter_of
from osler.training.samples import Sample
from osler.training.state import images_in, text_of

ESTIMATE: Final = "characters/4"
A_MESSAGE: Final = 5
"""The tokens that a chat template adds to a message."""
PIXELS: Final = 262_144
"""The most pixels of an image that are looked at, as in the published training."""
A_PATCH: Final = 28 * 28


class Ruler(NamedTuple):
    """Counts the tokens of a text; `name` says by what."""

    name: str
    count: Callable[[str], int]

    def row(self, sample: Sample, sizes: Mapping[str, tuple[int, int]]) -> dict[str, int]:
        """The tokens of a row's prompt and target; `sizes` are width and height of images by hash."""
        spans = set(sample.target_spans)
        if sample.kind == "multi":
            target = sum(self._message(sample.messages[at]) for at in spans)
        else:
            target = self.count(sample.target) + A_MESSAGE
        prompt = sum(self._message(one) for at, one in enumerate(sample.messages) if at not in spans)
        prompt += sum(_image(sizes.get(image.sha256)) for image in sample.images)
        return {"prompt": prompt, "target": target}

    def _message(self, message: Mapping[str, Any]) -> int:
        return self.count(text_of(message)) + A_MESSAGE


def _image(size: tuple[int, int] | None) -> int:
    width, height = size or (512, 512)
    return ceil(min(width * height, PIXELS) / A_PATCH) + 2


def ruler(path: Path | None = None) -> Ruler:
    """A ruler by a tokenizer's file (`tokenizer.json`, or the folder it lies in), else by an estimate.

    Raises BadInput for a file that is none.
    """
    if path is None:
        return Ruler(ESTIMATE, lambda text: ceil(len(text) / 4))
    return Ruler(path.name, counter_of(path))


def fitted(sample: Sample, ruler: Ruler, sizes: Mapping[str, tuple[int, int]], most: int) -> Sample | None:
    """The row with its tokens, without its earliest rounds as far as it is too long; `None` if it still is.

    The instruction always stays, and so do the drafts of a revision, and the pictures: those of a round that
    is left out are shown with the first message that is left.
    """
    while True:
        tokens = ruler.row(sample, sizes)
        if sum(tokens.values()) <= most:
            return sample.model_copy(update={"tokens": tokens})
        shorter = _without_a_round(sample)
        if shorter is None:
            return None
        sample = shorter


def _without_a_round(sample: Sample) -> Sample | None:
    """The row without its earliest round; `None` if it holds only one."""
    messages = list(sample.messages)
    own = [at for at, one in enumerate(messages) if one["role"] == "assistant"]
    if sample.kind == "revision":
        own = [at for at in own if at < sample.drafts_at[0]]
    last = len(own) - (sample.kind == "multi")  # the last of a conversation is its target
    if last < 1 or own[0] + 1 >= len(messages):
        return None
    cut, rest = messages[1 : own[0] + 1], messages[own[0] + 1 :]
    if shown := images_in(cut):
        first = dict(rest[0])
        content = first["content"]
        assert isinstance(content, list)
        text = [block for block in content if isinstance(block, dict) and block["type"] == "text"]
        images = [block for block in content if isinstance(block, dict) and block["type"] != "text"]
        moved: list[dict[str, JsonValue]] = [{"type": "image"} for _ in range(shown)]
        first["content"] = [*text, *moved, *images]
        rest = [first, *rest[1:]]
    gone = len(cut)
    pairs = [(at - gone, weight) for at, weight in zip(sample.target_spans, sample.weights, strict=True)]
    pairs = [(at, weight) for at, weight in pairs if at > 0]
    return sample.model_copy(
        update={
            "messages": (messages[0], *rest),
            "target_spans": tuple(at for at, _ in pairs),
            "weights": tuple(weight for _, weight in pairs),
            "dropped": sample.dropped + 1,
        }
    )
