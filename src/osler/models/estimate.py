"""A rough count of tokens, for budgets and for `--dry-run`; what was really used is counted afterwards.

The rule: UTF-8 bytes / 4, rounded up (English runs at 4 to 4.5 characters a token; other scripts take more
bytes and more tokens a character), 4 for the frame of each message, 1,000 for each image whatever its size,
and the answer as long as `max_tokens` allows, else 400. Meant for English prose; too low for code and for
tables of numbers.
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
    """Tokens sent and answered."""

    prompt: int
    completion: int

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.prompt + self.completion


def text_tokens(text: str) -> int:
    """Tokens of a text, by the rule."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)


def prompt_tokens(messages: Iterable[Message]) -> int:
    """Tokens of a prompt, by the rule."""
    total = 0
    for message in messages:
        total += MESSAGE_TOKENS + text_tokens(message.text)
        if message.images:
            total += IMAGE_TOKENS * len(message.images)
    return total


def estimate(request: CompletionRequest, added: Iterable[Message] = ()) -> Estimate:
    """What a request may use; `added` are messages appended to it."""
    prompt = prompt_tokens(request.messages) + prompt_tokens(added)
    return Estimate(prompt, request.sampling.max_tokens or ANSWER_TOKENS)


def conversation(calls: int, first: int, growth: int, answer: int = ANSWER_TOKENS) -> Estimate:
    """What a seat uses in an episode: `calls` prompts, the first of `first` tokens, each longer by `growth`
    than the one before, each answered by `answer` tokens."""
    return Estimate(calls * first + growth * calls * (calls - 1) // 2, calls * answer)


def cost_of(usage: Usage | Estimate, endpoint: Endpoint) -> float | None:
    """What usage costs at an endpoint's prices; `None` if the prices or the tokens are unknown. Tokens not
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
