"""Workers of one run keep its limits together; a run without limits asks the store nothing for that."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa

from osler.core.role import Seating
from osler.models.budget import BudgetPaused
from osler.models.budget import Limits as Budgets
from osler.models.client import EndpointClient
from osler.models.open_models import Models
from osler.players.casting import players_of
from osler.runs import batch
from osler.runs import run as runs
from osler.runs.workers import play_by_workers
from osler.store.schema import rate_limits
from osler.store.store import Store, open_store
from tests.endpoints import running
from tests.runs.test_model_faults import (
    ALL_SEATS,
    KEY,
    SWIFT,
    UNCACHED,
    VARIABLE,
    begun,
    endpoint,
    sit,
    stats,
)
from tests.runs.test_workers import gone

CONFIG: Final = ALL_SEATS.model_copy(update={"repeats": 1})
MANY: Final = ALL_SEATS.model_copy(update={"repeats": 400})
MOST_TOKENS_OF_A_CALL: Final = 4_000


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


def statements_about_limits(store: Store) -> list[str]:
    """The statements about shared limits that the store is asked from here on."""
    found = list[str]()

    def note(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if "rate_limits" in statement or "budgets" in statement:
            found.append(statement)

    sa.event.listen(store._engine, "before_cursor_execute", note)
    return found


def test_a_run_without_limits_asks_the_store_nothing(tmp_path: Path) -> None:
    with running(script=UNCACHED) as url, open_store(tmp_path / "o.db") as store:
        asked = statements_about_limits(store)
        plain = endpoint(url)
        assert sit(begun(CONFIG, store, plain), store, plain).status == "done"
        assert not asked


def test_a_run_with_rates_keeps_them_in_the_store(url: str) -> None:
    with running(script=UNCACHED) as address, open_store(url) as store:
        found = endpoint(address, requests_per_minute=6_000, tokens_per_minute=60e6)
        began = time.monotonic()
        assert sit(begun(CONFIG, store, found), store, found).status == "done"
        calls, seconds = stats(address)["requests"], time.monotonic() - began
        assert calls <= 100 * seconds + 1
        with store.connected() as connection:
            row = connection.execute(sa.select(rate_limits)).one()
        assert row.account == found.endpoint("fake").account
        assert (row.epoch, row.factor) == (0, 1.0)


def test_a_store_that_is_damaged_pauses_the_run(tmp_path: Path) -> None:
    with running(script=UNCACHED) as url, open_store(tmp_path / "o.db") as store:
        found = endpoint(url, requests_per_minute=6_000)
        run = begun(CONFIG, store, found)
        with store.writing() as connection:
            connection.execute(sa.text("DROP TABLE rate_limits"))
        sitting = sit(run, store, found)
        assert sitting.status == "paused"
        assert stats(url)["requests"] == 0


def test_each_keeps_to_its_share_of_what_is_in_flight_also_who_has_leased_all_that_it_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "ROUND_S", 0.02)
    monkeypatch.setattr(batch, "BLOCKS", 1)
    with running(script=UNCACHED, latency_ms=20) as url, open_store(tmp_path / "o.db") as store:
        found = endpoint(url, max_in_flight=8)
        run = begun(CONFIG, store, found)
        models, later = Models(found, manners=SWIFT), ExitStack()
        shares = list[int]()

        def progress(now: batch.Progress) -> None:
            shares.append(models._workers)
            if len(shares) == 1:  # another comes, while this one plays its only block
                assert later.enter_context(store.claims(run.id)).take([(100, 100)])

        players = players_of(Seating(CONFIG, models))
        with later:
            runs.play(
                run,
                store,
                concurrency=1,
                more=players,
                around=models,
                on_progress=progress,
                wait=False,
            )
        client = models._open["fake"]
        assert isinstance(client, EndpointClient)
        assert (shares[0], shares[-1], client.limiter.limit) == (1, 2, 4)


def toml(folder: Path, url: str, **more: object) -> Path:
    """An osler.toml whose endpoint has prices."""
    lines = [f'base_url = "{url}"', 'model = "fake-model"', f'key_env = "{VARIABLE}"', "max_in_flight = 16"]
    lines += ["price_in = 1.0", "price_out = 1.0", *(f"{name} = {value}" for name, value in more.items())]
    path = folder / "osler.toml"
    path.write_text("\n".join(["[endpoints.fake]", *lines, ""]))
    return path


def tokens_of(url: str) -> int:
    answers = stats(url)["answers"]
    return int(answers["prompt_tokens"] + answers["completion_tokens"])


@pytest.mark.slow
def test_workers_spend_one_budget_and_the_run_pauses_in_the_words_of_one_process(
    url: str, tmp_path: Path
) -> None:
    with running(script=UNCACHED, latency_ms=5) as address, open_store(url) as store:
        path = toml(tmp_path, address)
        run = begun(MANY, store, endpoint(address))
        sitting = play_by_workers(
            run,
            store,
            2,
            concurrency=8,
            options=["--config", str(path), "--max-money", "0.3"],
            environ={**os.environ, "OSLER_STORE": url},
        )
        assert (sitting.status, sitting.why.split(":")[0]) == ("paused", "money budget")
        assert isinstance(sitting.fault, BudgetPaused)
        assert 0.5 < sitting.fault.enough < 1
        assert 0.85 * 300_000 <= tokens_of(address) <= 300_000 + 8 * MOST_TOKENS_OF_A_CALL
        before = tokens_of(address)
        again = sit(run, store, endpoint(address, price_in=1.0, price_out=1.0), limits=Budgets(money=0.31))
        assert again.status == "paused", "what both have spent counts"
        assert tokens_of(address) - before <= 60_000


def workers(run: str, path: Path, store: str, money: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "osler.cli.main", "worker", run, "--json", "--concurrency", "4"]
    return subprocess.Popen(
        [*command, "--config", str(path), "--max-money", money],
        env={**os.environ, "OSLER_STORE": store},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.slow
def test_killed_workers_overdraw_a_budget_by_no_more_than_was_in_flight(url: str, tmp_path: Path) -> None:
    kills, at_once = 3, 4
    with running(script=UNCACHED, latency_ms=20) as address, open_store(url) as store:
        path = toml(tmp_path, address)
        run = begun(MANY, store, endpoint(address))
        playing = [workers(run.name, path, url, "0.8") for _ in range(2)]
        try:
            for _ in range(kills):
                before, until = tokens_of(address), time.monotonic() + 60
                while tokens_of(address) < before + 60_000 and time.monotonic() < until:
                    time.sleep(0.05)
                playing[0].send_signal(signal.SIGKILL)
                playing[0].communicate()
                playing = [playing[1], workers(run.name, path, url, "0.8")]
            ends = [json.loads(one.communicate(timeout=240)[0]) for one in playing]
        finally:
            for one in playing:
                one.kill()
                one.communicate()
        assert gone(store)
        assert {end["status"] for end in ends} == {"paused"}
        assert {end["budget"]["limit"] for end in ends} == {"money"}
        spent = tokens_of(address)
        assert 0.85 * 800_000 <= spent <= 800_000 + (kills + 1) * at_once * 2 * MOST_TOKENS_OF_A_CALL


def test_who_is_given_a_budget_reads_what_was_recorded_by_those_without(tmp_path: Path) -> None:
    with running(script=UNCACHED) as url, open_store(tmp_path / "o.db") as store:
        found = endpoint(url)
        run = begun(CONFIG, store, found)
        sit(run, store, found, limits=Budgets(tokens=40_000), concurrency=1)
        before = tokens_of(url)
        sitting = sit(run, store, found, limits=Budgets(tokens=40_000), concurrency=1)
        assert sitting.status == "paused"
        assert tokens_of(url) - before <= MOST_TOKENS_OF_A_CALL
