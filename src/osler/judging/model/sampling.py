"""Sampling from a model judge: one prompt asked k times, each sample a complete verdict set or a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from osler.judging.model.cost import Cost
from osler.judging.model.verdicts import Verdict, answer_json, complete_set, output_of
from osler.models.faults import Kind, ModelAnswerError
from osler.models.types import (
    Attempt,
    Completion,
    CompletionRequest,
    Message,
    ModelClient,
    Sampling,
)

INCOMPLETE: Final = "judge_incomplete"
_NO_SET: Final = frozenset({Kind.UNPARSABLE, Kind.INVALID, Kind.LENGTH})


class Sample(NamedTuple):
    """One answer: `verdicts` by id, or `None` and the reason. `model` is the name the endpoint returned."""

    verdicts: dict[str, Verdict] | None
    reason: str
    cost: Cost
    model: str | None = None


class Prompt(NamedTuple):
    """A prompt to a judge: the messages, the number of items (ids i1, i2 ...) and the highest verdict.
    `unproven` lists the verdicts whose quotes cannot be found, `mending` builds the message that says so."""

    messages: tuple[Message, ...]
    items: int
    top: int
    unproven: Callable[[dict[str, Verdict]], list[str]]
    mending: Callable[[Sequence[str]], Message]


async def ask(client: ModelClient, prompt: Prompt, repeats: int, sampling: Sampling) -> list[Sample]:
    """Draw `repeats` samples, one after the other. Faults that are not the model's own are raised."""
    return [await _sample(client, prompt, number, sampling) for number in range(repeats)]


def ids_of(count: int) -> tuple[str, ...]:
    """The ids of `count` items: i1, i2 ..."""
    return tuple(f"i{n}" for n in range(1, count + 1))


async def _sample(client: ModelClient, prompt: Prompt, number: int, sampling: Sampling) -> Sample:
    request = CompletionRequest(
        messages=prompt.messages,
        sampling=sampling,
        seed=number,
        output=output_of(prompt.items, prompt.top),
        sample=number,
        seat="judge",
    )
    check = complete_set(ids_of(prompt.items), prompt.top)
    try:
        answer = await client.complete(request, validate=check)
    except ModelAnswerError as error:
        reason = INCOMPLETE if error.kind in _NO_SET else f"judge_{error.kind}"
        return Sample(None, reason, cost_of(error.attempts))
    first = Sample(answer.parsed, "", _spent(answer), answer.model)
    return await _mended(client, prompt, request, first)


async def _mended(client: ModelClient, prompt: Prompt, request: CompletionRequest, first: Sample) -> Sample:
    """Ask once more about items whose quotes were not found; only those are taken from the second answer."""
    given = first.verdicts or {}
    ids = prompt.unproven(given)
    if not ids:
        return first
    said = Message(role="assistant", text=answer_json(given.values()))
    again = request.model_copy(update={"messages": (*request.messages, said, prompt.mending(ids))})
    try:
        answer = await client.complete(again, validate=complete_set(ids_of(prompt.items), prompt.top))
    except ModelAnswerError as error:
        return first._replace(cost=first.cost.plus(cost_of(error.attempts)))
    second: dict[str, Verdict] = answer.parsed or {}
    mended = {key: second[key] for key in ids if key in second}
    return first._replace(verdicts=given | mended, cost=first.cost.plus(_spent(answer)))


def _spent(answer: Completion) -> Cost:
    return Cost() if answer.from_cache else cost_of(answer.attempts)


def cost_of(attempts: tuple[Attempt, ...]) -> Cost:
    """The total cost of requests."""
    return Cost(
        len(attempts),
        sum(attempt.usage.prompt_tokens or 0 for attempt in attempts),
        sum(attempt.usage.completion_tokens or 0 for attempt in attempts),
    )
