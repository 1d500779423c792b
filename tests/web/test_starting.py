"""Starting runs from the browser: estimated, played in processes of their own, paused, resumed, branched, and
a model's real turn against a fake endpoint."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import Response

from osler.runs.seating import ModelOptions
from osler.store.records import RunInfo
from osler.store.store import open_store
from osler.web.door import IN_PROCESS
from osler.web.house import House
from osler.web.rights import STRANGER
from osler.web.visitors import COOKIE
from tests.endpoints import running
from tests.web.conftest import HERE, calling

pytestmark = pytest.mark.slow


OURS = {"origin": HERE}
LONGEST_S = 120


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with running(latency_ms=30) as url:
        yield url


@pytest.fixture
def house(tmp_path: Path, endpoint: str) -> Iterator[House]:
    """A house whose osler.toml names the fake endpoint, with prices."""
    toml = tmp_path / "osler.toml"
    toml.write_text(
        f'[endpoints.fake]\nbase_url = "{endpoint}"\nmodel = "tiny"\nprice_in = 1.0\nprice_out = 2.0\n'
    )
    with open_store(tmp_path / "osler.db") as store:
        yield House(store, ModelOptions(config=toml))


def pasted_elsewhere(command: str, house: House) -> RunInfo:
    """The run that a command plays in another folder."""
    osler, *words = shlex.split(command)
    assert osler == "osler"
    told = subprocess.run(
        [sys.executable, "-m", "osler.cli.main", *words], cwd="/", capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    return house.store.run("last")


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something has come about."""
    for _ in range(LONGEST_S * 5):
        if condition():
            return
        await asyncio.sleep(0.2)
    raise AssertionError("it never came about")


async def until_done(client: httpx.AsyncClient, name: str) -> dict[str, Any]:
    """The run, once nobody plays it any more."""
    for _ in range(LONGEST_S * 5):
        found: dict[str, Any] = (await client.get(f"/api/runs/{name}")).json()
        if not found["here"] and found["run"]["status"] != "running":
            return found
        await asyncio.sleep(0.2)
    raise AssertionError("the run did not end")


@asynccontextmanager
async def asking(house: House) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(house) as client:
        client.headers.update(OURS)
        yield client


