"""Scenarios with a model in every seat, from the fake endpoint, and what the models were sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from osler.cases.personas import persona
from osler.cases.scenarios.model import Scenario
from osler.core.composite import AnyPlayer
from osler.core.contract import Request
from osler.core.events import Event, Seat, TurnBegan
from osler.core.trace import ExchangeRow, InnerRow, Trace
from osler.models.client import EndpointClient
from osler.models.config import Endpoint
from osler.protocols.scenario import views
from osler.protocols.scenario.config import ScenarioEpisode
from osler.protocols.scenario.model.players import ModelController, ModelExaminee, ModelPatientSeat
from osler.protocols.scenario.settings import ScenarioSettings
from osler.testing.endpoint import FakeEndpoint
from tests.players.model.table import Overheard
from tests.protocols.scenario.playing import small


def by_models(
    scenario: Scenario,
    *,
    script: Sequence[dict[str, Any]] = (),
    wrapped: Callable[[AnyPlayer], AnyPlayer] = lambda examinee: examinee,
    recorded: Sequence[ExchangeRow] = (),
    inner: Sequence[InnerRow] = (),
    **settings: Any,
) -> tuple[Trace, Overheard]:
    """One scenario with a model in every seat; `wrapped` builds a strategy around the examinee."""

    async def play() -> tuple[Trace, Overheard]:
        async with FakeEndpoint(script=list(script)) as fake:
            endpoint = Endpoint(name="fake", base_url=fake.base_url, model="fake-model")
            async with EndpointClient(endpoint) as client:
                overheard = Overheard(client)
                cast: dict[Seat, AnyPlayer] = {
                    "examinee": wrapped(ModelExaminee(overheard, "fake")),
                    "patient": ModelPatientSeat(overheard, "fake"),
                    "controller": ModelController(overheard, "fake"),
                }
                chosen = ScenarioSettings.model_validate(settings)
                episode = ScenarioEpisode(0, scenario, persona("plain"), chosen, "0")
                return await episode.play(cast, recorded=recorded, inner=inner), overheard

    return asyncio.run(play())


def at_the_door(*events: Event) -> Request[Any]:
    """What the examinee of the small scenario is asked first."""
    view = views.examinee_view(small(), max_turns=8)
    began = TurnBegan(minute=0, to=("examinee",), turn=1, turns_left=7)
    return Request(view, (*events, began), "world")
