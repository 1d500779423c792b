"""A model's one real turn before a room opens, and what a sitting with it may cost.

The price is an estimate: a learner asks some 50 questions, and each prompt holds what was said before.
"""

from __future__ import annotations

import asyncio
from typing import Final

from pydantic_core import from_json

from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.models.budget import cost_of
from osler.models.client import EndpointClient
from osler.models.config import Endpoint
from osler.models.faults import EndpointFault, ModelAnswerError, Retry
from osler.models.manners import Manners
from osler.models.types import Completion, Usage
from osler.runs.real_turns import JUDGE, Took, Turn, played, remedy, shown, take
from osler.runs.seating import ModelOptions
from osler.web.teach.schemas import Trial, TryModel

QUESTIONS: Final = 50
"""The questions of a history in an examination of clinical skills: 40 to 60."""
QUESTION_TOKENS: Final = 25
LONGEST_S: Final = 60.0
_MANNERS: Final = Manners(retry=Retry(tries=2, base_s=0.2, longest_wait_s=5.0), max_repairs=0)


def tried(model: TryModel, options: ModelOptions) -> Trial:
    """Let a model take one real turn. Call in a thread.

    Raises BadInput for a model that osler.toml does not name, a key that is not set, or a seat that no model
    can take.
    """
    protocol = protocol_named(model.protocol)
    requests = played(protocol.name).requests
    asked = model.seat == JUDGE or model.seat in requests
    if not asked or not (
        protocol.model_judge if model.seat == JUDGE else protocol.role(model.seat).takes_models
    ):
        raise BadInput(f"no model can sit as {model.seat[:40]!r}", where=protocol.many)
    endpoint = options.endpoints().endpoint(model.model.removeprefix("model:"))
    quick = endpoint.model_copy(update={"timeout_s": min(endpoint.timeout_s, LONGEST_S)})
    return asyncio.run(_tried(model, Turn(model.seat, protocol), quick))


async def _tried(model: TryModel, turn: Turn, endpoint: Endpoint) -> Trial:
    key = endpoint.key()
    hidden = endpoint.access().hidden(key)
    async with EndpointClient(endpoint, key, manners=_MANNERS) as client:
        try:
            took = await take(turn, client, endpoint)
        except EndpointFault as error:
            return _failed(model, endpoint, error.what, error.hint)
    if isinstance(took.heard, ModelAnswerError):
        mend = remedy(took.heard, endpoint, took.rung, took.text)
        return _failed(model, endpoint, str(took.heard), mend, shown(took.text, hidden))
    if took.heard is None:
        return _failed(model, endpoint, "was not asked anything", "report this as a fault of Osler")
    return _answered(model, endpoint, took, took.heard, shown(_words(took.heard), hidden))


def _failed(model: TryModel, endpoint: Endpoint, what: str, mend: str, said: str = "") -> Trial:
    return Trial(
        model=model.model,
        seat=model.seat,
        ok=False,
        said=said,
        what=what,
        mend=mend,
        host=endpoint.host,
        seconds=None,
        prompt_tokens=None,
        completion_tokens=None,
        sitting_tokens=None,
        sitting_price=None,
        basis="",
    )


def _answered(model: TryModel, endpoint: Endpoint, took: Took, answer: Completion, said: str) -> Trial:
    usage = _of_a_sitting(answer.usage, 1 if model.seat == JUDGE else QUESTIONS)
    price = cost_of(usage, endpoint) if usage else None
    times = "for one judgement" if model.seat == JUDGE else f"for {QUESTIONS} questions"
    basis = f"an estimate {times}, from the tokens of this one turn; prices are those of osler.toml"
    if usage is None:
        basis = "not known: the endpoint does not say how many tokens it used"
    elif price is None:
        basis = f"an estimate {times}, in tokens: osler.toml gives no prices"
    refused = f"a sitting would ask again: {took.refused}" if took.refused else ""
    return Trial(
        model=model.model,
        seat=model.seat,
        ok=True,
        said=said,
        what=refused,
        mend="",
        host=endpoint.host,
        seconds=round(answer.latency_s, 2),
        prompt_tokens=answer.usage.prompt_tokens,
        completion_tokens=answer.usage.completion_tokens,
        sitting_tokens=None if usage is None else (usage.prompt_tokens or 0) + (usage.completion_tokens or 0),
        sitting_price=None if price is None else round(price, 4),
        basis=basis,
    )


def _words(answer: Completion) -> str:
    """The words of an answer: the longest text in it, where it is an object."""
    try:
        parsed = from_json(answer.text)
    except ValueError:
        return answer.text
    texts = [one for one in parsed.values() if isinstance(one, str)] if isinstance(parsed, dict) else []
    return max(texts, key=len, default=answer.text)


def _of_a_sitting(turn: Usage, questions: int) -> Usage | None:
    """The tokens of so many turns of which each prompt holds what was said in those before it."""
    if turn.prompt_tokens is None or turn.completion_tokens is None:
        return None
    longer = turn.completion_tokens + QUESTION_TOKENS
    prompts = questions * turn.prompt_tokens + longer * questions * (questions - 1) // 2
    return Usage(prompt_tokens=prompts, completion_tokens=questions * turn.completion_tokens)
