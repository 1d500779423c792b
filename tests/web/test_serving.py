"""A server that is stopped: open streams end, rooms stop, and nobody waits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from starlette.responses import StreamingResponse

from osler.web import app as application
from osler.web.door import address
from osler.web.house import House
from tests.web.conftest import serving


class Ticking:
    """A room with a stream that never ends, and something that runs while the server does."""

    def __init__(self) -> None:
        self.happened = list[str]()
        self.router = APIRouter(prefix="/api", lifespan=self.running)
        self.router.get("/ticks/stream")(self.ticks)

    @asynccontextmanager
    async def running(self, app: FastAPI) -> AsyncIterator[None]:
        self.happened.append("begun")
        yield
        self.happened.append("stopped")

    async def ticks(self) -> StreamingResponse:
        return StreamingResponse(self.each(), media_type="text/event-stream")

    async def each(self) -> AsyncIterator[bytes]:
        try:
            yield b": hello\n\n"
            await asyncio.Event().wait()
        finally:
            self.happened.append("stream ended")


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> Ticking:
    room = Ticking()
    monkeypatch.setattr(application, "watch", room.router)
    return room


def test_stopping_ends_open_streams_and_then_the_rooms(
    house: House, ticking: Ticking, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with httpx.Client(timeout=60) as client:
        with serving(house) as address:
            stream = client.stream("GET", f"{address}/api/ticks/stream")
            lines = stream.__enter__().iter_lines()
            assert next(lines) == ": hello"
            assert ticking.happened == ["begun"]
        assert list(lines) == [""]  # ended, not broken off
        stream.__exit__(None, None, None)
    assert ticking.happened == ["begun", "stream ended", "stopped"]
    assert caplog.text == "", "nothing had to be cut off"


def test_a_stream_ends_when_its_tab_is_closed(house: House, ticking: Ticking) -> None:
    with serving(house) as address:
        with httpx.stream("GET", f"{address}/api/ticks/stream", timeout=60) as stream:
            assert next(stream.iter_lines()) == ": hello"
        while "stream ended" not in ticking.happened:  # the suite's own limit ends this if it never does
            httpx.get(f"{address}/api/me", timeout=60)


def test_a_stream_too_many_is_refused_in_words(
    house: House, ticking: Ticking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.web.guard.ALL_STREAMS", 1)
    with serving(house) as address, httpx.stream("GET", f"{address}/api/ticks/stream", timeout=60) as stream:
        lines = stream.iter_lines()  # kept, for it closes the stream when it goes
        assert next(lines) == ": hello"
        told = httpx.get(f"{address}/api/ticks/stream", timeout=60)
        assert (told.status_code, told.headers["retry-after"]) == (503, "60")
        assert told.json()["what"] == "too many are watching"


def test_the_address_of_a_shared_server_behind_a_proxy_is_the_proxy_s() -> None:
    names = ("osler.example.org",)
    assert address("127.0.0.1", 8321, names, shared=True) == "https://osler.example.org/"
    assert address("127.0.0.1", 8321, ("osler.example.org:8443",), shared=True).endswith(".org:8443/")
    assert address("127.0.0.1", 8321, names) == "http://osler.example.org:8321/"
    assert address("127.0.0.1", 8321, shared=True) == "http://127.0.0.1:8321/"
    assert address("0.0.0.0", 8321, names, shared=True) == "http://osler.example.org:8321/"
    assert address("0.0.0.0", 443, names, tls=True, shared=True) == "https://osler.example.org:443/"
