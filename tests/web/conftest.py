"""A house over an empty store, its application called in process, and a real server around it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from osler.core.source import Source
from osler.store.store import open_store
from osler.web.app import application
from osler.web.door import IN_PROCESS, door
from osler.web.house import House
from osler.web.serving import Server, listening

HERE = "http://127.0.0.1"
"""The address of an application called in process (`osler.web.door.IN_PROCESS`)."""


@pytest.fixture(scope="session")
def sources() -> dict[tuple[str, str], Source[Any]]:
    """The cases that were read, shared by all houses of a session."""
    return {}


@pytest.fixture
def house(tmp_path: Path, sources: dict[tuple[str, str], Source[Any]]) -> Iterator[House]:
    """A house over an empty store, not shared."""
    with open_store(tmp_path / "osler.db") as store:
        yield House(store, _sources=sources)


@asynccontextmanager
async def calling(house: House) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application in process, while its rooms run. Streams need a real server."""
    app = application(house)
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url=HERE) as client,
    ):
        yield client


def ask(house: House, method: str, path: str, **given: Any) -> httpx.Response:
    """The answer to one request, in process."""

    async def asked() -> httpx.Response:
        async with calling(house) as client:
            return await client.request(method, path, **given)

    return asyncio.run(asked())


@contextmanager
def serving(house: House) -> Iterator[str]:
    """The address of a real server over the house, at a free port, with the house's door moved there."""
    taken = listening("127.0.0.1", 0)
    port = taken.getsockname()[1]
    house.door = door(port, until=house.door.until)
    server = Server(house)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        assert not thread.is_alive(), "the server did not end"


@pytest.fixture
def shared(house: House) -> House:
    """The same house, shared for an hour."""
    house.door = IN_PROCESS._replace(until=time.time() + 3600)
    return house


@pytest.fixture
def served(house: House) -> Iterator[str]:
    """The address of a real server over `house`."""
    with serving(house) as address:
        yield address
