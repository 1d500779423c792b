"""Connections at a real server: who does not say what they want is not waited for, and crowds nobody out."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from osler.web import connections
from osler.web.connections import MOST_UNHEARD
from osler.web.door import door
from osler.web.house import House
from osler.web.serving import _MOST_AT_ONCE
from tests.web import conftest
from tests.web.conftest import serving

HALF = b"GET /api/me HTTP/1.1\r\n"


@contextmanager
def line(address: str, sent: bytes, source: str = "127.0.0.1") -> Iterator[socket.socket]:
    """A connection by which something was sent."""
    where = urlsplit(address)
    with socket.create_connection(
        (where.hostname, where.port), timeout=60, source_address=(source, 0)
    ) as made:
        made.sendall(sent)
        yield made


def is_closed(made: socket.socket) -> bool:
    """Whether the other end closes the connection, which is waited for."""
    try:
        return made.recv(1) == b""
    except ConnectionResetError:
        return True


def answered(address: str, source: str = "127.0.0.1") -> int:
    """The status of a whole request."""
    with httpx.Client(transport=httpx.HTTPTransport(local_address=source), timeout=60) as client:
        return client.get(f"{address}/api/me").status_code


@pytest.fixture
def public(shared: House) -> Iterator[str]:
    """The address of a real server that is shared."""
    with serving(shared) as address:
        yield address


@pytest.mark.parametrize("sent", [b"", HALF, HALF + b"Host: x\r\n"])
def test_headers_that_do_not_come_are_not_waited_for(
    house: House, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.1)
    with serving(house) as address, line(address, sent) as made:
        assert is_closed(made)


def test_half_a_request_after_a_whole_one_is_not_waited_for_either(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEADERS_S", 0.1)
    with serving(house) as address:
        whole = HALF + b"Host: " + urlsplit(address).netloc.encode() + b"\r\n\r\n"
        with line(address, whole + HALF) as made:
            found = b""
            while more := made.recv(65_536):
                found += more
            assert found.startswith(b"HTTP/1.1 200 ")


def test_a_thousand_half_sent_headers_from_one_address_leave_room_for_others(public: str) -> None:
    with ExitStack() as held:
        for _ in range(_MOST_AT_ONCE + 50):
            held.enter_context(line(public, HALF))
        assert answered(public, "127.0.0.2") == 200
        assert answered(public) == 200, "whoever is in earnest is heard at the same address, too"


def test_the_oldest_half_sent_request_of_an_address_makes_room(public: str) -> None:
    with ExitStack() as held:
        elsewhere = held.enter_context(line(public, HALF, "127.0.0.2"))
        first, *others = [held.enter_context(line(public, HALF)) for _ in range(MOST_UNHEARD + 1)]
        assert is_closed(first)
        for made in (others[-1], elsewhere):
            made.sendall(b"Host: " + urlsplit(public).netloc.encode() + b"\r\n\r\n")
            assert made.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_proxy_that_is_named_may_hold_any_number(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def named(port: int, until: float | None = None, **more: Any) -> Any:
        return door(port, until=time.time() + 3600, proxies=(ip_network("127.0.0.1"),))

    monkeypatch.setattr(conftest, "door", named)
    with serving(house) as address, ExitStack() as held:
        first, *_ = [held.enter_context(line(address, HALF)) for _ in range(MOST_UNHEARD + 5)]
        first.sendall(b"Host: " + urlsplit(address).netloc.encode() + b"\r\n\r\n")
        assert first.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_reader_who_does_not_read_is_left(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "UNREAD_S", 0.1)
    with serving(house) as address:
        where = urlsplit(address)
        asked = b"GET /openapi.json HTTP/1.1\r\nHost: " + where.netloc.encode() + b"\r\n\r\n"
        with socket.socket() as made:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            made.settimeout(60)
            made.connect((where.hostname, where.port))
            made.sendall(asked * 200)
            while True:  # nothing is read: at the end the server no longer takes what is sent
                try:
                    made.sendall(asked)
                except (ConnectionResetError, BrokenPipeError):
                    break
