"""Answers of a policy under training: the words of its base as tokens, and whole encounters as roll-outs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final

from osler.core.factory import Factory
from osler.errors import BadInput
from osler.models.budget import Ledger
from osler.runs.seating import ModelOptions, open_cast
from osler.training.backend.chats import Chats, opened
from osler.training.backend.rows import text_of
from osler.training.batcher import Answer, Generate, TokenPrompt
from osler.training.policy import Chat
from osler.training.task import TrainedSeat
from osler.training.world import PlayedEncounter, World, others, play_all

NOBODY_ASKED: Final[Chat] = ({"role": "user", "content": [{"type": "text", "text": "-"}]},)
"""Stands for the prompt of an encounter in which the policy was never asked."""
_OF_TOKENS: Final = ("token_type_ids", "mm_token_type_ids")
"""The fields of a processor's output that have a value for each token."""


class Words(Chats):
    """The words of a base as tokens, for a policy."""

    def begun(self, chat: Chat) -> str:
        """The text of a prompt, up to where the model is to speak."""
        return self.text(chat, ask=True)

    def asked(self, chat: Chat, pictures: Sequence[bytes] = ()) -> list[int]:
        """The tokens of that text, with those that stand for its pictures."""
        text = self.begun(chat)
        return self._ids(text, pictures) if pictures and self.sees else self.plain(text)

    def since(self, chat: Chat) -> list[int]:
        """The tokens between the end of the last answer and where the model is to speak again.

        Raises BadInput where the template changes what was said before.
        """
        last = max(n for n, message in enumerate(chat) if message["role"] == "assistant")
        before, now = self.text(chat[: last + 1], ask=False), self.text(chat, ask=True)
        end = before.rfind(self.tokenizer.eos_token)
        if end < 0 or not now.startswith(before):
            raise BadInput(
                "the base's chat template does not keep what was said before as it was asked",
                where="--base",
                hint="take a base whose template TRL knows",
            )
        return self.plain(now[end + len(self.tokenizer.eos_token) :])

    def plain(self, text: str) -> list[int]:
        """The tokens of a rendered text."""
        return [int(one) for one in self.tokenizer(text, add_special_tokens=False)["input_ids"]]


@dataclass
class Rounds:
    """The worlds of a training, by their place, and how their other players are opened. `played` are the
    encounters of the batch that was played last; budgets count over the whole sitting."""

    at: Callable[[int], World]
    seat: TrainedSeat
    options: ModelOptions
    played: list[PlayedEncounter] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)

    def play(
        self, places: Sequence[int], words: Words, generate: Generate, room: int
    ) -> tuple[list[PlayedEncounter], list[int]]:
        """Play worlds at the same time; with the sizes of the batches that were generated."""
        return asyncio.run(self._play(places, words, generate, room))

    async def _play(
        self, places: Sequence[int], words: Words, generate: Generate, room: int
    ) -> tuple[list[PlayedEncounter], list[int]]:
        wanted = [self.at(place) for place in places]
        async with AsyncExitStack() as stack:
            more = dict[int, Mapping[str, Factory]]()
            for world in wanted:
                if world.run.id not in more:
                    cast = open_cast(others(world.config, self.seat), self.options, ledger=self.ledger)
                    if cast.around is not None:
                        await stack.enter_async_context(cast.around)
                    more[world.run.id] = cast.more
            return await play_all(wanted, words, generate, room, lambda world: more[world.run.id])


def engine(trainer: Any, words: Words) -> Generate:
    """The trainer's own generation, with the weights of now: by transformers, or by vLLM where it is used."""

    def generate(asked: list[TokenPrompt]) -> list[Answer]:
        pictures, fields = None, dict[str, Any]()
        if any(one.pictures for one in asked):
            pictures = [[opened(raw) for raw in one.pictures] for one in asked]
            if not trainer.use_vllm:
                fields = _fields(asked, words)
        ids, logprobs = trainer._generate_single_turn([one.ids for one in asked], pictures, fields, 1)
        each: Sequence[Any] = logprobs if logprobs is not None else [None] * len(ids)
        return [
            Answer(list(map(int, some)), known and list(known)) for some, known in zip(ids, each, strict=True)
        ]

    return generate


def _fields(asked: Sequence[TokenPrompt], words: Words) -> dict[str, Any]:
    """Return the model's inputs for the pictures of prompts, besides tokens, as TRL passes them: a field of
    each token as a list, 0 for all that came after the beginning."""
    result = words.tokens([one.beginning for one in asked], [one.pictures for one in asked], "right")
    lengths = result["attention_mask"].sum(1).tolist()
    fields = dict[str, Any]()
    for name, value in result.items():
        if name in _OF_TOKENS:
            fields[name] = [
                [*row[:length], *([0] * (len(one.ids) - length))]
                for row, length, one in zip(value.tolist(), lengths, asked, strict=True)
            ]
        elif name not in ("input_ids", "attention_mask"):
            fields[name] = value
    return fields


def rows_of(encounters: Sequence[PlayedEncounter], words: Words) -> list[dict[str, Any]]:
    """The rows of a data set that the trainer takes encounters for: their first prompts with the pictures."""
    rows = []
    for one in encounters:
        chat = one.spoken.chat or NOBODY_ASKED
        row: dict[str, Any] = {"prompt": [dict(message) for message in chat]}
        if words.sees:
            row["images"] = [opened(raw) for raw in one.spoken.pictures]
        else:
            row["prompt"] = [{"role": one["role"], "content": text_of(one)} for one in chat]
        rows.append(row)
    return rows


def tokens_of(encounters: Sequence[PlayedEncounter], words: Words, *, scored: bool) -> dict[str, Any]:
    """The tokens of encounters as a `rollout_func` returns them. Without a word of the policy there are none:
    one that carries no loss stands in."""
    spoken = [one.spoken for one in encounters]
    return {
        "prompt_ids": [one.prompt or words.asked(NOBODY_ASKED) for one in spoken],
        "completion_ids": [one.ids or [words.end] for one in spoken],
        "env_mask": [one.mask or [0] for one in spoken],
        "logprobs": [one.logprobs or [0.0] for one in spoken] if scored else None,
    }
