"""The choreography as the page gets it: the same as the director's, by the rights of the log."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from osler.choreography.plan import our_plan, plan_of
from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.house import House
from osler.web.watch.scenes import choreography
from tests.web.conftest import ask, calling


@pytest.fixture
def run(store: Store) -> RunInfo:
    config = protocol_named("consultation").config(limit=1)
    source = runs.opened(config)
    found: RunInfo = runs.play(runs.begin(config, store, source=source), store, source=source).run
    return found


def test_the_page_gets_what_the_director_makes_and_the_pictures_of_its_view(
    store: Store, run: RunInfo
) -> None:
    made = {view: choreography(store, run, 0, view) for view in ("doctor", "patient", "room", "all")}

    async def asked() -> None:
        async with calling(House(store)) as client:
            for view, whole in made.items():
                answer = await client.get(f"/api/episodes/{run.name}/0/choreography?view={view}")
                assert answer.status_code == 200
                got: dict[str, Any] = answer.json()
                wanted = json.loads(json.dumps(whole.as_json()))
                pictures = [card.pop("picture") for card in got["cards"]]
                for card in wanted["cards"]:
                    card.pop("picture")
                assert got == wanted
                for picture in filter(None, pictures):
                    assert (await client.get(picture)).status_code == 200
            assert (await client.get(f"/api/episodes/{run.name}/0/choreography?view=x")).status_code == 400
            assert (await client.get(f"/api/episodes/{run.name}/9/choreography")).status_code >= 400

    asyncio.run(asked())


def test_a_runs_floors_are_listed_by_page_and_played_by_the_rights_of_each_episode(store: Store) -> None:
    config = protocol_named("consultation").config(limit=3)
    source = runs.opened(config)
    run = runs.play(runs.begin(config, store, source=source), store, source=source).run
    waits = runs.begin(config, store, source=source, about={"people": ["doctor"]})
    with store.writer(waits.id) as writer:
        writer.exchange(1, store.recorded(run.id, 1)[0])

    async def asked() -> None:
        async with calling(House(store)) as client:
            page = (await client.get(f"/api/runs/{run.name}/floors?limit=1")).json()
            rooms = [(one["n"], one["room"], one["status"]) for one in page["items"][0]["episodes"]]
            assert rooms == [(0, "Consulting room 1", "completed"), (1, "Consulting room 2", "completed")]
            assert page["total"] == 2
            rest = (await client.get(f"/api/runs/{run.name}/floors?cursor={page['next']}")).json()
            assert [one["floor"] for one in rest["items"]] == [1]
            assert rest["next"] is None

            floor = (await client.get(f"/api/runs/{run.name}/floors/0?view=room")).json()
            for one in floor["episodes"]:
                place = f"/api/episodes/{run.name}/{one['n']}/choreography?view=room"
                alone = (await client.get(place)).json()
                words = [scene["kind"] for scene in alone["scenes"]]
                assert [scene["kind"] for scene in one["choreography"]["scenes"]] == words
                assert [one["room"]] == [
                    title for title in rooms_in(one["choreography"]) if title.startswith("Consulting")
                ]
            assert [one["ended"] for one in floor["episodes"]] == [True, True]
            assert (await client.get(f"/api/runs/{run.name}/floors/2")).status_code == 404

            page = (await client.get(f"/api/runs/{waits.name}/floors")).json()
            statuses = [one["status"] for each in page["items"] for one in each["episodes"]]
            assert statuses == ["planned", "running", "planned"]
            planned, playing = (await client.get(f"/api/runs/{waits.name}/floors/0?view=all")).json()[
                "episodes"
            ]
            assert (planned["choreography"], planned["hidden"]) == (None, "")
            assert (playing["choreography"], playing["view"]) == (None, "")
            assert "still playing" in playing["hidden"]

    asyncio.run(asked())


def rooms_in(made: dict[str, Any]) -> list[str]:
    return sorted({scene["where"] for scene in made["scenes"]})


def test_the_plan_that_is_sent_is_the_plan(house: House) -> None:
    sent = ask(house, "GET", "/api/plan").json()
    assert sent == our_plan().as_json()
    again = plan_of(sent)
    assert (again.room_at, again.doors, again.glass) == (
        our_plan().room_at,
        our_plan().doors,
        our_plan().glass,
    )
