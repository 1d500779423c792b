"""How fast an endpoint reads and writes, by two requests with the same prompt: one token, then some more."""

from __future__ import annotations

from typing import Final

from osler.errors import InfrastructureFault
from osler.models.budget import prompt_tokens, text_tokens
from osler.models.faults import ModelAnswerError
from osler.models.types import Attempt, CompletionRequest, Message, ModelClient, Sampling, Usage
from osler.runs.trial_plan import Speed

WRITTEN: Final = 32
_SHORTEST_S: Final = 1e-3


async def speed_of(client: ModelClient, messages: tuple[Message, ...]) -> Speed | None:
    """The speed of an endpoint, in estimated tokens of the prompt and counted ones of the answer; `None` if
    it does not answer such requests.

    What it takes to answer at all counts as reading, so the speed of a far endpoint is that of its network.
    """
    try:
        first, _, _ = await _timed(client, messages, 1)
        second, text, usage = await _timed(client, messages, WRITTEN)
    except InfrastructureFault:
        return None
    tokens = prompt_tokens(messages)
    keeps = second < first or 2 * (usage.cached_tokens or 0) > (usage.prompt_tokens or tokens)
    written = usage.completion_tokens or text_tokens(text) or 1
    writing_s = second if keeps else second - first
    return Speed(tokens / max(first, _SHORTEST_S), written / max(writing_s, _SHORTEST_S), keeps)


async def _timed(client: ModelClient, messages: tuple[Message, ...], tokens: int) -> tuple[float, str, Usage]:
    """The seconds of an answer of so many tokens, its text and its usage."""
    asked = CompletionRequest(
        messages=messages, sampling=Sampling(max_tokens=tokens), seat="check", once=True
    )
    try:
        found = await client.complete(asked)
    except ModelAnswerError as error:
        last = error.attempts[-1] if error.attempts else Attempt(str(error.kind))
        return last.latency_s, last.text, last.usage
    return found.latency_s, found.text, found.usage
