"""While a person or a model thinks, the store holds the question and everything told before it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from osler.core.contract import Request
from osler.core.trace import AskedRow
from osler.players.external import Pending
from osler.runs import run as runs
from osler.runs import unanswered
from osler.runs.played import EndedEpisode
from osler.runs.world import World
from osler.store.schema import asked
from osler.store.store import Store, open_store
from tests.external.conftest import CONSULTATION, SEATS, built_in, players, said

PATIENCE = 1000


def everything_asked(store: Store) -> int:
    with store.connected() as connection:
        return len(connection.execute(asked.select()).all())


@pytest.mark.parametrize("which", SEATS)
def test_the_question_and_what_led_to_it_are_stored_before_it_is_put(url: str, which: str) -> None:
    config = World(*SEATS[which]).config
    cast = built_in(config.weighed())

    async def sit(store: Store) -> None:
        sitting = await runs.sit(run, store, 0)
        now: Pending | EndedEpisode = await sitting.next()
        while isinstance(now, Pending):
            found = {row.seat: row for row in store.asked(run.id, 0)}
            recorded = store.recorded(run.id, 0)
            assert set(sitting.pending) <= set(found)
            assert found[now.seat].since > 1e9
            told = [row.events for row in recorded] + [row.events for row in store.asked(run.id, 0)]
            heard = [e for text in told for e in json.loads(text) if now.seat in e.get("to", ())]
            assert len(heard) == sum(not isinstance(item, tuple) for item in now.feed)
            now = await sitting.step(await said(cast, now), now.ticket, now.seat)
        assert everything_asked(store) == 0

    with open_store(url) as store:
        run = runs.begin(config, store)
        asyncio.run(sit(store))


@dataclass(frozen=True)
class Thinking:
    """A player that costs something; it thinks until its question is in the store, or not at all."""

    inner: Any
    store: Store
    seen: list[list[AskedRow]]
    is_slow: bool
    name: str = "thinking"
    durable: bool = True

    async def reply(self, request: Request[Any]) -> BaseModel:
        for _ in range(PATIENCE):
            if not self.is_slow or self.store.asked(1, 0):
                break
            await asyncio.sleep(0.01)
        self.seen.append(self.store.asked(1, 0))
        found: BaseModel = await self.inner.reply(request)
        return found


@pytest.mark.parametrize("is_slow", [True, False])
def test_a_model_that_thinks_is_seen_thinking_and_a_quick_one_costs_nothing(
    url: str, monkeypatch: pytest.MonkeyPatch, is_slow: bool
) -> None:
    monkeypatch.setattr(unanswered, "SHOWN_AFTER_S", 0.001 if is_slow else 60.0)
    config = CONSULTATION.model_copy(update={"doctor": "external"})
    looked: list[list[AskedRow]] = []
    with open_store(url) as store:
        given = players(config.weighed())["external"]
        more = {"external": lambda asked: Thinking(given(asked), store, looked, is_slow)}
        run = runs.begin(config, store, more)
        assert runs.play(run, store, more=more).status == "done"
        turns = [row for row in store.recorded(run.id, 0) if row.seat == "doctor"]
        assert everything_asked(store) == 0
    assert [[one[:4] for one in each] for each in looked] == [[row[:4]] if is_slow else [] for row in turns]
