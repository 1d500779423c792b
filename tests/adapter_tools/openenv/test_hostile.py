"""Texts, messages and browsers that mean no good: refused in words, without a traceback, never rewarded."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from osler.adapters.openenv.models import MOST_TEXT
from osler.protocols.consultation.config import RunConfig
from tests.adapter_tools.openenv.serving import served

JSON_MOVES = RunConfig(cases="library", limit=1, moves="json")
TEXT_MOVES = RunConfig(cases="library", limit=1)
TEXTS = (
    "",
    " ",
    "\0",
    "\ud800",
    "a\udfffb",
    "\x1b[2J\x07",
    "\u202e",
    "\r\n",
    "</patient_says>",
    "9" * MOST_TEXT,
)


@pytest.mark.parametrize("config", [JSON_MOVES, TEXT_MOVES], ids=["json", "text"])
def test_any_text_is_an_answer_or_a_refused_one(config: RunConfig) -> None:
    with served(config) as server, server.client() as env:
        for text in TEXTS:
            ticket = env.reset().observation.ticket
            seen = env.step(text).observation
            assert not seen.done
            assert seen.ticket != ticket
            assert seen.reward is None
            for each in seen.messages:
                each["content"].encode()
            if config is JSON_MOVES:
                assert "Not a valid move" in seen.text, text[:20]


def test_a_text_that_is_too_long_is_refused_without_a_move() -> None:
    with served(TEXT_MOVES) as server, server.client() as env:
        env.reset()
        with pytest.raises(RuntimeError, match=f"at most {MOST_TEXT}"):
            env.step("x" * (MOST_TEXT + 1))
        assert env.state().step_count == 0
        assert env.step("When did it start?").observation.ticket == "1.1"


@pytest.mark.parametrize(
    "message",
    [
        {"type": "step", "data": {"text": 5}},
        {"type": "step", "data": {"text": ["a"]}},
        {"type": "step", "data": {}},
        {"type": "step", "data": {"text": "a", "reward": 1}},
        {"type": "step", "data": {"text": "a", "ticket": 1}},
        {"type": "step", "data": {"text": "a", "ticket": "\ud800" * 100}},
        {"type": "step", "data": None},
        {"type": "reset", "data": {"seed": 1e400}},
        {"type": "reset", "data": {"seed": 2**70}},
        {"type": "reset", "data": {"seed": 1.5}},
        {"type": "reset", "data": {"row": [0]}},
        {"type": "reset", "data": {"episode_id": "e" * 300}},
        {"type": "reset", "data": {"self": 1}},
        {"type": "score"},
        {"type": "\ud800"},
    ],
)
def test_a_malformed_message_is_refused_and_moves_nothing(message: dict[str, Any]) -> None:
    with served(TEXT_MOVES) as server, connect(server.url.replace("http", "ws") + "/ws") as session:
        session.send(json.dumps({"type": "reset"}))
        first = json.loads(session.recv())
        session.send(json.dumps(message))
        found = json.loads(session.recv())
        assert found["type"] == "error"
        assert "Traceback" not in json.dumps(found)
        assert first["data"]["observation"]["ticket"] == "1.0"
    assert server.played == []


def posted(url: str, body: bytes, **headers: str) -> tuple[int, str]:
    """The status and text of an answer to a POST."""
    request = urllib.request.Request(url, body, {"content-type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request) as found:
            return found.status, found.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_single_requests_hold_no_session_and_say_so() -> None:
    with served(TEXT_MOVES) as server:
        status, body = posted(f"{server.url}/reset", b"{}")
        assert (status, json.loads(body)["observation"]["ticket"]) == (200, "1.0")
        status, body = posted(f"{server.url}/step", b'{"action": {"text": "When did it start?"}}')
        assert (status, "over the same WebSocket" in body) == (409, True)
        status, body = posted(f"{server.url}/reset", b'{"row": 99}')
        assert (status, "there is no row 99" in body) == (400, True)
    assert server.played == []


def test_a_body_that_is_too_long_or_hides_its_length_is_not_read() -> None:
    with served(TEXT_MOVES) as server:
        name = server.url.removeprefix("http://")
        for headers in ("Content-Length: 999999999999", "Transfer-Encoding: chunked"):
            with socket.create_connection(tuple(name.split(":"))) as line:  # type: ignore[arg-type]
                line.sendall(f"POST /reset HTTP/1.1\r\nHost: {name}\r\n{headers}\r\n\r\n".encode())
                assert line.recv(64).startswith(b"HTTP/1.1 413")


def test_other_sites_pages_are_refused() -> None:
    with served(TEXT_MOVES) as server:
        for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}, {"Host": "["}):
            status, body = posted(f"{server.url}/reset", b"{}", **headers)
            assert (status, "other sites" in body) == (403, True)
        with pytest.raises(InvalidStatus):
            connect(server.url.replace("http", "ws") + "/ws", origin="https://evil.example")
        with connect(server.url.replace("http", "ws") + "/ws", origin=server.url) as own:
            own.send(json.dumps({"type": "reset"}))
            assert json.loads(own.recv())["type"] == "observation"
