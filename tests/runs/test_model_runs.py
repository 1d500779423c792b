"""Runs with models: the same bytes at any concurrency and after a kill; paused by endpoints and budgets."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from osler.models.budget import Limits as Budgets
from osler.models.cache import Cache
from osler.models.config import Config
from osler.runs.usage import ledger_of, usage
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from tests.endpoints import running
from tests.runs.test_model_faults import (
    ALL_SEATS,
    KEY,
    UNCACHED,
    VARIABLE,
    begun,
    check_whole,
    endpoint,
    lines_of,
    sit,
    stats,
    undisturbed,
)

CONFIG: Final = ALL_SEATS.model_copy(update={"repeats": 2})
EPISODES: Final = 10
OSLER: Final = str(Path(sys.executable).with_name("osler"))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The export of the run when nothing goes wrong, one episode at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, KEY)
        yield undisturbed(CONFIG, tmp_path_factory.mktemp("calm"), concurrency=1)


def calls_in(lines: list[str]) -> int:
    """The calls that a record says were answered."""
    exchanges = [exchange for line in lines for exchange in json.loads(line)["exchanges"]]
    return sum(taken.get("calls", 0) for exchange in exchanges for taken in exchange["attempts"])


def recorded_calls(store: Store, run: RunInfo) -> int:
    """The answers of models that are recorded so far, each of which took one call."""
    rows = [row for ordinal in range(EPISODES) for row in store.recorded(run.id, ordinal)]
    return sum(row.attempts != "[]" for row in rows)


def totals(store: Store, run: RunInfo, found: Config) -> dict[str, float]:
    """Usage summed over the seats."""
    sums: dict[str, float] = {}
    for row in usage(store, run.id, found).values():
        for name, count in row["fake"].items():
            sums[name] = sums.get(name, 0) + (count or 0)
    return sums


@pytest.mark.parametrize("concurrency", [2, 16, 64])
def test_a_run_is_the_same_bytes_at_any_concurrency(
    concurrency: int, calm: list[str], tmp_path: Path
) -> None:
    assert undisturbed(CONFIG, tmp_path, concurrency=concurrency) == calm
    check_whole(calm, EPISODES)
    assert calls_in(calm) > 10 * EPISODES


def test_text_moves_play_as_well_and_end_as_often(calm: list[str], tmp_path: Path) -> None:
    lines = undisturbed(CONFIG.model_copy(update={"moves": "text"}), tmp_path)
    check_whole(lines, EPISODES)
    of = [[(x["seat"], x["reply"].get("action")) for x in json.loads(line)["exchanges"]] for line in lines]
    assert of == [
        [(x["seat"], x["reply"].get("action")) for x in json.loads(line)["exchanges"]] for line in calm
    ], "the fake doctor makes the same moves in either form"


# Endpoints that cannot be used

DOWN: Final = [
    pytest.param(401, f"Incorrect API key provided: {KEY}", "auth", "key_env", 1, id="wrong key"),
    pytest.param(404, "The model `fake-model` does not exist", "wrong model", "serves", 1, id="wrong model"),
    pytest.param(500, "out of memory", "server error", "resume", 5, id="broken"),
    pytest.param(402, "You exceeded your quota", "quota", "credit", 1, id="no credit"),
]


@pytest.mark.parametrize(("status", "says", "reason", "mend", "tries"), DOWN)
def test_an_endpoint_that_refuses_pauses_the_run_at_once_and_mending_it_changes_no_byte(
    status: int, says: str, reason: str, mend: str, tries: int, calm: list[str], tmp_path: Path
) -> None:
    with open_store(tmp_path / "o.db") as store:
        with running(script=[{"status": status, "reply": says}]) as url:
            run = begun(CONFIG, store, endpoint(url))
            for _ in range(2):
                sitting = sit(run, store, endpoint(url), concurrency=8)
                assert sitting.status == "paused"
                assert sitting.why.startswith(f"endpoint fake: {reason}")
                assert mend in sitting.why
                assert KEY not in sitting.why
            assert 2 <= stats(url)["requests"] <= 2 * 8 * tries, "the episodes open then, and no more"
        assert sitting.run.done == 0
        with running(script=UNCACHED) as url:
            assert sit(run, store, endpoint(url)).status == "done"
        assert lines_of(store, run) == calm


def test_an_endpoint_that_goes_away_in_the_middle_pauses_the_run(calm: list[str], tmp_path: Path) -> None:
    after_a_while: list[dict[str, Any]] = [
        *[{**UNCACHED[0], "match": {"nth": 1}}] * 40,  # each answers once
        {"status": 503, "reply": "going down"},
    ]
    with open_store(tmp_path / "o.db") as store:
        with running(script=after_a_while) as url:
            run = begun(CONFIG, store, endpoint(url))
            assert sit(run, store, endpoint(url), concurrency=4).status == "paused"
        recorded = recorded_calls(store, run)
        assert 30 <= recorded <= 40
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        sitting = sit(run, store, endpoint(f"http://127.0.0.1:{port}/v1"))
        assert sitting.status == "paused"
        assert sitting.why.startswith("endpoint fake: connection")
        assert "is the endpoint up" in sitting.why
        with running(script=UNCACHED) as url:
            assert sit(run, store, endpoint(url)).status == "done"
            assert stats(url)["requests"] == calls_in(calm) - recorded, "what is recorded is not asked again"
        assert lines_of(store, run) == calm


# Budgets


def test_a_token_budget_pauses_the_run_before_it_is_overrun_and_counts_both_sittings(
    calm: list[str], tmp_path: Path
) -> None:
    with running(script=UNCACHED) as url, open_store(tmp_path / "o.db") as store:
        found, limits = endpoint(url), Budgets(tokens=40_000)
        run = begun(CONFIG, store, found)
        sitting = sit(run, store, found, limits=limits, concurrency=4)
        assert sitting.status == "paused"
        assert sitting.why.startswith("tokens budget: ")
        first, answers = totals(store, run, found), stats(url)["answers"]
        assert 20_000 < answers["prompt_tokens"] + answers["completion_tokens"] <= 40_000

        ledger = ledger_of(usage(store, run.id, found))
        assert ledger.total.tokens == first["prompt_tokens"] + first["completion_tokens"]
        again = sit(run, store, found, limits=limits, ledger=ledger, concurrency=1)
        assert again.status == "paused"
        answers = stats(url)["answers"]
        assert answers["prompt_tokens"] + answers["completion_tokens"] <= 40_000 + 4 * 3000

        assert sit(run, store, found).status == "done"
        assert lines_of(store, run) == calm
        whole = totals(store, run, found)
    assert whole["calls"] == calls_in(calm)
    assert whole["prompt_tokens"] > first["prompt_tokens"]


def test_a_money_budget_pauses_the_run_and_the_money_of_both_sittings_adds_up(tmp_path: Path) -> None:
    with running(script=UNCACHED) as url, open_store(tmp_path / "o.db") as store:
        found = endpoint(url, price_in=1.0, price_out=4.0)
        run = begun(CONFIG, store, found)
        sitting = sit(run, store, found, limits=Budgets(money=0.05), concurrency=1)
        assert sitting.status == "paused"
        assert sitting.why.startswith("money budget: ")
        spent = totals(store, run, found)
        assert 0.02 < spent["cost"] <= 0.05
        ledger = ledger_of(usage(store, run.id, found))
        assert sit(run, store, found, limits=Budgets(money=5.0), ledger=ledger).status == "done"
        assert 0.05 < ledger.total.cost < 5
        whole = totals(store, run, found)
        assert ledger.total.cost == pytest.approx(whole["cost"], abs=1e-5)
        price = (whole["prompt_tokens"] + 4 * whole["completion_tokens"]) / 1e6
        assert whole["cost"] == pytest.approx(price, abs=1e-5)


# The cache


def test_a_second_run_from_the_cache_asks_nobody_and_is_the_same_but_for_what_it_used(
    calm: list[str], tmp_path: Path
) -> None:
    with running(script=UNCACHED) as url, open_store(tmp_path / "o.db") as store:
        found = endpoint(url)
        with Cache(tmp_path / "cache.db") as cache:
            for mode in ("write", "read"):
                run = begun(CONFIG, store, found)
                assert sit(run, store, found, cache=cache, cache_mode=mode).status == "done"
                asked = stats(url)["requests"]
                assert asked == calls_in(calm), f"the run that may {mode}"
                if mode == "write":
                    assert lines_of(store, run) == calm
        assert [unused(line) for line in lines_of(store, run)] == [unused(line) for line in calm]
        assert totals(store, run, found)["calls"] == 0


def unused(line: str) -> Any:
    """An exported episode without what its replies used."""
    found = json.loads(line)
    for exchange in found["exchanges"]:
        exchange["attempts"] = [taken for taken in exchange["attempts"] if taken["at"] != "used"]
    return found


# A kill


@pytest.mark.slow
def test_a_killed_run_goes_on_and_asks_nothing_recorded_again(calm: list[str], tmp_path: Path) -> None:
    words = [f"--{seat}=model:fake" for seat in ("doctor", "patient", "examination", "consultant")]
    words += ["--limit=5", "--repeats=2", "--max-turns=6", "--seed=1", "--concurrency=4", "--json"]
    with running(script=UNCACHED, latency_ms=5) as url:
        (tmp_path / "osler.toml").write_text(
            f'[endpoints.fake]\nbase_url = "{url}"\nmodel = "fake-model"\nkey_env = "{VARIABLE}"\n'
        )
        process = subprocess.Popen(
            [OSLER, "consult", "library", *words], cwd=tmp_path, stderr=subprocess.PIPE
        )
        while stats(url)["requests"] < 40:
            assert process.poll() is None, "the run was over before it could be killed"
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        before = stats(url)["requests"]
        with open_store(tmp_path / "osler.db") as store:
            recorded = recorded_calls(store, store.run("last"))
        assert 0 < recorded <= before
        done = subprocess.run(
            [OSLER, "resume", "last", "--json"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        asked = stats(url)["requests"] - before
    assert asked == calls_in(calm) - recorded
    value = json.loads(done.stdout)
    assert sum(row["fake"]["calls"] for row in value["usage"].values()) == calls_in(calm)
    with open_store(tmp_path / "osler.db") as store:
        assert lines_of(store, store.run("last")) == calm
    assert KEY not in done.stdout + done.stderr
    written = [path.read_bytes() for path in tmp_path.iterdir() if path.is_file()]
    assert not any(KEY.encode() in content for content in written), "the key is written down nowhere"
