"""Token estimates, for budgets and `--dry-run`; the actual usage is counted afterwards.

The rule: UTF-8 bytes / 4, rounded up (English has 4 to 4.5 characters per token; other scripts take more
bytes and more tokens per character), 4 for the overhead of each message, 1,000 for each image whatever its
size, and `max_tokens` for the answer, else 400. Meant for English prose; too low for code and for tables of
numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from osler.models.config import Endpoint
from osler.models.types import CompletionRequest, Message, Usage

BYTES_PER_TOKEN: Final = 4
MESSAGE_TOKENS: Final = 4
IMAGE_TOKENS: Final = 1000
ANSWER_TOKENS: Final = 400
_MILLION: Final = 1_000_000


class Estimate(NamedTuple):
    """The estimated tokens of a prompt and its completion."""

    prompt: int
    completion: int

    @property
    def tokens(self) -> int:
        """The sum of both."""
        return self.prompt + self.completion


def text_tokens(text: str) -> int:
    """The estimated tokens of a text."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)


def prompt_tokens(messages: Iterable[Message]) -> int:
    """The estimated tokens of a prompt."""
    total = 0
    for message in messages:
        total += MESSAGE_TOKENS + text_tokens(message.text)
        if message.images:
            total += IMAGE_TOKENS * len(message.images)
    return total


def estimate(request: CompletionRequest, added: Iterable[Message] = ()) -> Estimate:
    """The estimated usage of a request; `added` are messages appended to it."""
    prompt = prompt_tokens(request.messages) + prompt_tokens(added)
    return Estimate(prompt, request.sampling.max_tokens or ANSWER_TOKENS)


def conversation(calls: int, first: int, growth: int, answer: int = ANSWER_TOKENS) -> Estimate:
    """The estimated usage of a seat in an episode: `calls` prompts, the first of `first` tokens, each longer
    by `growth` than the one before, each answered by `answer` tokens."""
    return Estimate(calls * first + growth * calls * (calls - 1) // 2, calls * answer)


def cost_of(usage: Usage | Estimate, endpoint: Endpoint) -> float | None:
    """The cost of usage at an endpoint's prices; `None` if the prices or the tokens are unknown. Tokens not
    known to be cached are charged in full."""
    if endpoint.price_in is None or endpoint.price_out is None:
        return None
    if isinstance(usage, Estimate):
        prompt, completion, cached = usage.prompt, usage.completion, 0
    elif usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    else:
        prompt, completion = usage.prompt_tokens, usage.completion_tokens
        cached = min(usage.cached_tokens or 0, prompt)
    price_cached = endpoint.price_in if endpoint.price_cached is None else endpoint.price_cached
    fresh = prompt - cached
    return (fresh * endpoint.price_in + cached * price_cached + completion * endpoint.price_out) / _MILLION