def test_a_run_is_estimated_started_played_and_branched(house: House) -> None:
    async def told() -> None:
        async with asking(house) as client:
            form = (await client.get("/api/start")).json()
            assert [one["value"] for one in form["models"]] == ["model:fake"]
            consultation = next(one for one in form["protocols"] if one["name"] == "consultation")
            seats = {one["seat"]: one for one in consultation["seats"]}
            assert seats["doctor"]["under_test"]
            assert "always-conclude" in seats["doctor"]["players"]
            assert "person" not in seats["doctor"]["players"]

            wanted = {"players": {"doctor": "model:fake"}, "limit": 2, "settings": {"persona": "anxious"}}
            plan = (await client.post("/api/runs/plan", json=wanted)).json()
            assert plan["episodes"] == 2
            assert plan["calls"] > 0
            assert plan["cost"] == pytest.approx(plan["seats"][0]["cost"])
            assert plan["hosts"][0].startswith("127.0.0.1")
            assert plan["command"].startswith(
                "osler run consultation library --seat doctor=model:fake --limit 2"
            )
            assert "--set persona=anxious" in plan["command"]
            pasted = pasted_elsewhere(plan["command"], house)
            assert (pasted.status, pasted.done) == ("done", 2)

            started = await client.post("/api/runs", json=wanted)
            assert started.status_code == 201
            name = started.json()["run"]
            done = await until_done(client, name)
            assert (done["run"]["status"], done["run"]["done"], done["why"]) == ("done", 2, "")
            figures = (await client.get(f"/api/runs/{name}/figures")).json()
            assert figures["use"][0]["seat"] == "doctor"
            assert figures["cost"] > 0
            assert "Language models sat in: doctor" in figures["label"]

            last = (await client.get(f"/api/episodes/{name}/0/exchanges")).json()["items"]
            asked = [one for one in last if one["seat"] == "doctor"]
            assert asked[-1]["tokens"] > 0
            exchange = (await client.get(f"/api/episodes/{name}/0/exchanges/{asked[-1]['n']}")).json()
            call = exchange["calls"][-1]
            assert (call["endpoint"], call["proved"], call["host"]) == ("fake", True, plan["hosts"][0])
            assert call["messages"][0]["new"] is False, "the rules were sent before"
            assert call["messages"][-1]["new"] is True
            assert call["cost"] > 0

            wanted_branch = {"run": name, "n": 0, "at": 4, "seat": "doctor", "player": "always-conclude"}
            branched = await client.post("/api/branches", json=wanted_branch)
            assert branched.status_code == 201, branched.text
            new = branched.json()
            assert (new["sitting"], new["over"]) == (None, False)
            after = await until_done(client, new["run"])
            assert (after["run"]["kind"], after["run"]["branch_of"]) == ("branch", f"{name}:0 at 4")
            beside = (
                await client.get("/api/compare", params={"a": f"{name}:0", "b": f"{new['run']}:0"})
            ).json()
            assert (beside["same_world"], beside["first_difference"]) == (True, 4)

            chair = {"run": name, "n": 0, "at": 4, "seat": "doctor", "player": "person"}
            sat = await client.post("/api/branches", json=chair)
            assert sat.status_code == 201, sat.text
            sitting = sat.json()
            state = (await client.get(f"/api/sittings/{sitting['sitting']}")).json()
            assert (state["seat"], state["protocol"]) == ("doctor", "consultation")
            # Their encounter has not ended, so nobody is shown more of it than they see.
            episode = (await client.get(f"/api/episodes/{sitting['run']}/{sitting['ordinal']}")).json()
            assert episode["views"] == ["doctor"]
            assert "still playing" in episode["hidden"]
            place = f"/api/episodes/{sitting['run']}/{sitting['ordinal']}"
            assert (await client.get(f"{place}/log", params={"view": "doctor"})).status_code == 200
            for view in ("all", "room", "patient"):
                for what in ("log", "player.html"):
                    refused = await client.get(f"{place}/{what}", params={"view": view})
                    assert refused.status_code == 403, (what, view)
            listed = (await client.get(f"{place}/exchanges")).json()["items"]
            assert {one["seat"] for one in listed} == {"doctor"}
            assert (await client.get(f"{place}/exchanges/2")).status_code == 403
            pair = {"a": f"{sitting['run']}:{sitting['ordinal']}", "b": f"{name}:0"}
            assert (await client.get("/api/compare", params=pair)).status_code == 403
            assert [one["name"] for one in (await client.get("/api/runs?kind=practice")).json()["items"]] == [
                sitting["run"]
            ]

    asyncio.run(told())


