"""`osler check` for an endpoint's speed: the tokens that it reads and writes in a second.

Three requests that differ in one thing each from the first: a short prompt answered with one token, a long
prompt, and a long answer. What they take more is the time for what they have more, so that the way to the
endpoint and back counts for nothing.
"""

from __future__ import annotations

import secrets
from typing import Final

from osler.cli.check_result import Check
from osler.models.client import EndpointClient
from osler.models.faults import EndpointFault, ModelAnswerError
from osler.models.types import CompletionRequest, Message, ModelClient, Sampling, Usage

_READ: Final = 60
"""Times that the sentence is repeated: some 500 tokens."""
_WRITTEN: Final = 64
_LEAST_S: Final = 0.05
"""A shorter difference is the network's rather than the model's."""
_SHORT: Final = "Say yes."
_LONG: Final = "Say yes, whatever else is written here."
_TELL: Final = "Write the numbers from one to a hundred as words, with commas between them."


async def speed(client: EndpointClient) -> Check:
    """The check of one endpoint's speed; it is never wrong to be slow."""
    name = f"endpoint {client.endpoint.name}: speed"
    counts: list[tuple[float, int, int]] = []
    try:
        for words, most in ((_SHORT, 1), (" ".join([_LONG] * _READ), 1), (_TELL, _WRITTEN)):
            # It begins with a word of its own, so that no cache has it.
            message = Message(role="user", text=f"{secrets.token_hex(4)}. {words}")
            seconds, _, used = await timed(client, (message,), most)
            if used.prompt_tokens is None or used.completion_tokens is None:
                return Check(name=name, ok=True, what="is unknown: it does not say how many tokens it used")
            counts.append((seconds, used.prompt_tokens - (used.cached_tokens or 0), used.completion_tokens))
    except (EndpointFault, ModelAnswerError) as error:
        return Check(name=name, ok=True, what=f"could not be measured: {error}")
    base, reading, writing = counts
    reads = _rate(reading[1] - base[1], reading[0] - base[0])
    writes = _rate(writing[2] - base[2], writing[0] - base[0])
    return Check(name=name, ok=True, what=f"reads {reads} and writes {writes} tokens a second")


async def timed(client: ModelClient, messages: tuple[Message, ...], tokens: int) -> tuple[float, str, Usage]:
    """The seconds of an answer of so many tokens, its text and its usage. Raises EndpointFault, and
    ModelAnswerError if nothing was answered."""
    request = CompletionRequest(
        messages=messages, sampling=Sampling(max_tokens=tokens), seat="check", once=True
    )
    try:
        answer = await client.complete(request)
    except ModelAnswerError as error:  # cut at its limit, as it is to be
        if not error.attempts:
            raise
        last = error.attempts[-1]
        return last.latency_s, last.text, last.usage
    return answer.latency_s, answer.text, answer.usage


def _rate(tokens: int, seconds: float) -> str:
    if tokens <= 0:
        return "an unknown number of"
    if seconds < _LEAST_S:
        return f"more than {tokens / _LEAST_S:,.0f}"
    return f"{tokens / seconds:,.0f}" if tokens >= 10 * seconds else f"{tokens / seconds:.1f}"
