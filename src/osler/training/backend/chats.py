"""Chats as tokens and labels: what a base is trained on, and what it is asked with.

The label of a token is the token itself where it belongs to a target, its end-of-turn token included, and
-100 elsewhere. A target begins where the template would have the model begin to speak, so its tokens are
those that a served model is to say; that the whole chat begins with the tokens of that prompt is checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, Final, NamedTuple

from osler.errors import BadInput
from osler.training.backend.models import TEMPLATE, tokenizer_of
from osler.training.backend.rows import Row, text_of

NO_LABEL: Final = -100


class Span(NamedTuple):
    """The tokens from `start` to before `end` are a target, of this weight."""

    start: int
    end: int
    weight: float


class Chats:
    """Turns rows into tokens by a base's processor."""

    def __init__(self, processor: Any) -> None:
        self.processor, self.tokenizer = processor, tokenizer_of(processor)
        self.sees = self.tokenizer is not processor
        self.end = int(self.tokenizer.eos_token_id)
        self.control = tuple(one for one in self.tokenizer.all_special_tokens if one)

    def text(self, messages: Sequence[Mapping[str, Any]], *, ask: bool) -> str:
        """Messages by the template; with `ask`, up to where the model is to speak."""
        chat = messages if self.sees else [{"role": m["role"], "content": text_of(m)} for m in messages]
        return str(
            self.processor.apply_chat_template(
                list(chat), tokenize=False, add_generation_prompt=ask, **TEMPLATE
            )
        )

    def tokens(self, texts: Sequence[str], images: Sequence[Sequence[bytes]], side: str = "right") -> Any:
        """Rendered chats with their pictures as a padded batch."""
        given: dict[str, Any] = {"padding": True, "padding_side": side, "return_tensors": "pt"}
        if not self.sees:
            return self.tokenizer(list(texts), add_special_tokens=False, **given)
        pictures = [[opened(raw) for raw in each] for each in images]
        shown = pictures if any(pictures) else None
        return self.processor(text=list(texts), images=shown, add_special_tokens=False, **given)

    def prompts(
        self, chats: Sequence[Sequence[Mapping[str, Any]]], images: Sequence[Sequence[bytes]] = ()
    ) -> Any:
        """Prompts as a batch padded on the left, for generation."""
        texts = [self.text(one, ask=True) for one in chats]
        return self.tokens(texts, images or [()] * len(texts), "left")

    def row(self, row: Row) -> tuple[list[int], tuple[Span, ...]]:
        """The tokens of one row, without padding, and its targets.

        Raises BadInput where the template changes what was said before, or the base takes no pictures.
        """
        if row.images and not self.sees:
            raise BadInput(
                "has pictures, and the base takes none",
                where=f"row {row.id[:40]}",
                hint="take a vision-language base, or cases without pictures",
            )
        whole = self._ids(self.text(row.messages, ask=False), row.images)
        return whole, tuple(self._span(row, at, weight, whole) for at, weight in row.spans)

    def holds_control(self, messages: Sequence[Mapping[str, Any]]) -> bool:
        """Whether a text holds a control token, by which it would close a turn or open another."""
        return any(one in text_of(message) for message in messages for one in self.control)

    def _span(self, row: Row, at: int, weight: float, whole: list[int]) -> Span:
        before = row.messages[:at]
        seen = sum(block["type"] == "image" for one in before for block in one["content"])
        prompt = self._ids(self.text(before, ask=True), row.images[:seen])
        if whole[: len(prompt)] != prompt or self.end not in whole[len(prompt) :]:
            raise BadInput(
                "the base's chat template does not keep what was said before as it was asked",
                where=f"row {row.id[:40]}",
                hint="take a base whose template TRL knows, or give its tokenizer one that keeps it",
            )
        return Span(len(prompt), whole.index(self.end, len(prompt)) + 1, weight)

    def _ids(self, text: str, images: Sequence[bytes]) -> list[int]:
        batch = self.tokens([text], [images])
        return [int(one) for one in batch["input_ids"][0].tolist()]

    def batch(self, rows: Sequence[Row]) -> dict[str, Any]:
        """A batch with `labels`, and the weight of each label in `label_weights`."""
        import torch

        spans = [self.row(row)[1] for row in rows]
        texts = [self.text(row.messages, ask=False) for row in rows]
        batch = dict(self.tokens(texts, [row.images for row in rows]))
        labels = torch.full_like(batch["input_ids"], NO_LABEL)
        weights = torch.zeros(labels.shape, dtype=torch.float32)
        for n, each in enumerate(spans):
            for start, end, weight in each:
                labels[n, start:end] = batch["input_ids"][n, start:end]
                weights[n, start:end] = weight
        return {**batch, "labels": labels, "label_weights": weights}

    def learnt(self, batch: Mapping[str, Any]) -> list[list[str]]:
        """The texts that a batch teaches, decoded from its labels: for each row, run by run."""
        result = []
        for labels in batch["labels"].tolist():
            runs, now = list[str](), list[int]()
            for label in [*labels, NO_LABEL]:
                if label == NO_LABEL:
                    if now:
                        runs.append(self.tokenizer.decode(now, skip_special_tokens=False))
                    now = []
                else:
                    now.append(label)
            result.append(runs)
        return result

    def said(self, ids: Sequence[int]) -> str:
        """An answer as text, up to its end."""
        kept = ids[: ids.index(self.end)] if self.end in ids else ids
        return str(self.tokenizer.decode(kept, skip_special_tokens=True))


def opened(raw: bytes) -> Any:
    """A picture from its bytes. Raises BadInput."""
    from PIL import Image

    try:
        return Image.open(BytesIO(raw)).convert("RGB")
    except Exception as error:  # whatever a decoder raises over a damaged file
        raise BadInput(f"a picture cannot be read: {str(error)[:100]}") from None
