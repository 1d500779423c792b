"""What a run with models would take: its first consultations are played by built-in players and weighed."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from itertools import islice
from typing import Any, NamedTuple

from pydantic import BaseModel

from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.models.config import Config
from osler.models.estimate import Estimate, cost_of, prompt_tokens, text_tokens
from osler.players.model.messages import messages_of
from osler.players.model.opening import Moves
from osler.seats.contract import Player, Replied, Request
from osler.seats.events import Seat, json_of
from osler.studies.batch import chosen
from osler.studies.build import Casting, RunConfig
from osler.studies.execute import Episode, play

WEIGHED = 10


class Weighing:
    """A built-in player in a model's place: what the model would be sent and answer is added up."""

    durable = False

    def __init__(self, inner: Player, moves: Moves) -> None:
        self._inner, self._moves = inner, moves
        self.name = inner.name
        self.calls, self.prompt, self.completion = 0, 0, 0

    async def reply(self, request: Request[Any], /) -> BaseModel | Replied:
        """The inner player's reply."""
        reply = await self._inner.reply(request)
        self.calls += 1
        self.prompt += prompt_tokens(messages_of(request, self._moves))
        self.completion += text_tokens(json_of(reply.reply if isinstance(reply, Replied) else reply))
        return reply


class Forecast(NamedTuple):
    """An estimate for one seat. `cost` is `None` without prices."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


def forecast(config: RunConfig, endpoints: Config) -> tuple[int, dict[str, Forecast]]:
    """How many episodes a run has, and by seat what its models would be asked. Asks no model."""
    modelled = {seat: name for seat, name in config.players().items() if name.startswith("model:")}
    stand_in = config.model_copy(update=dict.fromkeys(modelled, "baseline"))
    casting, source = Casting(stand_in), open_source(config.cases, config.format)
    episodes = config.repeats * sum(1 for _ in chosen(source, config))
    totals: defaultdict[Seat, list[int]] = defaultdict(lambda: [0, 0, 0])
    weighed = 0
    for _, case in islice(chosen(source, config), WEIGHED):
        cast = casting.cast(case)
        scales = {seat: Weighing(cast[seat], config.moves) for seat in modelled}
        episode = Episode(0, case, persona(config.persona), config.settings, str(config.seed))
        asyncio.run(play(episode, {**cast, **scales}))
        weighed += 1
        for seat, scale in scales.items():
            for place, amount in enumerate((scale.calls, scale.prompt, scale.completion)):
                totals[seat][place] += amount
    found = {}
    for seat, total in totals.items():
        calls, prompt, completion = (round(amount * episodes / weighed) for amount in total)
        endpoint = endpoints.endpoint(modelled[seat].split(":")[1])
        cost = cost_of(Estimate(prompt, completion), endpoint)
        found[str(seat)] = Forecast(calls, prompt, completion, None if cost is None else round(cost, 4))
    return episodes, found
