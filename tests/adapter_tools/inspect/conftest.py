"""Inspect itself, over the fake endpoint: evaluations in this process, and by its command."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest
from aiohttp import web
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model._model import _models as model_cache
from typer.testing import CliRunner

from osler.cli.main import app
from osler.testing.endpoint import running

THIRD_PARTY = (
    "ignore:The 'initial' parameter is deprecated:DeprecationWarning",
    "ignore:Unclosed <MemoryObject:ResourceWarning",
    "ignore:unclosed <socket:ResourceWarning",
    "ignore:unclosed transport:ResourceWarning",
)
"""What Inspect and its own libraries cause: it keeps the connections of models open between evaluations."""
MODEL = "openai-api/fake/fake"
SCRIPT: tuple[dict[str, Any], ...] = (
    {"match": {"model": "prose"}, "reply": "I would begin with a thorough history, dear colleague."},
    {"match": {"model": "mute"}, "reply": ""},
    {"match": {"model": "page"}, "reply": "<html><h1>503 Service Unavailable</h1></html>"},
    {"match": {"model": "broken"}, "status": 500, "reply": "out of order"},
    {"match": {"model": "breaks", "anywhere": "Turn 3,"}, "status": 500, "reply": "out of order"},
    {"match": {"model": "rambles", "anywhere": "Turn 3,"}, "reply": "Let me think about that."},
    {
        "match": {"model": "looks", "anywhere": "Turn 3,"},
        "fields": {"action": "FINALIZE", "diagnosis": "infarction"},
    },
    {"match": {"model": "looks", "anywhere": "Turn 2,"}, "fields": {"action": "WAIT"}},
    {"match": {"model": "looks"}, "fields": {"action": "REQUEST_TEST", "test_name": "Electrocardiogram"}},
    {"match": {"model": "slow", "anywhere": "Turn 2,"}, "delay_ms": 60_000},
)
"""The fake models by name: each is the usual one, spoilt in its way."""


def pytest_configure(config: pytest.Config) -> None:
    for one in THIRD_PARTY:
        config.addinivalue_line("filterwarnings", one)


@pytest.fixture(scope="session", autouse=True)
def _connections_left_open() -> Iterator[None]:
    """Inspect keeps its models, and their connections, for the life of the process."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        model_cache.clear()
        gc.collect()


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """The address of a fake endpoint in a process of its own."""
    with running(script=SCRIPT) as url:
        yield url


class Recorder:
    """A server before the fake endpoint that keeps every body it is sent, and hands it on in one form: the
    fake model's filler words depend on the very bytes of a request. Fields that Inspect
    adds with their usual values are left out."""

    def __init__(self, url: str) -> None:
        self._to, self._bodies, self._loop = url, list[str](), asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(30)

    def taken(self) -> list[str]:
        """The bodies since the last call, sorted."""
        found, self._bodies = sorted(self._bodies), []
        return found

    def close(self) -> None:
        """Stop serving."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(30)

    def _serve(self) -> None:
        self._loop.run_until_complete(self._until_over())
        self._loop.close()

    async def _until_over(self) -> None:
        self._over = asyncio.Event()
        application = web.Application(client_max_size=1 << 26)
        application.router.add_route("*", "/v1/{path:.*}", self._pass_on)
        runner = web.AppRunner(application)
        async with aiohttp.ClientSession() as self._session:
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
            self._ready.set()
            await self._over.wait()
            await runner.cleanup()

    async def _pass_on(self, request: web.Request) -> web.Response:
        asked = await request.json()
        if asked.get("response_format", {}).get("json_schema", {}).get("description", "") is None:
            del asked["response_format"]["json_schema"]["description"]
        for part in (one for said in asked["messages"] for one in said["content"] if isinstance(one, dict)):
            if part.get("image_url", {}).get("detail") == "auto":
                del part["image_url"]["detail"]
        body = json.dumps(asked, sort_keys=True)
        self._bodies.append(body)
        address = f"{self._to}/{request.match_info['path']}"
        async with self._session.request(request.method, address, data=body) as answer:
            return web.Response(
                status=answer.status, body=await answer.read(), content_type="application/json"
            )


@pytest.fixture(scope="session")
def recorder(endpoint: str) -> Iterator[Recorder]:
    """A recording server before the fake endpoint."""
    found = Recorder(endpoint)
    yield found
    found.close()


class Command(NamedTuple):
    """The end of a command: its exit code, and all that it printed."""

    code: int
    said: str


class Inspect:
    """Inspect, its model served at an address, its logs in a folder."""

    def __init__(self, folder: Path, url: str, environ: pytest.MonkeyPatch) -> None:
        self.folder, self._environ = folder, environ
        environ.setenv("FAKE_API_KEY", "none")
        environ.setenv("INSPECT_LOG_DIR", str(folder))
        environ.chdir(folder)
        self.at(url)

    def at(self, url: str) -> None:
        """Serve the model at another address, from now on: Inspect would go on with the models it has."""
        model_cache.clear()
        self._environ.setenv("FAKE_BASE_URL", url)

    def eval(self, protocol: str, given: dict[str, Any] | None = None, **more: Any) -> EvalLog:
        """Evaluate a protocol with arguments of its task, in this process."""
        wanted = {"limit": 2, **(given or {})}
        options = {"model": MODEL, "log_dir": str(self.folder), "display": "none", "max_retries": 0, **more}
        (log,) = evaluate(f"osler/{protocol}", task_args=wanted, **options)
        return log

    def commands(self, *each: Sequence[str]) -> list[Command]:
        """Run `inspect` with some words, several at once."""
        with ThreadPoolExecutor() as threads:
            return list(
                threads.map(ran, [[str(Path(sys.executable).parent / "inspect"), *one] for one in each])
            )

    def osler(self, *words: str) -> Command:
        """Run `osler` with some words, in this process."""
        done = CliRunner().invoke(app, list(words))
        return Command(done.exit_code, done.output)


def ran(command: Sequence[str]) -> Command:
    """Run a command to its end."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )
    return Command(done.returncode, done.stdout + done.stderr)


@pytest.fixture
def inspect(tmp_path: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Inspect:
    """Inspect with the fake endpoint."""
    return Inspect(tmp_path, endpoint, monkeypatch)


def samples(log: EvalLog) -> list[EvalSample]:
    """The samples of a log."""
    return list(log.samples or ())


def played(sample: EvalSample) -> list[tuple[str, ...]]:
    """The exchanges of a sample, without what an endpoint measures of itself."""
    names = ("seat", "request", "events", "reply")
    return [tuple(one[name] for name in names) for one in sample.store["osler"]["rows"]]


def scored(log: EvalLog) -> int:
    """The number of samples with any score that is a number, as Inspect counts it in its results."""
    return max((one.scored_samples or 0 for one in log.results.scores), default=0) if log.results else 0


def metric(log: EvalLog, measure: str, name: str) -> float:
    """A figure of Inspect's table."""
    assert log.results
    (found,) = (one for one in log.results.scores if one.name == measure and name in one.metrics)
    return float(found.metrics[name].value)
