"""The guard: whatever comes from elsewhere stops here, and no answer leaves without its headers."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from osler.web.entrance import router
from osler.web.house import House
from tests.web.conftest import HERE, ask

JSON = {"content-type": "application/json"}
HOSTILE = "<script>alert(1)</script>\u202e\u0000\ud83d\ude00'\"; DROP TABLE runs; --"


def test_whoever_asks_on_this_machine_has_every_right(house: House) -> None:
    told = ask(house, "GET", "/api/me")
    assert told.status_code == 200
    assert told.json()["rights"] == ["learn", "run", "teach", "watch"]
    assert "education and research only" in told.json()["notice"]


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "127.0.0.1:9999", "", "localhost.", "0.0.0.0", "é"]
)
def test_a_name_that_somebody_elses_dns_points_here_is_refused(house: House, host: str) -> None:
    assert ask(house, "GET", "/api/me", headers={"host": host.encode()}).status_code == 421
    assert ask(house, "GET", "/", headers={"host": host.encode()}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1", "LOCALHOST", "localhost:80", "[::1]"])
def test_our_own_names_are_known(house: House, host: str) -> None:
    assert ask(house, "GET", "/api/me", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": HERE + ":9999"},  # another program's page on this machine
        {"origin": "http://localhost"},
        {"origin": HERE, "sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_page_of_somebody_else_can_change_nothing(house: House, headers: dict[str, str]) -> None:
    told = ask(house, "POST", "/api/enter", headers=JSON | headers, content='{"token": "x"}')
    assert told.status_code == 403
    assert told.json()["what"] == "this came from another page"


def test_our_own_pages_and_programs_of_this_machine_are_heard(house: House) -> None:
    for headers in ({"origin": HERE, "sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}, {}):
        assert ask(house, "POST", "/api/enter", headers=JSON | headers, content="{}").status_code == 422


def test_a_shared_server_hears_no_program_that_hides_where_it_comes_from(shared: House) -> None:
    told = ask(shared, "POST", "/api/enter", headers=JSON, content='{"token": "x"}')
    assert (told.status_code, told.json()["mend"]) == (403, "send Origin")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_what_changes_something_must_be_json(house: House, kind: str) -> None:
    told = ask(house, "POST", "/api/enter", headers={"content-type": kind}, content='{"token": "x"}')
    assert told.status_code == 415


def test_a_long_body_is_refused_whether_its_length_is_told_or_not(house: House) -> None:
    async def bits() -> AsyncIterator[bytes]:
        for _ in range(70):
            yield b"x" * 1000

    for content in (b"x" * 65_537, bits()):
        told = ask(house, "POST", "/api/enter", headers=JSON, content=content)
        assert told.status_code == 413


def test_a_length_that_is_told_is_believed_before_anything_is_read(served: str) -> None:
    told = raw(served, b"POST /api/enter", JSON | {"content-length": "9" * 400})
    assert told.startswith((b"HTTP/1.1 413 ", b"HTTP/1.1 400 "))


@pytest.mark.parametrize(
    "body",
    ["", "{", "[" * 60_000, '"\\ud800"', '{"token": "\\ud800"}', "NaN", b"\xff\xfe", '{"token": 1e999}'],
)
def test_what_is_no_form_is_refused_in_words(house: House, body: str | bytes) -> None:
    told = ask(house, "POST", "/api/enter", headers=JSON, content=body)
    assert told.status_code in (400, 422)
    assert told.json()["what"]


@pytest.mark.parametrize("path", ["/api/me%00", "/%0d%0aset-cookie:x", "/api/me?q=%00", "/practise/%1b[2J"])
def test_an_address_holds_no_control_characters(house: House, path: str) -> None:
    assert ask(house, "GET", path).status_code == 400


@pytest.mark.parametrize(
    "path", ["/%ff%fe", "/api/%c0%ae%c0%ae/", "/%F0%9F%98%80", "/api/runs/%ff", "/?q=%ff"]
)
def test_an_address_that_is_no_text_harms_nothing(house: House, path: str) -> None:
    assert ask(house, "GET", path).status_code in (200, 404, 400)


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "OPTIONS", "PROPFIND", "FETCH"])
def test_methods_that_are_not_used_are_refused(house: House, method: str) -> None:
    for path in ("/", "/api/me", "/api/nothing"):
        told = ask(house, method, path, headers={"origin": "https://evil.example"})
        assert told.status_code == 405
        assert not [name for name in told.headers if name.startswith("access-control")]


def test_the_wrong_method_is_told_the_right_one(house: House) -> None:
    told = ask(house, "DELETE", "/api/me", headers=JSON)
    assert (told.status_code, told.headers["allow"]) == (405, "GET")


def test_every_kind_of_answer_carries_the_headers(house: House) -> None:
    answers = {
        "a page": ask(house, "GET", "/practise"),
        "a file": ask(house, "GET", "/favicon.svg"),
        "unchanged": ask(
            house, "GET", "/", headers={"if-none-match": ask(house, "GET", "/").headers["etag"]}
        ),
        "an answer": ask(house, "GET", "/api/me"),
        "the contract": ask(house, "GET", "/openapi.json"),
        "not there": ask(house, "GET", "/api/nothing"),
        "refused": ask(house, "POST", "/api/enter", headers=JSON | {"origin": "https://evil.example"}),
        "unreadable": ask(house, "POST", "/api/enter", headers=JSON, content="{"),
        "misdirected": ask(house, "GET", "/", headers={"host": "evil.example"}),
        "not that method": ask(house, "DELETE", "/", headers=JSON),
    }
    assert answers["unchanged"].status_code == 304
    for name, told in answers.items():
        policy = told.headers["content-security-policy"]
        assert "default-src 'none'" in policy, name
        assert "script-src 'self';" in policy, name
        assert "frame-ancestors 'none'" in policy, name
        assert "unsafe" not in policy, name
        assert told.headers["x-content-type-options"] == "nosniff", name
        assert told.headers["referrer-policy"] == "no-referrer", name
        assert told.headers["cross-origin-opener-policy"] == "same-origin", name
        assert told.headers["cross-origin-resource-policy"] == "same-origin", name
        assert "camera=()" in told.headers["permissions-policy"], name
        assert told.headers["cache-control"] in ("no-store", "no-cache"), name
        assert "access-control-allow-origin" not in told.headers, name
        if told.request.url.path.startswith("/api"):
            assert told.headers["cache-control"] == "no-store", name


def test_a_fault_of_ours_is_told_without_its_insides(house: House, caplog: pytest.LogCaptureFixture) -> None:
    @router.get("/broken")
    def broken() -> None:
        raise RuntimeError("the password is hunter2")

    try:
        told = ask(house, "GET", "/api/broken")
    finally:
        router.routes.pop()
    assert (told.status_code, told.headers["x-content-type-options"]) == (500, "nosniff")
    assert "hunter2" not in told.text
    assert "hunter2" in caplog.text


def test_hostile_words_come_back_as_json_text_and_never_as_a_page(house: House) -> None:
    body = json.dumps({"token": HOSTILE, HOSTILE: HOSTILE})
    told = ask(house, "POST", "/api/enter", headers=JSON, content=body)
    assert told.status_code == 422
    assert told.headers["content-type"] == "application/json"
    for path in ("/api/<script>alert(1)</script>", "/api/runs/<img src=x onerror=alert(1)>"):
        told = ask(house, "GET", path)
        assert told.headers["content-type"] == "application/json"
        assert told.status_code in (400, 404)


def test_headers_of_any_length_and_kind_end_in_an_answer(served: str) -> None:
    long = raw(served, b"GET /api/me", {"cookie": "osler=" + "x" * 100_000})
    assert not long or long.startswith((b"HTTP/1.1 4", b"HTTP/1.1 200 "))
    for cookie in ("osler=", "osler=\xff\xfe", "osler=" + "x" * 5000, ";;;=;", 'osler="\\000"'):
        assert raw(served, b"GET /api/me", {"cookie": cookie}).startswith(b"HTTP/1.1 200 "), cookie


def test_two_hosts_are_one_too_many(served: str) -> None:
    where = urlsplit(served)
    twice = f"GET /api/me HTTP/1.1\r\nHost: {where.netloc}\r\nHost: evil.example\r\n\r\n"
    assert sent(served, twice.encode()).startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 421 "))
    nobody = b"GET http://evil.example/api/me HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert sent(served, nobody).startswith(b"HTTP/1.1 421 ")


def raw(served: str, line: bytes, headers: dict[str, str]) -> bytes:
    """The answer to a request written by hand, as no library would send it."""
    every = {"host": urlsplit(served).netloc, "connection": "close", **headers}
    text = b"".join(f"{name}: {value}\r\n".encode("latin-1") for name, value in every.items())
    return sent(served, line + b" HTTP/1.1\r\n" + text + b"\r\n")


def sent(served: str, message: bytes) -> bytes:
    where = urlsplit(served)
    with socket.create_connection((where.hostname, where.port), timeout=30) as line:
        line.sendall(message)
        found = b""
        with suppress(ConnectionResetError):  # it need not read to the end what it refuses
            while more := line.recv(65_536):
                found += more
        return found
