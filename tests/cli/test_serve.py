"""`osler serve`: says where it is, serves, and ends in words, whatever is wrong."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from typer.testing import CliRunner, Result

from osler.cli.main import app

pytestmark = pytest.mark.slow


OSLER = [sys.executable, "-m", "osler.cli.main"]
TOMORROW = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()
PEM = str(Path(__file__).parents[1] / "fixtures" / "localhost.pem")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OSLER_STORE", str(tmp_path / "osler.db"))
    return tmp_path


def said(*words: str) -> Result:
    return CliRunner().invoke(app, ["serve", *words])


@contextmanager
def started(*words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """A server in a process of its own, and the object that it prints."""
    process = subprocess.Popen(
        [*OSLER, "serve", "--port", "0", "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield process, json.loads(line)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def me(url: str, **headers: str) -> dict[str, Any]:
    with urlopen(Request(f"{url}api/me", headers=headers), timeout=60) as told:
        found: dict[str, Any] = json.load(told)
        return found


@pytest.mark.smoke
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_serves_and_is_stopped(sign: signal.Signals) -> None:
    with started() as (process, told):
        assert me(told["url"])["shared"] is False
        process.send_signal(sign)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == "", "one object, and nothing else"
    assert "osler: stopped" in err
    assert "Traceback" not in err


def test_an_open_connection_does_not_hold_it_up() -> None:
    with started() as (process, told):
        me(told["url"])
        host, port = told["url"].removeprefix("http://").rstrip("/").split(":")
        with socket.create_connection((host, int(port))) as line:
            line.sendall(b"POST /api/enter HTTP/1.1\r\nHost: half a request")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
    assert process.returncode == 130


def test_a_shared_server_prints_links_whose_tokens_stay_in_the_browser() -> None:
    with started("--share", "--until", TOMORROW) as (_, told):
        assert me(told["url"])["rights"] == []
        assert me(told["url"])["until"].startswith(TOMORROW[:4])
        assert told["links"].keys() == {"teacher", "watcher"}
        for link in told["links"].values():
            assert link.startswith(f"{told['url']}enter#")
        token = told["links"]["watcher"].partition("#")[2]
        request = Request(
            f"{told['url']}api/enter",
            data=json.dumps({"token": token}).encode(),
            headers={"content-type": "application/json", "origin": told["url"].rstrip("/")},
        )
        with urlopen(request, timeout=60) as answer:
            assert json.load(answer)["rights"] == ["watch"]


def test_a_shared_server_with_models_and_no_ceiling_says_so(folder: Path) -> None:
    (folder / "osler.toml").write_text('[endpoints.mine]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n')
    for words, warned in ((["--share", "--until", TOMORROW], True), ([], False)):
        with started(*words) as (process, told):
            me(told["url"])
            process.send_signal(signal.SIGINT)
            assert ("--max-money" in process.communicate(timeout=60)[1]) == warned


def test_under_tls_the_cookie_is_secure() -> None:
    with started("--certfile", PEM, "--keyfile", PEM) as (_, told):
        assert told["url"].startswith("https://")
        trusted = ssl.create_default_context(cafile=PEM)
        with urlopen(told["url"], context=trusted, timeout=60) as page:
            assert page.headers["set-cookie"].endswith("; Secure")


def test_a_port_in_use_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        ended = said("--port", port)
    assert ended.exit_code == 1
    assert f"port {port} is in use" in ended.output
    assert "--port 0" in ended.output


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--host", "0.0.0.0"], "add --share --until DATE"),
        (["--host", "192.0.2.1"], "can be reached by others"),
        (["--share"], "needs a date"),
        (["--until", TOMORROW], "add --share"),
        (["--share", "--until", "2020-01-01"], "is over"),
        (["--share", "--until", "soon"], "is no date"),
        (["--host-name", "http://osler.example/"], "is no host name"),
        (["--host-name", "a b"], "is no host name"),
        (["--host-name", "osler.example"], "--host-name: whoever reaches a server as osler.example"),
        (["--trust-proxy", "proxy.example"], "is no address and no network"),
        (["--trust-proxy", "127.0.0.1/8"], "is no address and no network"),
        (["--certfile", PEM], "belong together"),
        (["--certfile", "missing.pem", "--keyfile", PEM], "no such file"),
        (["--certfile", __file__, "--keyfile", __file__], "no certificate"),
        (["--host", "no.such.host.example", "--share", "--until", TOMORROW], "no address of this machine"),
        (["--config", "missing.toml"], "missing.toml"),
    ],
)
def test_what_cannot_be_served_is_refused_in_words(words: list[str], what: str) -> None:
    ended = said("--port", "0", *words)
    assert ended.exit_code == 1, ended.output
    assert what in ended.output


def test_a_store_that_cannot_be_opened_is_named_before_anything_is_served(folder: Path) -> None:
    (folder / "notes.db").write_text("these are notes, and no store" * 100)
    ended = said("--port", "0", "--store", "notes.db")
    assert ended.exit_code == 1
    assert "not an Osler store" in ended.output


def test_without_its_packages_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fastapi", "starlette", "uvicorn"):
        monkeypatch.setitem(sys.modules, name, None)
    ended = said("--port", "0")
    assert ended.exit_code == 1
    assert "pip install -e '.[web]' in Osler's folder" in ended.output
