"""A loop of one's own meets dead, wrong and half-dead endpoints: in another seat, and behind its own policy.
None of them is a score."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from osler.adapters import EndedEpisode, ModelOptions, OpenPrompt, SyncEnv, World, why_unscored, with_models
from osler.errors import InfrastructureFault, Status
from osler.models.config import Config as Endpoints
from osler.models.faults import Retry
from osler.models.manners import Manners
from osler.models.open_models import Models
from osler.protocols.consultation.config import RunConfig
from tests.endpoints import running

PROSE: list[dict[str, Any]] = [{"reply": "I would rather not fill in any form."}]
HALF: list[dict[str, Any]] = [{"match": {"nth": 1}}, {"reply": "boom", "status": 500}]
AT_ONCE = Manners(retry=Retry(tries=1))
KINDS = ("refused", "404", "500", "breaks off", "streams", "half-dead")
DOCTOR = ("When did it start?", "Where exactly does it hurt?", "DIAGNOSIS READY: [migraine]")


class Streaming(BaseHTTPRequestHandler):
    """A gateway that answers every request with a stream of events, though nobody asked for one."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b'data: {"choices": [{"delta": {"content": "{\\"answer\\": \\"Ten"}}]}\n\n')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def streaming() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Streaming)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def endpoint(kind: str) -> Iterator[str]:
    """The address of an endpoint that is dead in this way, or `alive`."""
    match kind:
        case "refused":
            with socket.socket() as taken:
                taken.bind(("127.0.0.1", 0))
                yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        case "404":
            with running() as url:
                yield url.replace("/v1", "/nothing/here")
        case "streams":
            with streaming() as url:
                yield url
        case "500" | "breaks off":
            with running(faults={"kinds": {"500" if kind == "500" else "truncated": 1}}) as url:
                yield url
        case _:
            with running(script={"half-dead": HALF, "prose": PROSE}.get(kind)) as url:
                yield url


def settings(url: str) -> dict[str, Any]:
    """The endpoint `fake` as an osler.toml has it."""
    return {"endpoints": {"fake": {"base_url": url, "model": "fake"}}}


def with_patient(models: Any) -> World:
    """A world whose patient is the model `fake`."""
    config = RunConfig(cases="library", limit=1, patient="model:fake", moves="text")
    return World(config, models=models)


def to_the_end(env: SyncEnv, answers: Sequence[str] = DOCTOR) -> EndedEpisode:
    now = env.reset(0)
    while isinstance(now, OpenPrompt):
        said = sum(one.role == "assistant" for one in now.messages)
        now = env.step(answers[min(said, len(answers) - 1)], now.ticket)
    assert isinstance(now, EndedEpisode)
    return now


@pytest.mark.parametrize("kind", KINDS)
def test_a_dead_endpoint_in_another_seat_raises_and_the_row_can_be_begun_again(kind: str) -> None:
    with endpoint(kind) as url:
        models = Models(Endpoints.model_validate(settings(url)), manners=AT_ONCE)
        with SyncEnv(with_patient(models), text=True) as env:
            with pytest.raises(InfrastructureFault, match="endpoint"):
                to_the_end(env)
            assert isinstance(env.reset(0), OpenPrompt)


def test_prose_instead_of_json_in_another_seat_is_unscored() -> None:
    with endpoint("prose") as url:
        models = Models(Endpoints.model_validate(settings(url)), manners=AT_ONCE)
        with SyncEnv(with_patient(models), text=True) as env:
            ended = to_the_end(env)
    assert ended.trace.outcome.status is Status.SIMULATOR_FAULT
    assert why_unscored(ended.trace, "doctor")
    assert set(ended.scores.values()) <= {None}


def test_a_living_one_gives_turns_and_a_score_and_leaves_no_connection_open(tmp_path: Path) -> None:
    file = tmp_path / "osler.toml"
    with endpoint("alive") as url:
        file.write_text(f'[endpoints.fake]\nbase_url = "{url}"\nmodel = "fake"\n')
        wanted = RunConfig(cases="library", limit=1, patient="model:fake", moves="text")
        config, models = with_models(wanted, ModelOptions(file))
        with SyncEnv(World(config, models=models), text=True) as env:
            ended = to_the_end(env)
    assert why_unscored(ended.trace, "doctor") == ""
    assert ended.scores["turns"] == 3
    assert ended.scores["correct"] == 0.0
    assert [row.seat for row in ended.trace.rows].count("patient") >= 2


@pytest.mark.parametrize("words", ["", "<html><h1>502 Bad Gateway</h1></html>", "All seems well to me."])
def test_a_policy_of_which_no_answer_can_be_read_is_unscored(words: str) -> None:
    with SyncEnv(World(RunConfig(cases="library", limit=1)), text=True) as env:
        ended = to_the_end(env, (words,))
    assert ended.trace.outcome.status is Status.INVALID_PLAY
    assert "unreadable" in why_unscored(ended.trace, "doctor")


POLICY = """
import json
import sys
from urllib.request import Request, urlopen
from osler.adapters import OpenPrompt, SyncEnv, World
from osler.protocols.consultation.config import RunConfig


def model(messages):
    sent = {"model": "fake", "messages": [{"role": one.role, "content": one.text} for one in messages]}
    asked = Request(sys.argv[1] + "/chat/completions", json.dumps(sent).encode())
    with urlopen(asked) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


with SyncEnv(World(RunConfig(cases="library", limit=1)), text=True) as env:
    now = env.reset(0)
    while isinstance(now, OpenPrompt):
        now = env.step(model(now.messages), now.ticket)
    print("score", now.scores["correct"])
"""


@pytest.mark.parametrize("kind", ["404", "alive"])
def test_a_program_whose_policy_is_dead_prints_no_score_and_does_not_exit_0(kind: str) -> None:
    with endpoint(kind) as url:
        command = [sys.executable, "-c", POLICY, url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode == 0) is ("score" in done.stdout) is (kind == "alive"), done.stderr
