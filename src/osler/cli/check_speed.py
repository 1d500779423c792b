"""`osler check` for an endpoint's speed: the tokens that it reads and writes in a second.

Three requests that differ in one thing each from the first: a short prompt answered with one token, a long
prompt, and a long answer. What they take more is the time for what they have more, so that the way to the
endpoint and back counts for nothing.
"""

from __future__ import annotations

import secrets
from typing import Final, NamedTuple

from osler.cli.check_result import Check
from osler.models.client import EndpointClient
from osler.models.faults import EndpointFault, ModelAnswerError
from osler.models.types import CompletionRequest, Message, Sampling, Usage

_READ: Final = 60
"""Times that the sentence is repeated: some 500 tokens."""
_WRITTEN: Final = 64
_LEAST_S: Final = 0.05
"""A shorter difference is the network's rather than the model's."""
_SHORT: Final = "Say yes."
_LONG: Final = "Say yes, whatever else is written here."
_TELL: Final = "Write the numbers from one to a hundred as words, with commas between them."


class _Took(NamedTuple):
    seconds: float
    read: int
    written: int


async def speed(client: EndpointClient) -> Check:
    """The check of one endpoint's speed; it is never wrong to be slow."""
    name = f"endpoint {client.endpoint.name}: speed"
    try:
        base = await _timed(client, _SHORT, 1)
        reading = await _timed(client, " ".join([_LONG] * _READ), 1)
        writing = await _timed(client, _TELL, _WRITTEN)
    except (EndpointFault, ModelAnswerError) as error:
        return Check(name=name, ok=True, what=f"could not be measured: {error}")
    if base is None or reading is None or writing is None:
        return Check(name=name, ok=True, what="is unknown: it does not say how many tokens it used")
    reads = _rate(reading.read - base.read, reading.seconds - base.seconds)
    writes = _rate(writing.written - base.written, writing.seconds - base.seconds)
    return Check(name=name, ok=True, what=f"reads {reads} and writes {writes} tokens a second")


async def _timed(client: EndpointClient, words: str, tokens: int) -> _Took | None:
    """The time and the tokens of an answer, `None` without their number. The message begins with a word of
    its own, so that no cache has it."""
    request = CompletionRequest(
        messages=(Message(role="user", text=f"{secrets.token_hex(4)}. {words}"),),
        sampling=Sampling(max_tokens=tokens),
        seat="check",
        once=True,
    )
    try:
        answer = await client.complete(request)
        usage, seconds = answer.usage, answer.latency_s
    except ModelAnswerError as error:  # cut at its limit, as it is to be
        if not error.attempts:
            raise
        usage, seconds = error.attempts[-1].usage, error.attempts[-1].latency_s
    return _took(usage, seconds)


def _took(usage: Usage, seconds: float) -> _Took | None:
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return _Took(seconds, usage.prompt_tokens - (usage.cached_tokens or 0), usage.completion_tokens)


def _rate(tokens: int, seconds: float) -> str:
    if tokens <= 0:
        return "an unknown number of"
    if seconds < _LEAST_S:
        return f"more than {tokens / _LEAST_S:,.0f}"
    return f"{tokens / seconds:,.0f}" if tokens >= 10 * seconds else f"{tokens / seconds:.1f}"