def test_a_run_outlives_its_server_is_paused_by_another_and_goes_on_where_it_stopped(house: House) -> None:
    async def told() -> None:
        gone = House(house.store, house.models)
        async with asking(gone) as first, asking(house) as client:
            wanted = {"players": {"doctor": "model:fake", "patient": "model:fake"}, "concurrency": 1}
            name = (await first.post("/api/runs", json=wanted)).json()["run"]
            again = await first.post(f"/api/runs/{name}/resume")
            assert (again.status_code, "already" in again.json()["what"]) == (400, True)
            run_id = house.store.run(name).id
            await until(lambda: bool(house.store.partial(run_id)))

            found = (await client.get(f"/api/runs/{name}")).json()
            assert (found["run"]["status"], found["here"]) == ("running", False)
            assert len(found["run"]["holders"]) == 1

            await until(lambda: len(house.store.recorded(run_id, 0)) >= 2)
            chair = {"run": name, "n": 0, "at": 2, "seat": "doctor", "player": "person"}
            sat = await client.post("/api/branches", json=chair)
            assert sat.status_code == 201, sat.text
            stepped_in = house.store.run(sat.json()["run"])
            assert house.store.recorded(stepped_in.id, 0)[:2] == house.store.recorded(run_id, 0)[:2]
            assert (await client.post("/api/branches", json=chair | {"at": 10**5})).status_code == 400
            assert (await client.post(f"/api/runs/{name}/pause")).json()["status"] == "interrupted"
            stopped = await until_done(first, name)
            assert (stopped["run"]["status"], stopped["why"]) == ("interrupted", "stopped by hand")
            assert stopped["run"]["done"] < stopped["run"]["planned"]

            began = house.store.recorded(run_id, 0)
            assert (await client.post(f"/api/runs/{name}/resume")).json()["status"] == "running"
            await until(
                lambda: (
                    len(house.store.recorded(run_id, 0)) > len(began)
                    or house.store.ended(run_id, 0) is not None
                )
            )
            assert house.store.recorded(run_id, 0)[: len(began)] == began, "nothing is asked again"
        assert house.store.run(name).status == "interrupted", "a server that is stopped stops what it plays"

    asyncio.run(told())


def test_a_models_real_turn_shows_its_reply_and_price_or_why_there_is_none(house: House) -> None:
    async def told() -> None:
        async with asking(house) as client:
            turn = (await client.post("/api/models/turn", json={"model": "fake"})).json()
            assert (turn["ok"], turn["seat"], turn["model"]) == (True, "doctor", "tiny")
            assert turn["reply"]
            assert turn["cost"] > 0
            unknown = await client.post("/api/models/turn", json={"model": "nobody"})
            assert unknown.status_code == 400
            seat = await client.post("/api/models/turn", json={"model": "fake", "seat": "nurse"})
            assert seat.status_code == 400

    asyncio.run(told())


@pytest.mark.parametrize(
    ("wanted", "what"),
    [
        ({"protocol": "nothing"}, "nothing"),
        ({"players": {"doctor": "nobody"}}, "nobody"),
        ({"players": {"doctor": "person"}}, "person"),
        ({"players": {"nurse": "baseline"}}, "nurse"),
        ({"players": {"doctor": "model:unknown"}}, "unknown"),
        ({"only": "no-such-case"}, "no-such-case"),
        ({"cases": "/no/such/file"}, "no"),
        ({"settings": {"branch.at": 3}}, "branch"),
        ({"settings": {"settings.limits.max_turns": -1}}, "max_turns"),
        ({"settings": {"nothing": 1}}, "nothing"),
    ],
)
def test_a_run_that_cannot_be_is_refused_in_words_and_nothing_is_written(
    house: House, wanted: dict[str, Any], what: str
) -> None:
    async def told() -> None:
        async with asking(house) as client:
            for path in ("/api/runs", "/api/runs/plan"):
                refused = await client.post(path, json=wanted)
                assert refused.status_code == 400, refused.text
                assert what in refused.text
        assert house.store.runs() == []

    asyncio.run(told())


@pytest.mark.parametrize(
    "wanted",
    [
        {"cases": "/etc/passwd"},
        {"players": {"doctor": "scripted:/etc/passwd"}},
        {"players": {"doctor": "python:os:x"}},
    ],
)
def test_from_another_machine_no_name_leads_to_a_file(house: House, wanted: dict[str, Any]) -> None:
    house.door = IN_PROCESS._replace(until=time.time() + 600)

    async def told() -> None:
        async with asking(house) as client:
            response = Response()
            house.visitors.admit(STRANGER, {"run", "watch"}, response)
            secret = response.headers["set-cookie"].partition("=")[2].partition(";")[0]
            client.cookies.set(COOKIE, secret)
            refused = await client.post("/api/runs/plan", json=wanted)
            assert refused.status_code == 403, refused.text
            assert "another machine" in refused.json()["what"]

    asyncio.run(told())
