"""Crashes of a run whose doctor asks others: whoever has answered inside an exchange is not asked again."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import BaseModel

from osler.core.contract import ReplyWithUsage, Request
from osler.core.factory import Factory
from osler.core.inner import digest_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.settings import Limits, Settings
from osler.runs import run as runs
from osler.runs.usage import usage
from osler.store.export import export_run
from osler.store.schema import workers
from osler.store.store import Store, open_store
from tests.endpoints import running
from tests.runs.test_crashes import Crash, crashing
from tests.runs.test_model_faults import ALL_SEATS, KEY, VARIABLE, begun, endpoint, lines_of, sit, stats
from tests.store.conftest import url as url

CONFIG = RunConfig(
    cases="library",
    doctor="noted+cot+ensemble:3",
    limit=1,
    repeats=2,
    settings=Settings(limits=Limits(max_turns=2)),
)


class Noted:
    """The built-in doctor; writes down the hash of each question, as the record does."""

    name, durable = "noted", True

    def __init__(self, log: Path) -> None:
        self._log = log

    async def reply(self, request: Request[Any], /) -> BaseModel | ReplyWithUsage:
        with self._log.open("a") as file:
            file.write(f"{digest_of(request)}\n")
        return ReplyWithUsage(await BaselineDoctor().reply(request), used=({"endpoint": "e", "calls": 1},))


def noted(log: Path) -> Mapping[str, Factory]:
    return {"noted": lambda asked: Noted(log)}


def safe(store: Store, run_id: int) -> set[str]:
    return {row.request for ordinal in range(2) for row in store.recorded_inner(run_id, ordinal)}


def exported(store: Store, run_id: int, out: Path) -> bytes:
    export_run(store, run_id, out)
    return out.read_bytes()


@pytest.mark.slow
def test_a_crash_at_every_commit_asks_nobody_inside_twice(url: str, tmp_path: Path) -> None:
    with open_store(url) as store:
        run = runs.begin(CONFIG, store, noted(tmp_path / "log"))
        with crashing(store, at=-1, after=False) as count:
            runs.play(run, store, concurrency=2, more=noted(tmp_path / "log"))
        expected = exported(store, run.id, tmp_path / "undisturbed.jsonl")
        asked = (tmp_path / "log").read_text().splitlines()
        assert len(asked) == len(set(asked)) > 12
        store.delete_run(run.name)
    assert count[0] > 12
    for at in range(1, count[0] + 1):
        log = tmp_path / f"{at}.log"
        with open_store(url) as store:
            run = runs.begin(CONFIG, store, noted(log))
            with crashing(store, at, after=bool(at % 2)), suppress(Crash):
                runs.play(run, store, concurrency=2, more=noted(log))
        with open_store(url) as store:
            before = len(log.read_text().splitlines()) if log.exists() else 0
            held = safe(store, run.id)
            assert runs.play(run, store, concurrency=4, more=noted(log)).status == "done"
            again = set(log.read_text().splitlines()[before:]) & held
            assert not again, f"asked again after a crash at commit {at}"
            assert exported(store, run.id, tmp_path / "out.jsonl") == expected
            store.delete_run(run.name)


def test_an_episode_of_which_only_an_inner_answer_is_safe_has_begun(url: str, tmp_path: Path) -> None:
    with open_store(url) as store:
        run = runs.begin(CONFIG, store, noted(tmp_path / "log"))
        runs.play(run, store, more=noted(tmp_path / "log"))
        first = store.recorded_inner(run.id, 0)[0]
        begun_only = store.begin_run(None, run.manifest, 2)
        with store.writer(begun_only.id) as writer:
            writer.inner(0, first)
        assert store.partial(begun_only.id) == {0}
        assert store.record(begun_only.id, 0, earlier=True)[0].status == "pending"
        store.forget(begun_only.id, 0)
        assert store.recorded_inner(begun_only.id, 0) == []


def voting(monkeypatch: pytest.MonkeyPatch) -> RunConfig:
    """A run whose doctor's votes are asked for at once and share the beginning of their prompts."""
    monkeypatch.setenv(VARIABLE, KEY)
    return ALL_SEATS.model_copy(update={"doctor": "model:fake+cot+ensemble:3", "limit": 2, "repeats": 2})


def played(config: RunConfig, path: Path, address: str, concurrency: int) -> list[str]:
    """The lines of the run's export, every call counted."""
    found = endpoint(address)
    with open_store(path) as store:
        run = begun(config, store, found)
        assert sit(run, store, found, concurrency=concurrency).status == "done"
        used = [row["fake"] for row in usage(store, run.id, found).values()]
        assert sum(row["calls"] or 0 for row in used) == stats(address)["requests"]
        assert all(row["cached_tokens"] for row in used), "usage knows what was cached"
        return lines_of(store, run)


def test_a_run_of_models_that_vote_is_the_same_at_any_concurrency_and_counts_every_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = voting(monkeypatch)
    made = []
    for concurrency in (1, 16):
        with running() as address:
            made.append(played(config, tmp_path / f"{concurrency}.db", address, concurrency))
    assert made[0] == made[1]
    inner = [
        one for line in made[0] for each in json.loads(line)["exchanges"] for one in each.get("inner", [])
    ]
    assert {one["path"].count(".") for one in inner} == {0, 1}
    assert any("reconsider" in json.dumps(one["events"]) for one in inner)


def test_how_long_answers_take_and_what_an_endpoint_has_cached_change_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = voting(monkeypatch)
    made = []
    for concurrency in (1, 16):
        with running(latency_ms=5, jitter_ms=5) as address:
            made.append(played(config, tmp_path / f"{concurrency}.db", address, concurrency))
    assert made[0] == made[1]


@pytest.mark.slow
def test_kills_at_random_instants_of_models_that_vote_change_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, rng, path = voting(monkeypatch), Random(20261122), tmp_path / "killed.db"
    with running() as address:
        expected = played(config, tmp_path / "calm.db", address, 4)
    with running(latency_ms=5, jitter_ms=5) as address, open_store(path) as store:
        (tmp_path / "osler.toml").write_text(
            f'[endpoints.fake]\nbase_url = "{address}"\nmodel = "fake-model"\nkey_env = "{VARIABLE}"\n'
        )
        run = begun(config, store, endpoint(address))
        command = [sys.executable, "-c", "from osler.cli.main import main; main()", "resume", run.name]
        command += ["--concurrency=4", f"--store={path}", f"--config={tmp_path / 'osler.toml'}"]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        for _ in range(3):
            wanted = stats(address)["requests"] + rng.randint(5, 30)
            with subprocess.Popen(command, **pipes) as process:
                while stats(address)["requests"] < wanted:
                    assert process.poll() is None, process.communicate()[0]
                    time.sleep(0.01)
                process.kill()
            with store.engine.execution_options(osler_writes=True).begin() as connection:
                connection.execute(workers.update().values(expires=0))  # or its lease had to run out
        with subprocess.Popen(command, **pipes) as process:
            assert process.wait() == 0, process.communicate()[0]
        assert lines_of(store, run) == expected
        assert stats(address)["requests"] > len(expected)
