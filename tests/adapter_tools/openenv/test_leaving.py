"""Sessions that end without a word: dropped sockets, idle ones, too many, a server that stops."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import socket
import struct
import threading
import tracemalloc
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from osler.adapters.conversation import Conversation
from osler.adapters.openenv import Encounters, app_of
from osler.adapters.openenv.environment import OslerEnvironment
from osler.core.contract import Request
from osler.errors import BadInput
from osler.protocols.consultation.config import RunConfig
from tests.adapter_tools.openenv.serving import Served, in_order, served, to_the_end

THREE = RunConfig(cases="library", limit=3)
DOCTOR = in_order("When did it start?", "DIAGNOSIS READY: [migraine]")


def said(session: Any, kind: str, **data: Any) -> dict[str, Any]:
    """Send a message over a bare WebSocket, and return the answer."""
    session.send(json.dumps({"type": kind, "data": data}))
    found: dict[str, Any] = json.loads(session.recv())
    return found


def noticing(server: Served) -> tuple[threading.Event, list[Conversation]]:
    """An event that is set once an encounter has been left, and those encounters."""
    event, left, leave = threading.Event(), list[Conversation](), server.encounters.leave

    def noticed(talk: Conversation) -> None:
        leave(talk)
        left.append(talk)
        for task in server.encounters._leaving:
            task.add_done_callback(lambda _: event.set())

    server.encounters.leave = noticed  # type: ignore[method-assign]
    return event, left


def warnings_in(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> list[str]:
    """What was logged, or written to standard error, by uvicorn for one."""
    logged = [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]
    return logged + capfd.readouterr().err.splitlines()


def drop(session: Any) -> None:
    """Drop the connection with a TCP reset, as a crashed trainer's machine does."""
    session.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    session.socket.shutdown(socket.SHUT_RD)
    session.socket.close()


def test_a_dropped_socket_leaves_the_encounter(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with served(THREE) as server:
        event, left = noticing(server)
        with connect(server.url.replace("http", "ws") + "/ws") as session:
            assert said(session, "reset", row=0)["data"]["observation"]["ticket"] == "1.0"
            assert said(session, "step", text="When did it start?")["type"] == "observation"
            drop(session)
            assert event.wait(30)
        [talk] = left
        assert talk._task is not None
        assert talk._task.cancelled()
        with server.client() as env:  # its place is free again, and the server well
            assert to_the_end(env, DOCTOR, row=0).reward is not None
    del session, talk
    left.clear()
    gc.collect()
    assert warnings_in(caplog, capfd) == []
    assert server.encounters.tally.scored == 1


def test_a_socket_dropped_in_the_middle_of_a_step_leaves_it_too(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    asked, answer = threading.Event(), threading.Event()

    class Slow:
        name, durable = "slow", False

        async def reply(self, request: Request[Any], /) -> Any:
            asked.set()
            await asyncio.to_thread(answer.wait)
            return {"answer": "Two days ago."}

    config = RunConfig(cases="library", limit=1, patient="slow")
    with served(config, more={"slow": lambda given: Slow()}) as server:
        event, left = noticing(server)
        with connect(server.url.replace("http", "ws") + "/ws") as session:
            said(session, "reset")
            session.send(json.dumps({"type": "step", "data": {"text": "When did it start?"}}))
            assert asked.wait(30)
            drop(session)
            answer.set()
            assert event.wait(30)
    assert len(left) == 1
    del session
    gc.collect()
    assert warnings_in(caplog, capfd) == []


def conversations() -> int:
    """How many encounters are held in memory."""
    return sum(isinstance(one, Conversation) for one in gc.get_objects())


def test_memory_stays_flat_over_a_thousand_resets() -> None:
    with served(THREE) as server, server.client() as env:

        def rounds(number: int) -> int:
            for _ in range(number):
                env.reset()
                env.step("When did it start?")
            gc.collect()
            return tracemalloc.get_traced_memory()[0]

        rounds(50)
        held = conversations()
        tracemalloc.start()
        try:
            before = rounds(50)
            after = rounds(900)
        finally:
            tracemalloc.stop()
        assert conversations() <= held
    assert after - before < 1 << 20


def test_more_sessions_than_allowed_are_refused_and_a_closed_one_makes_room() -> None:
    with served(THREE, sessions=2) as server:
        url = server.url.replace("http", "ws") + "/ws"
        with connect(url) as one, connect(url) as two:
            assert said(one, "reset")["type"] == said(two, "reset")["type"] == "observation"
            with connect(url) as three:
                assert json.loads(three.recv())["data"]["code"] == "CAPACITY_REACHED"
            one.send(json.dumps({"type": "close"}))
            with pytest.raises(ConnectionClosed):
                one.recv()
            with connect(url) as four:
                assert said(four, "reset")["type"] == "observation"


def test_a_session_that_was_left_for_idleness_says_so_and_plays_no_more() -> None:
    with served(THREE) as server:
        made = list[OslerEnvironment]()
        event, _ = noticing(server)
        keep = OslerEnvironment.__init__

        def kept(self: OslerEnvironment, encounters: Encounters) -> None:
            keep(self, encounters)
            made.append(self)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(OslerEnvironment, "__init__", kept)
            with connect(server.url.replace("http", "ws") + "/ws") as session:
                said(session, "reset")
                made[-1].close()  # as OpenEnv's reaper does, from any thread
                assert event.wait(30)
                for kind in ("step", "reset"):
                    found = said(session, kind, **({"text": "x"} if kind == "step" else {}))
                    assert "connect again" in found["data"]["message"]


def test_the_limits_reach_openenv() -> None:
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        app_of(Encounters(THREE), sessions=0)


def test_a_server_that_stops_leaves_every_encounter(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as around, served(THREE) as server:
        event, left = noticing(server)
        for _ in range(4):
            session = around.enter_context(connect(server.url.replace("http", "ws") + "/ws"))
            said(session, "reset")
    assert event.is_set()
    assert len(left) == 4
    assert all(talk._task is not None and talk._task.cancelled() for talk in left)
    gc.collect()
    assert warnings_in(caplog, capfd) == []


def test_nothing_to_play_is_refused() -> None:
    with pytest.raises(BadInput):
        Encounters(RunConfig(cases="library", only="no-such-case"))
