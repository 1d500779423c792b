"""Runs with language models from the browser: who may start them, at which prices, within which budget; what
they have spent, what failed, and that a key never comes out."""

from __future__ import annotations

import asyncio
import json
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import Response
from typer.testing import CliRunner

from osler.cli.main import app
from osler.models.budget import Limits, limits_in
from osler.models.prices import PRICES
from osler.runs.seating import ModelOptions
from osler.store.store import open_store
from osler.web.door import IN_PROCESS
from osler.web.evaluate.spending import noted
from osler.web.evaluate.start_schemas import Budget
from osler.web.house import House
from osler.web.rights import STRANGER, Right
from osler.web.visitors import COOKIE
from tests.endpoints import running
from tests.web.conftest import ask
from tests.web.test_starting import OURS, asking, until, until_done

KEY = "sk-not-to-be-seen-1234567890"
DOCTOR = {"players": {"doctor": "model:fake"}, "concurrency": 1}
PRICED = {"prices": {"fake": {"price_in": 1000.0, "price_out": 2000.0, "price_cached": 100.0}}}


@pytest.fixture
def endpoint() -> Iterator[str]:
    """An endpoint whose first request fails, to be sent again."""
    with running(faults={"kinds": {"500": 1}, "until": 1}) as url:
        yield url


