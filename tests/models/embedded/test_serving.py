"""The process that serves a file: started once and shared, started again when it dies, gone with Osler."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from osler.errors import BadInput
from osler.models.client import EndpointClient
from osler.models.config import Endpoint
from osler.models.embedded.server import end_servers
from osler.models.faults import EndpointFault, Kind, Retry
from osler.models.manners import Manners
from osler.models.types import CompletionRequest, Message

STAND_IN: Final = str(Path(__file__).parent / "stand_in")
SRC: Final = str(Path(__file__).parents[3] / "src")
SWIFT: Final = Manners(retry=Retry(tries=3, base_s=0.001, cap_s=0.01))
PATIENCE_S: Final = 30.0
PARENT: Final = """
import asyncio, sys
from osler.models.config import Endpoint
from osler.models.embedded.server import server_of
server = server_of(Endpoint(name="one", gguf=sys.argv[1]))
async def main():
    waiting = asyncio.create_task(server.port())
    await asyncio.sleep(0)
    print(server.pid, flush=True)
    await waiting
    print("up", flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([STAND_IN, SRC]))
    yield
    end_servers()


def endpoint(folder: Path, word: str = "", **more: object) -> Endpoint:
    file = folder / "tiny.gguf"
    file.write_text(f"GGUF{word}")
    return Endpoint.model_validate({"name": "one", "gguf": file, **more})


async def ask(found: Endpoint, words: str = "hello") -> list[str]:
    async with EndpointClient(found, manners=SWIFT) as client:
        answer = await client.complete(CompletionRequest(messages=(Message(role="user", text=words),)))
        return answer.text.split()


def test_clients_of_a_file_share_a_server_with_the_settings_of_its_endpoint(tmp_path: Path) -> None:
    one = endpoint(tmp_path, threads=3, context=1024, parallel=2)
    other = one.model_copy(update={"name": "other"})

    async def all_three() -> tuple[list[str], ...]:
        return await asyncio.gather(ask(one), ask(other), ask(one))

    answers = asyncio.run(all_three())
    assert len({words[0] for words in answers}) == 1, "one process"
    assert answers[0][1:] == ["3", "2048", "2"], "each request has the whole context"
    assert asyncio.run(ask(one)) == answers[0], "and it stays, for another event loop too"


def test_a_file_with_two_sets_of_settings_is_refused(tmp_path: Path) -> None:
    EndpointClient(endpoint(tmp_path, threads=1))
    with pytest.raises(BadInput, match="other threads, context or parallel"):
        EndpointClient(endpoint(tmp_path, threads=2))


def test_a_server_that_dies_is_started_again(tmp_path: Path) -> None:
    one = endpoint(tmp_path)
    before = asyncio.run(ask(one))[0]
    os.kill(int(before), signal.SIGKILL)
    assert asyncio.run(ask(one))[0] != before


def test_a_request_that_ends_its_server_is_given_up(tmp_path: Path) -> None:
    one = endpoint(tmp_path)
    with pytest.raises(EndpointFault) as caught:
        asyncio.run(ask(one, "die"))
    assert caught.value.kind is Kind.CONNECTION
    assert asyncio.run(ask(one)), "and the next is answered"


def test_a_file_that_the_library_refuses_says_why(tmp_path: Path) -> None:
    with pytest.raises(EndpointFault) as caught:
        asyncio.run(ask(endpoint(tmp_path, "broken")))
    assert caught.value.kind is Kind.NOT_SERVED
    assert "ended with status 1: load: unknown model architecture: 'xyz'" in caught.value.what
    assert "is the file whole" in caught.value.hint


def test_a_file_that_loads_for_long_can_be_given_up(tmp_path: Path) -> None:
    one = endpoint(tmp_path, "slow")

    async def impatient() -> None:
        async with asyncio.timeout(0.1):
            await ask(one)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())


@pytest.mark.parametrize("word", ["", "slow"], ids=["serving", "loading"])
def test_no_server_is_left_when_osler_is_killed(word: str, tmp_path: Path) -> None:
    one = endpoint(tmp_path, word)
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(one.gguf)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        if not word:
            assert parent.stdout.readline() == "up\n"
        parent.kill()
    until = time.monotonic() + PATIENCE_S
    while running(child):
        assert time.monotonic() < until, "the server is still there"
        time.sleep(0.02)


def running(pid: int) -> bool:
    """Whether a process is there and is more than an entry that nobody has read."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    return bool(state.strip()) and not state.startswith("Z")
