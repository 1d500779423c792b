"""Over HTTP: the token, several agents, a client that vanishes, a server that is killed, and faults."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.store.store import open_store
from osler.testing.endpoint import running
from tests.adapter_tools.mcp.agents import TIMEOUT_S, osler, served, state_of, text_of

LIBRARY = ("consultation", "library", "--limit", "3")
TOKEN = "a-token-of-the-tests-0123456789"


def answered(url: str, headers: Mapping[str, str], body: bytes = b"{}") -> int:
    """The status that a request is answered with."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_the_door_the_agents_and_a_kill(tmp_path: Path) -> None:
    with served(tmp_path, *LIBRARY, "--token-env", "T", env={"T": TOKEN}) as server:
        assert server.token == ""
        server.token = TOKEN
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert answered(server.url, {}) == 401
        assert answered(server.url, {"Authorization": "Bearer no"}) == 401
        assert answered(server.url, {**bearer, "Host": "evil.example"}) == 421
        assert answered(server.url, {**bearer, "Origin": "http://evil.example"}) == 403
        assert answered(server.url, bearer, b"x" * 300_000) == 413

        async def two_agents() -> tuple[str, str]:
            async with server.agent() as one, server.agent() as other:
                await one.call("open_case")
                await other.call("open_case")
                assert one.at["encounter"] != other.at["encounter"]
                moved = await one.call("ask", question="When did it start?")
                assert moved.structured_content["ticket"] == "1.0"
                assert "When did it start?" not in text_of(await other.call("status"))
                nameless = await other.client.call_tool("ask", {"question": "x", "ticket": "0.0"})
                assert nameless.is_error
                return one.at["encounter"], one.at["ticket"]

        async def goes_on(encounter: str, ticket: str, move: bool) -> None:
            async with server.agent() as other:
                now = await other.call("open_case", encounter=encounter)
                assert now.structured_content["ticket"] == ticket
                assert "When did it start?" in text_of(now)
                if move:
                    await other.call("ask", question="Does it spread?")

        encounter, _ = asyncio.run(two_agents())
        asyncio.run(goes_on(encounter, "1.0", move=True))
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(TIMEOUT_S)

    with open_store(tmp_path / "osler.db") as store:
        (run,) = store.runs()
        before = store.recorded(run.id, 0)
    with served(tmp_path, "--resume", run.name) as server:

        async def ends() -> None:
            async with server.agent() as agent:
                now = await agent.call("open_case", encounter=encounter)
                assert now.structured_content["ticket"] == "2.0"
                assert "Does it spread?" in text_of(now)
                ended = await agent.call("finalize", diagnosis="Myocardial infarction")
                assert state_of(ended) == "ended"

        asyncio.run(ends())
        code, said = server.stop()
        assert code == 0, said
        assert f"osler mcp --resume {run.name}" in said
    with open_store(tmp_path / "osler.db") as store:
        assert store.recorded(run.id, 0)[: len(before)] == before, "nothing was asked twice"
        assert len(list(store.episodes(run.id))) == 1
    code, _, said = osler(tmp_path, "judge", "run", run.name)
    assert code in (0, 1), said
    assert "Traceback" not in said


@contextmanager
def refusing() -> Iterator[str]:
    """The address of a port at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


KINDS = {"404": "wrong-model", "500": "500", "half-dead": "schema-violation", "breaks off": "truncated"}
PROSE = [{"reply": "I would rather not fill in any form."}]


@contextmanager
def endpoint(fault: str) -> Iterator[str]:
    """The address of an endpoint with this fault; half-dead, it answers, and never what is asked for. (None
    is ever asked to stream.)"""
    if fault == "refused":
        with refusing() as url:
            yield url
        return
    faults = {"rate": 1.0, "kinds": {KINDS[fault]: 1.0}} if fault in KINDS else None
    with running(faults=faults, script=PROSE if fault == "prose" else None) as found:
        yield found


def configured(folder: Path, url: str) -> None:
    lines = ["[endpoints.fake]", f'base_url = "{url}"', 'model = "fake"', "timeout_s = 5"]
    (folder / "osler.toml").write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("fault", ["", "404", "500", "refused", "breaks off", "half-dead", "prose"])
def test_a_fault_of_another_seat_ends_neither_in_a_score_nor_in_exit_0(fault: str, tmp_path: Path) -> None:
    with endpoint(fault) as url:
        configured(tmp_path, url)
        with served(tmp_path, *LIBRARY, "--seat", "patient=model:fake") as server:

            async def play() -> Any:
                async with server.agent() as agent:
                    await agent.call("open_case")
                    asked = await agent.call("ask", question="When did it start?")
                    if fault:
                        assert state_of(asked) in ("paused", "ended")
                        assert "scored" in text_of(asked)
                        for secret in (url, "127.0.0.1", "Traceback", "fake"):
                            assert secret not in "".join(agent.seen)
                        return asked
                    assert state_of(asked) == "yours"
                    await agent.call("ask", question="Where exactly does it hurt?")
                    return await agent.call("finalize", diagnosis="Flu")

            asyncio.run(play())
            code, said = server.stop()
    with open_store(tmp_path / "osler.db") as store:
        (run,) = store.runs()
        scored = [
            value
            for row in store.episodes(run.id)
            for judgement in store.record(run.id, row.ordinal)[2]
            for value in (one["value"] for one in json.loads(judgement.body).get("scores", {}).values())
            if value is not None
        ]
    if fault:
        assert code == 3, said
        assert not scored
        assert "met a fault" in said
    else:
        assert code == 0, said
        assert scored
        assert [one.seat for one in store.recorded(run.id, 0)].count("patient") == 2


def test_what_cannot_be_served_is_refused_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, why in (
        (["consultation", "--http", "0", "--host", "0.0.0.0"], "--token-env"),
        (["consultation", "--http", "0", "--token-env", "NO_SUCH"], "no token"),
        (["consultation", "--json"], "standard output belongs"),
        (["consultation"], "no agent speaks"),
        (["consultation", "no-such-file"], "no-such-file"),
        (["consultation", "--as", "nobody"], "nobody"),
        (["ward_round", "--as", "student"], "student_1"),
        (["consultation", "--seat", "patient=person"], "person"),
        (["--resume", "none"], "no runs yet"),
        ([], "no protocol"),
    ):
        done = CliRunner().invoke(app, ["mcp", *arguments])
        assert done.exit_code == 1, (arguments, done.stderr)
        assert why in done.stderr
        assert not done.stdout
