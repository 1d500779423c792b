"""The recorded examples: each plays to its end, says who played, and stands where any other run does."""

from __future__ import annotations

import asyncio
import json

import pytest

from osler.errors import Status
from osler.store.store import Store
from osler.web.examples.routes import play_example
from osler.web.examples.script import Script, scripts
from osler.web.house import House
from osler.web.watch.log import log
from tests.web.conftest import calling


@pytest.fixture(params=scripts(), ids=lambda script: script.name)
def script(request: pytest.FixtureRequest) -> Script:
    """Each script in turn."""
    found: Script = request.param
    return found


def test_there_are_two_of_every_protocol() -> None:
    assert sorted(one.protocol for one in scripts()) == [
        "consultation",
        "consultation",
        "scenario",
        "scenario",
        "ward_round",
        "ward_round",
    ]


def test_an_example_is_played_to_its_end_without_a_refused_move(house: House, script: Script) -> None:
    play_example(house, script)
    store: Store = house.store
    run = store.run(script.run)
    (row,) = store.episodes(run.id)
    assert row.status is Status.COMPLETED
    assert run.manifest["practice"]["example"] == script.title
    assert list(store.attempts(run.id)) == []
    replies = [one for one in store.recorded(run.id, row.ordinal) if one.seat == script.seat]
    assert len(replies) <= len(script.moves)
    play_example(house, script)
    assert len(store.runs()) == 1, "it is played once"


def test_an_example_says_that_it_is_one_and_who_played(house: House) -> None:
    first = scripts()[0]
    play_example(house, first)

    async def told() -> str:
        async with calling(house) as client:
            return (await client.get("/api/examples")).text

    found = json.loads(asyncio.run(told()))["examples"]
    assert [one["ready"] for one in found] == [one is first for one in scripts()]
    for one, script in zip(found, scripts(), strict=True):
        assert script.seat in one["note"]
        assert ("students" in one["note"]) == bool(script.others)
        assert one["run"].startswith("example-")


def test_the_tracing_comes_in_time_and_nobody_on_the_round_says_the_same_twice(house: House) -> None:
    heart, ward = scripts()[0], scripts()[4]
    for one in (heart, ward):
        play_example(house, one)
    found = {}
    for one in (heart, ward):
        run = house.store.run(one.run)
        (row,) = house.store.episodes(run.id)
        found[one.name] = log(house.store, run, row.ordinal, "room", picture=str).items
    tracing = next(item for item in found[heart.name] if item.picture)
    history = [item for item in found[heart.name] if item.lines and item.lines[0].by == "doctor"]
    assert tracing.minute <= 11
    assert any(item.minute >= tracing.minute for item in history)
    spoken = [line.text for item in found[ward.name] for line in item.lines if line.kind == "said"]
    assert len(set(spoken)) == len(spoken), "nobody says the same thing twice"
