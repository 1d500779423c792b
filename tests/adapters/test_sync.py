"""An environment for loops without an event loop: the same episodes, questions and refusals."""

from __future__ import annotations

import asyncio
import gc
import json

import pytest

from osler.adapters import EndedEpisode, OpenPrompt, Pending, SyncEnv, World
from osler.errors import BadInput, Stale, Status
from osler.protocols.consultation.config import RunConfig
from tests.adapters.framework import PROTOCOLS, talked
from tests.adapters.test_conversation import MOVES, by_rule

CONFIG = PROTOCOLS["consultation"]


def test_steps_are_those_of_a_sitting() -> None:
    with SyncEnv(World(CONFIG)) as env:
        for row in range(len(env.world)):
            now, steps = env.reset(row), 0
            while isinstance(now, Pending):
                now = env.step(json.loads(MOVES["consultation"][min(steps, 1) * 3]), now.ticket)
                steps += 1
            assert isinstance(now, EndedEpisode)
            assert now.trace.outcome.status is Status.COMPLETED
            assert now.scores["turns"] == steps == 2


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_text_is_what_a_language_model_would_say_there(protocol: str) -> None:
    with SyncEnv(World(PROTOCOLS[protocol]), text=True) as env:
        now, said = env.reset(0), 0
        while isinstance(now, OpenPrompt):
            said = sum(one.role == "assistant" for one in now.messages)
            now = env.step(by_rule(protocol)(said, now.messages), now.ticket)
    assert now == asyncio.run(talked(World(PROTOCOLS[protocol]), 0, by_rule(protocol)))


def test_a_reset_leaves_the_encounter_under_way() -> None:
    with SyncEnv(World(CONFIG)) as env:
        first = env.reset(0)
        assert isinstance(first, Pending)
        env.step({"action": "ASK", "question": "Since when?"})
        again = env.reset(0)
        assert isinstance(again, Pending)
        assert again.as_json() == first.as_json()


def test_a_double_step_is_stale() -> None:
    with SyncEnv(World(CONFIG)) as env:
        now = env.reset(0)
        assert isinstance(now, Pending)
        env.step({"action": "ASK", "question": "Since when?"}, now.ticket)
        with pytest.raises(Stale):
            env.step({"action": "ASK", "question": "Since when?"}, now.ticket)


def test_words_for_every_misuse() -> None:
    env = SyncEnv(World(RunConfig(cases="library", limit=1)))
    with pytest.raises(BadInput, match="call reset"):
        env.step({})
    with pytest.raises(BadInput, match="no row 7"):
        env.reset(7)
    env.reset(0)
    env.step({"action": "FINALIZE", "diagnosis": "migraine"})
    with pytest.raises(Stale, match="has ended"):
        env.step({"action": "WAIT"})
    env.close()
    env.close()
    with pytest.raises(BadInput, match="closed"):
        env.reset(0)

    async def inside() -> None:
        with pytest.raises(BadInput, match="event loop"):
            SyncEnv(World(CONFIG)).reset(0)

    asyncio.run(inside())


def test_one_that_is_dropped_is_collected_without_a_word() -> None:
    env = SyncEnv(World(CONFIG))
    env.reset(0)
    del env
    gc.collect()
