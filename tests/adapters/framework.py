"""Another framework, as Osler meets one: the vendor's own client, with what it raises left as it is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import openai

from osler.adapters import Conversation, Generated, World
from osler.adapters.borrowed import Generate
from osler.adapters.conversation import OpenPrompt
from osler.core.config import Config
from osler.models.types import CompletionRequest, Message, Rung, Usage
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.runs.played import EndedEpisode

PROTOCOLS: dict[str, Config] = {
    "consultation": RunConfig(cases="library", limit=2),
    "scenario": ScenarioConfig(cases="library", limit=2),
    "ward_round": RoundConfig(cases="library", limit=2),
}


@asynccontextmanager
async def framework(base_url: str) -> AsyncIterator[Generate]:
    """The `generate` of a framework whose model is served at an address."""
    async with openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:

        async def generate(messages: Sequence[Message], request: CompletionRequest, rung: Rung) -> Generated:
            more: dict[str, Any] = {}
            if rung == "json_schema" and request.output:
                wanted = {"name": request.output.name, "schema": request.output.json_schema}
                more["response_format"] = {"type": "json_schema", "json_schema": wanted}
            sent: Any = [{"role": one.role, "content": one.text} for one in messages]
            said = await client.chat.completions.create(
                model="fake", messages=sent, seed=request.seed, **more
            )
            choice, used = said.choices[0], said.usage
            usage = (
                Usage(prompt_tokens=used.prompt_tokens, completion_tokens=used.completion_tokens)
                if used
                else Usage()
            )
            return Generated(choice.message.content or "", choice.finish_reason, usage, said.model)

        yield generate


def saying(answer: Callable[[int, Sequence[Message]], str]) -> Generate:
    """A framework whose model answers by rule: from the number of its own earlier answers, and the prompt."""

    async def generate(messages: Sequence[Message], request: CompletionRequest, rung: Rung) -> Generated:
        return Generated(answer(sum(one.role == "assistant" for one in messages), messages), "stop")

    return generate


async def talked(world: World, row: int, answer: Callable[[int, Sequence[Message]], str]) -> EndedEpisode:
    """Play a row as a conversation, with answers by the same kind of rule."""
    async with Conversation(world, row) as talk:
        now = await talk.next()
        while isinstance(now, OpenPrompt):
            said = answer(sum(one.role == "assistant" for one in now.messages), now.messages)
            now = await talk.step(said, now.ticket)
        return now