@pytest.fixture
def house(tmp_path: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A house whose osler.toml names the fake endpoint with a key and without prices."""
    monkeypatch.setenv("FAKE_KEY", KEY)
    toml = tmp_path / "osler.toml"
    toml.write_text(
        f'[endpoints.fake]\nbase_url = "{endpoint}"\nmodel = "tiny"\nkey_env = "FAKE_KEY"\n'
        f'[endpoints.priced]\nbase_url = "{endpoint}"\nmodel = "tiny"\nprice_in = 1.0\nprice_out = 2.0\n'
    )
    with open_store(tmp_path / "osler.db") as store:
        yield House(store, ModelOptions(config=toml))


def coming_in(house: House, client: httpx.AsyncClient, *rights: Right) -> None:
    """Let a client in from another machine with these rights."""
    response = Response()
    house.visitors.admit(STRANGER, set(rights), response)
    client.cookies.set(COOKIE, response.headers["set-cookie"].partition("=")[2].partition(";")[0])


@pytest.mark.slow
def test_a_run_keeps_its_budget_pauses_at_it_and_goes_on_within_a_larger_one(house: House) -> None:
    said: list[str] = []

    async def told() -> None:
        async with asking(house) as client:
            client.event_hooks["response"] = [keep]
            form = (await client.get("/api/start")).json()
            fake = next(one for one in form["models"] if one["value"] == "model:fake")
            assert (fake["prices"], fake["lacks"], form["may_price"]) == (None, "", True)
            plan = (await client.post("/api/runs/plan", json=DOCTOR)).json()
            assert plan["cost"] is None, "an unknown price is no price of 0"
            refused = await client.post("/api/runs/plan", json={**DOCTOR, "max_money": 1.0})
            assert (refused.status_code, "needs prices" in refused.text) == (400, True)

            wanted = {**DOCTOR, **PRICED, "max_money": 2.0}
            plan = (await client.post("/api/runs/plan", json=wanted)).json()
            assert plan["cost"] > 2.0
            assert shlex.split(plan["command"])[-6:-4] == ["--price", "fake=1000,2000,100"]

            name = (await client.post("/api/runs", json=wanted)).json()["run"]
            paused = await until_done(client, name)
            assert paused["run"]["status"] == "paused"
            assert ("money budget" in paused["why"], "of 2" in paused["why"]) == (True, True), paused["why"]
            spent = (await client.get(f"/api/runs/{name}/spending")).json()
            assert 0 < spent["money"] <= 2.0
            assert (spent["max_money"], spent["token_budget"]) == (2.0, None)
            figures = (await client.get(f"/api/runs/{name}/figures")).json()
            assert figures["cost"] == pytest.approx(spent["money"])
            fault = spent["faults"][0]
            assert (fault["cause"], fault["seat"], fault["endpoint"]) == ("server_error", "doctor", "fake")
            assert (fault["again"], fault["lost"], "resume" in fault["words"]) == (1, 0, True)

            recorded = house.store.recorded(house.store.run(name).id, 0)
            more = {"max_money": 3.0, "token_budget": 10**9}
            again = await client.post(f"/api/runs/{name}/resume", json=more)
            assert again.json()["status"] == "running", again.text
            paused = await until_done(client, name)
            assert ("money budget" in paused["why"], "of 3" in paused["why"]) == (True, True), paused["why"]
            assert house.store.recorded(house.store.run(name).id, 0)[: len(recorded)] == recorded
            later = (await client.get(f"/api/runs/{name}/spending")).json()
            assert spent["money"] < later["money"] <= 3.0
            assert (later["max_money"], later["token_budget"]) == (3.0, 10**9)

            used_up = await client.post(f"/api/runs/{name}/resume", json={"token_budget": 1})
            assert (used_up.status_code, "used up" in used_up.json()["what"]) == (400, True)
            assert "raise the budget" in used_up.json()["mend"]

            without = {"max_money": None, "token_budget": None}
            assert (await client.post(f"/api/runs/{name}/resume", json=without)).status_code == 200
            run_id = house.store.run(name).id
            episodes = house.store.run(name).done
            await until(lambda: house.store.info(run_id).done > episodes)
            assert (await client.post(f"/api/runs/{name}/pause")).json()["status"] == "interrupted"
            assert (await until_done(client, name))["run"]["status"] == "interrupted"

        manifest = json.dumps(house.store.run(name).manifest)
        assert house.store.run(name).manifest[PRICES] == PRICED["prices"]
        assert KEY not in manifest + "".join(said)
        assert "FAKE_KEY" not in manifest
        for row in house.store.calls(run_id):
            assert KEY not in json.dumps(row.body)

    async def keep(response: httpx.Response) -> None:
        await response.aread()
        said.append(response.text)

    asyncio.run(told())


def test_a_key_that_is_not_set_is_named_before_and_nothing_is_written(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FAKE_KEY")
    form = ask(house, "GET", "/api/start").json()
    lacks = {one["value"]: one["lacks"] for one in form["models"]}
    assert lacks == {"model:fake": "the environment variable FAKE_KEY is not set", "model:priced": ""}
    refused = ask(house, "POST", "/api/runs", json=DOCTOR, headers=OURS)
    assert (refused.status_code, "FAKE_KEY" in refused.json()["what"]) == (400, True)
    assert "export" in refused.json()["mend"]
    assert house.store.runs() == []


@pytest.mark.parametrize(
    ("rights", "ceiling", "wanted", "status", "what"),
    [
        (("watch",), None, {}, 403, "right to run"),
        (("run", "watch"), None, {"players": {"doctor": "model:other"}}, 400, "no endpoint 'other'"),
        (
            ("run", "watch"),
            None,
            {"players": {"doctor": "model:http://127.0.0.1/v1"}},
            400,
            "no endpoint 'http",
        ),
        (("run", "watch"), None, {"prices": {"priced": {"price_in": 0, "price_out": 0}}}, 403, "osler.toml"),
        (("run", "watch"), 5.0, PRICED, 403, "owner"),
        (("run", "watch"), 5.0, {}, 400, "needs prices"),
    ],
)
def test_from_another_machine_only_what_the_server_lists_can_be_asked(
    house: House,
    rights: tuple[Right, ...],
    ceiling: float | None,
    wanted: dict[str, Any],
    status: int,
    what: str,
) -> None:
    house.door = IN_PROCESS._replace(until=time.time() + 600)
    house.models = house.models._replace(max_money=ceiling)

    async def told() -> None:
        async with asking(house) as client:
            coming_in(house, client, *rights)
            for path in ("/api/runs/plan", "/api/runs"):
                refused = await client.post(path, json={**DOCTOR, **wanted})
                assert (refused.status_code, what in refused.text) == (status, True), refused.text
        assert house.store.runs() == []

    asyncio.run(told())


@pytest.mark.parametrize("budget", [{"max_money": 0}, {"max_money": -1}, {"token_budget": 0}, {"seconds": 3}])
def test_a_budget_that_is_none_is_refused(house: House, budget: dict[str, Any]) -> None:
    assert ask(house, "POST", "/api/runs/plan", json={**DOCTOR, **budget}, headers=OURS).status_code == 422


def test_the_servers_ceiling_is_the_lower_of_two(house: House) -> None:
    house.models = house.models._replace(max_money=2.5)
    wanted = {"players": {"doctor": "model:priced"}, "max_money": 4.0}
    command = ask(house, "POST", "/api/runs/plan", json=wanted, headers=OURS).json()["command"]
    assert "--max-money 2.5" in command


def test_the_command_goes_on_within_the_budget_of_the_browser(tmp_path: Path, house: House) -> None:
    toml, store = str(tmp_path / "osler.toml"), str(tmp_path / "osler.db")
    limit = ["--config", toml, "--store", store, "--concurrency", "1", "--max-money"]
    begun = ["consult", "generated:2:5", "--doctor", "model:fake", "--price", "fake=1000,2000"]
    assert CliRunner().invoke(app, [*begun, *limit, "0.001"]).exit_code == 3
    run = house.store.run("last")
    house.store.note(run.id, **noted(Budget(max_money=0.001)))
    resumed = CliRunner().invoke(app, ["resume", run.name, *limit[:-1]])
    assert resumed.exit_code == 3
    assert "money budget" in resumed.output
    assert CliRunner().invoke(app, ["resume", run.name, *limit, "1000"]).exit_code == 0


def test_the_browser_goes_on_within_the_budget_of_the_command(tmp_path: Path, house: House) -> None:
    toml, store = str(tmp_path / "osler.toml"), str(tmp_path / "osler.db")
    begun = ["consult", "generated:2:5", "--doctor", "model:priced", "--max-money", "0.001"]
    paused = CliRunner().invoke(app, [*begun, "--config", toml, "--store", store, "--concurrency", "1"])
    assert paused.exit_code == 3
    run = house.store.run("last")
    spending = ask(house, "GET", f"/api/runs/{run.name}/spending").json()
    assert (spending["max_money"], spending["token_budget"]) == (0.001, None)

    async def resumed() -> str:
        async with asking(house) as client:
            assert (await client.post(f"/api/runs/{run.name}/resume")).status_code == 200
            return str((await until_done(client, run.name))["why"])

    why = asyncio.run(resumed())
    assert ("money budget" in why, "of 0.001" in why) == (True, True)


def test_a_servers_ceiling_is_no_budget_of_a_run(tmp_path: Path, house: House) -> None:
    house.models = house.models._replace(max_money=0.001)
    wanted = {"players": {"doctor": "model:priced"}, "concurrency": 1, "cases": "library"}

    async def paused() -> str:
        async with asking(house) as client:
            name = str((await client.post("/api/runs", json=wanted)).json()["run"])
            await until_done(client, name)
            assert (await client.post(f"/api/runs/{name}/resume")).status_code == 200
            assert "of 0.001" in (await until_done(client, name))["why"]
            return name

    name = asyncio.run(paused())
    assert limits_in(house.store.run(name).manifest) == Limits()
