"""Real clients of a real `osler mcp` process: over standard input and output, and over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

OSLER = Path(sys.executable).parent / "osler"
TIMEOUT_S = 300


class Agent:
    """A client that remembers the encounter and the ticket, as an agent does."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.at: dict[str, str] = {}
        self.seen: list[str] = []

    async def call(self, name: str, **fields: Any) -> Any:
        """Call a tool, with the encounter and the ticket that were told last."""
        known = {} if name == "open_case" else self.at
        if name == "status":
            known = {key: value for key, value in self.at.items() if key != "ticket"}
        result = await self.client.call_tool(name, {**known, **fields})
        told = result.structured_content
        self.at |= {key: told[key] for key in ("encounter", "ticket") if told.get(key)}
        self.seen.append(result.model_dump_json())
        assert told["text"] == result.content[0].text
        return result

    async def tools(self) -> dict[str, Any]:
        """The tools that there are."""
        listed = await self.client.list_tools()
        self.seen.append(listed.model_dump_json())
        return {tool.name: tool for tool in listed.tools}


def text_of(result: Any) -> str:
    """The words of a result."""
    words: str = result.content[0].text
    return words


def state_of(result: Any) -> str:
    """Where the encounter stands."""
    state: str = result.structured_content["state"]
    return state


@asynccontextmanager
async def over_stdio(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> AsyncIterator[Agent]:
    """An agent whose client starts the server; its standard error is in `stderr` in the folder."""
    given = StdioServerParameters(
        command=str(OSLER), args=["mcp", *arguments], env={**os.environ, **(env or {})}, cwd=folder
    )
    with (folder / "stderr").open("a") as errors:
        async with Client(stdio_client(given, errlog=errors)) as client:
            yield Agent(client)


class Served:
    """A server over HTTP: its process, address and token."""

    def __init__(self, process: subprocess.Popen[str], url: str, token: str) -> None:
        self.process, self.url, self.token = process, url, token

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Stop it; its exit status, and its standard error."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=TIMEOUT_S)
        return self.process.returncode, said

    @asynccontextmanager
    async def agent(self, token: str | None = None) -> AsyncIterator[Agent]:
        """An agent that reaches it."""
        headers = {"Authorization": f"Bearer {self.token if token is None else token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=TIMEOUT_S) as http,
            Client(streamable_http_client(self.url, http_client=http)) as client,
        ):
            yield Agent(client)


@contextmanager
def served(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Iterator[Served]:
    """A server on a free port."""
    command = [str(OSLER), "mcp", *arguments, "--http", "0", "--json"]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(process.communicate(timeout=TIMEOUT_S)[1])
        told = json.loads(line)
        yield Served(process, told["url"], told.get("token", ""))
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(TIMEOUT_S)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def osler(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Another command: its exit status, output and errors."""
    command: Sequence[str] = [str(OSLER), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    return done.returncode, done.stdout, done.stderr
