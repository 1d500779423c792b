"""The cost forecast of a run with models: built-in players play its first cases, and tokens are counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any, NamedTuple

from pydantic import BaseModel

from osler.core.config import Config
from osler.core.contract import Player, ReplyWithUsage, Request
from osler.core.deliberation import typical_opinion
from osler.core.events import json_of
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.errors import BadInput
from osler.models.budget import Estimate, cost_of, prompt_tokens, text_tokens
from osler.models.config import Config as ModelsConfig
from osler.models.types import Completion, CompletionRequest, Message, Validate
from osler.players.casting import casting_of, casting_type
from osler.players.seating import model_player
from osler.runs.batch import chosen

WEIGHED = 10
STAND_IN = "weighed"
READER = "grounding"
NOTHING_WRONG = '{"unsupported": []}'


@dataclass(slots=True)
class Scale:
    """The estimated load of one seat on its model: calls, prompt tokens (`fresh`: those after what the call
    before began with) and completion tokens."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0
    fresh: int = 0
    before: tuple[Message, ...] = ()

    def add(self, messages: Iterable[Message], answer: str) -> None:
        """Add one call."""
        asked = tuple(messages)
        same = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(asked, self.before, strict=False))
        )
        self.before = asked
        self.calls += 1
        self.prompt += prompt_tokens(asked)
        self.fresh += prompt_tokens(asked[same:])
        self.completion += text_tokens(answer)


class ShownMessages(Exception):
    """The exception that carries the messages a model would have been sent."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        super().__init__()
        self.messages = messages


class NoModel:
    """A stub for both the client and the models of a run, which raises each request as `ShownMessages`."""

    def __init__(self, endpoints: ModelsConfig) -> None:
        self.endpoint = endpoints.endpoint

    def client(self, name: str) -> NoModel:
        """Return the stub as the client of any model."""
        return self

    def has_eyes(self, name: str) -> bool:
        """Return False: no model is shown pictures, as their token count is unknown."""
        return False

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Raise the request as `ShownMessages`."""
        raise ShownMessages(request.messages)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Raise NotImplementedError: no memory is searched in a dry run."""
        raise NotImplementedError


Reads = Callable[[BaseModel, Request[Any]], tuple[Message, ...]]
"""The messages that a second reader is sent about a reply."""


class Weighing:
    """A built-in player in a model's place: the tokens that `model` would be sent and would answer are added
    to `scale`, those of a second reader to `reader`."""

    durable = False

    def __init__(
        self, inner: Player, model: Player, scale: Scale, reads: Reads | None, reader: Scale | None = None
    ) -> None:
        self._inner, self._model, self._scale = inner, model, scale
        self._reads, self._reader = reads, reader
        self.name = inner.name

    async def reply(self, request: Request[Any], /) -> BaseModel | ReplyWithUsage:
        """Return the inner player's reply; built-in players give no opinions, so a typical one stands in."""
        opinion = typical_opinion(request)
        reply = await self._inner.reply(request) if opinion is None else opinion
        said = reply.reply if isinstance(reply, ReplyWithUsage) else reply
        try:
            await self._model.reply(request)
        except ShownMessages as shown:
            self._scale.add(shown.messages, json_of(said))
        if self._reader is not None and self._reads and (messages := self._reads(said, request)):
            self._reader.add(messages, NOTHING_WRONG)
        return reply


class Forecast(NamedTuple):
    """The estimate for one seat. `cost` is `None` without prices; `fresh_tokens` are those of the prompts
    that an endpoint reads which still knows the seat's prompt before."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    fresh_tokens: int = 0


def together(parts: Iterable[Forecast]) -> Forecast:
    """Return the sum of forecasts; its cost is unknown where one of theirs is.

    >>> together([Forecast(2, 900, 80, 0.5), Forecast(1, 400, 40, None)])
    Forecast(calls=3, prompt_tokens=1300, completion_tokens=120, cost=None, fresh_tokens=0)
    """
    summands = list(parts)
    costs = [one.cost for one in summands]
    return Forecast(
        sum(one.calls for one in summands),
        sum(one.prompt_tokens for one in summands),
        sum(one.completion_tokens for one in summands),
        None if None in costs else sum(cost or 0.0 for cost in costs),
        sum(one.fresh_tokens for one in summands),
    )


def forecast(config: Config, endpoints: ModelsConfig) -> tuple[int, dict[str, Forecast]]:
    """Return the number of episodes of a run and the forecast for each seat with a model, with the second
    reader as `grounding`. Calls no model.

    Raises BadInput if no built-in player can stand in for a model.
    """
    names = {seat: name.models[0] for seat, name in config.names().items() if name.models}
    source = config.opened()
    episodes = config.repeats * sum(1 for _ in chosen(source, config))
    scales = {seat: Scale() for seat in names}
    reader = next((one for one in casting_type(config).unseated(config) if one.reads), None)
    if reader is not None:
        scales[READER], names[READER] = Scale(), reader.model

    seating = Seating(config, NoModel(endpoints))

    def weighing(request: PlayerRequest) -> Player:
        role = config.plays.role(request.seat)
        built_in = role.players.get(role.default)
        if built_in is None:
            raise BadInput(f"no built-in player can stand in for the {request.seat}", where="--dry-run")
        player: Any = built_in(request)
        player_request = request._replace(argument=names[request.seat].removeprefix("model:"))
        model: Any = model_player(player_request, seating)
        reads = reader and reader.reads
        return Weighing(player, model, scales[request.seat], reads, scales.get(READER))

    stand_in = config.weighed(STAND_IN)
    casting = casting_of(stand_in, {STAND_IN: weighing})
    weighed = 0
    for _, case in islice(chosen(source, config), WEIGHED):
        episode = stand_in.episode(0, stand_in.ready(case), source)
        asyncio.run(episode.play(casting.cast(episode.case)))
        weighed += 1
    result = {}
    for seat, scale in scales.items():
        calls, prompt, completion, fresh = (
            round(amount * episodes / weighed)
            for amount in (scale.calls, scale.prompt, scale.completion, scale.fresh)
        )
        cost = cost_of(Estimate(prompt, completion), endpoints.endpoint(names[seat].split(":")[1]))
        result[seat] = Forecast(calls, prompt, completion, None if cost is None else round(cost, 4), fresh)
    return episodes, result


def unweighed(config: Config) -> dict[str, list[str]]:
    """Return, by seat, descriptions of the requests to its models that a forecast does not count."""
    result: dict[str, list[str]] = {}
    for seat, name in config.names().items():
        if not name.models:
            continue
        role, suffixes = name.role, [wrapping.suffix for wrapping in name.around]
        reasons = {one.name: one.unweighed for one in role.wrappers if one.unweighed}
        reasons |= dict.fromkeys(role.given, "what it adds to each prompt")
        if name.members():
            reasons |= dict.fromkeys(suffixes, f"all are priced as {name.models[0]}")
        if notes := [f"{suffix}: {reasons[suffix]}" for suffix in suffixes if suffix in reasons]:
            result[seat] = notes
    return result
