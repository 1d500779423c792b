"""Batches of requests to one policy: encounters that are played at the same time are answered together.

An encounter that wants the policy's words waits; when every encounter under way waits, all are answered in
one batch, in the order of their places. So a batch does not depend on who came first, and is as large as it
can be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Answer(NamedTuple):
    """The tokens of an answer, its end included, with the log-probability of each where the engine that
    sampled it says so."""

    ids: list[int]
    logprobs: list[float] | None = None


class TokenPrompt(NamedTuple):
    """A prompt as tokens; one with pictures has them beside, and the text of its beginning, in which they
    are shown."""

    ids: list[int]
    beginning: str = ""
    pictures: tuple[bytes, ...] = ()


Generate = Callable[[list[TokenPrompt]], Sequence[Answer]]
"""Answers a batch of prompts, one answer each, in order."""


class Batcher:
    """Gathers the requests of `living` encounters. `sizes` are those of the batches so far."""

    def __init__(self, generate: Generate, living: int) -> None:
        self._generate, self._living = generate, living
        self._waiting: list[tuple[int, TokenPrompt, asyncio.Future[Answer]]] = []
        self.sizes: list[int] = []

    async def speak(self, place: int, asked: TokenPrompt) -> Answer:
        """The policy's answer to a prompt, for the encounter at a place. Raises what the engine raises."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((place, asked, future))
        self._go()
        return await future

    def left(self) -> None:
        """An encounter has ended, in whatever way: the others need not wait for it."""
        self._living -= 1
        self._go()

    def _go(self) -> None:
        if not self._waiting or len(self._waiting) < self._living:
            return
        batch, self._waiting = sorted(self._waiting, key=lambda one: one[0]), []
        self.sizes.append(len(batch))
        try:
            answers = list(self._generate([asked for _, asked, _ in batch]))
            if len(answers) != len(batch):
                raise ValueError(f"{len(answers)} answers to {len(batch)} prompts")
        except Exception as error:  # whatever the engine raises, nobody may be left waiting
            for _, _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, _, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)
