"""Answers of a policy under training: the words of its base as tokens, and whole encounters as roll-outs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

from osler.core.factory import Factory
from osler.errors import BadInput
from osler.runs.seating import ModelOptions, open_cast
from osler.training.backend.chats import Chats
from osler.training.batcher import Answer, Generate
from osler.training.policy import Chat
from osler.training.task import TrainedSeat
from osler.training.world import Played, World, others, play_all


class Words(Chats):
    """The words of a base as tokens, for a policy."""

    def asked(self, chat: Chat) -> list[int]:
        """The tokens of a prompt, up to where the model is to speak."""
        return self.plain(self.text(chat, ask=True))

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


class Rounds(NamedTuple):
    """The worlds of a training, by their place, and how their other players are opened."""

    worlds: Sequence[World]
    seat: TrainedSeat
    options: ModelOptions = ModelOptions()

    def play(
        self, places: Sequence[int], words: Words, generate: Generate, room: int
    ) -> tuple[list[Played], list[int]]:
        """Play worlds at the same time; with the sizes of the batches that were generated."""
        return asyncio.run(self._play(places, words, generate, room))

    async def _play(
        self, places: Sequence[int], words: Words, generate: Generate, room: int
    ) -> tuple[list[Played], list[int]]:
        wanted = [self.worlds[place] for place in places]
        async with AsyncExitStack() as stack:
            more = dict[int, Mapping[str, Factory]]()
            for world in wanted:
                if world.run.id not in more:
                    cast = open_cast(others(world.config, self.seat), self.options)
                    if cast.around is not None:
                        await stack.enter_async_context(cast.around)
                    more[world.run.id] = cast.more
            return await play_all(wanted, words, generate, room, lambda world: more[world.run.id])


def engine(trainer: Any) -> Generate:
    """The trainer's own generation, with the weights of now: by transformers, or by vLLM where it is used."""

    def generate(prompts: list[list[int]]) -> list[Answer]:
        ids, logprobs = trainer._generate_single_turn(prompts, None, {}, 1)
        each: Sequence[Any] = logprobs if logprobs is not None else [None] * len(ids)
        return [
            Answer(list(map(int, some)), known and list(known)) for some, known in zip(ids, each, strict=True)
        ]

    return generate


def rollout(
    rounds: Rounds, words: Words, room: int, taken: Callable[[list[Played]], None]
) -> Callable[[list[Any], Any], dict[str, Any]]:
    """The `rollout_func` of whole encounters. A prompt names a world by its place; `taken` is handed what was
    played, in the order of the prompts."""

    def play(prompts: list[Any], trainer: Any) -> dict[str, Any]:
        places = [int(prompt[0]["content"]) for prompt in prompts]
        played, _ = rounds.play(places, words, engine(trainer), room)
        taken(played)
        spoken = [one.spoken for one in played]
        # Without a word of the policy there are no tokens: one that carries no loss stands in.
        stand_in = words.end
        return {
            "prompt_ids": [one.prompt or [stand_in] for one in spoken],
            "completion_ids": [one.ids or [stand_in] for one in spoken],
            "env_mask": [one.mask or [0] for one in spoken],
            "logprobs": [one.logprobs or [0.0] for one in spoken] if trainer.use_vllm else None,
            "attempt": list(range(len(played))),
        }

    return play
