"""A world with nobody outside: every seat as the configuration names it, models borrowed."""

from __future__ import annotations

import asyncio

from osler.adapters import Borrowed, BorrowedModels, World, seated_model
from osler.core.config import Config
from osler.protocols.consultation.config import RunConfig
from osler.runs.played import EndedEpisode
from tests.adapters.framework import saying

CLIENT = Borrowed(saying(lambda n, messages: "not JSON" if n else '{"action": "ASK", "question": "Why?"}'))


async def played(config: Config) -> EndedEpisode:
    return await World(config, None, models=BorrowedModels({"lent": CLIENT})).play(0)


def test_the_model_under_test_may_be_named_in_the_configuration() -> None:
    config = RunConfig(cases="library", limit=1, doctor="model:lent")

    async def beside() -> tuple[EndedEpisode, EndedEpisode]:
        world = World(RunConfig(cases="library", limit=1))
        player = seated_model(world, world.episode(0).case, CLIENT, "lent")
        return await played(config), await world.play(0, player)

    one, other = asyncio.run(beside())
    assert len(one.trace.rows) > 2
    assert one == other


def test_a_seat_that_is_built_in_stays_so() -> None:
    found = asyncio.run(played(RunConfig(cases="library", limit=1)))
    assert found.trace.outcome.status == "completed"
    assert {row.seat for row in found.trace.rows} >= {"doctor", "patient"}
