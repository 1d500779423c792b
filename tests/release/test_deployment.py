"""docs/deployment.md, its files and the recipe of the container, done: steps, server, proxies, unit."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

import httpx
import pytest
from typer.testing import CliRunner

import osler
from osler.cli.main import app
from osler.store.store import open_store
from tests.release.conftest import ROOT
from tests.store import samples
from tests.test_readme import commands

FILES: Final = {"nginx": "nginx.conf", "caddy": "Caddyfile", "systemd": "osler.service"}
RECIPE: Final = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", " ")
PEM: Final = ROOT / "tests/fixtures/localhost.pem"
UNTIL: Final = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()
NAME: Final = "osler.example.org"


def given_file(program: str) -> str:
    """The file to which the page sends its reader for this program."""
    return (ROOT / "deploy" / FILES[program]).read_text("utf-8")


def steps(instruction: str) -> list[str]:
    """What the recipe says after an instruction, in order."""
    return re.findall(rf"^{instruction} (.*)$", RECIPE, re.MULTILINE)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as the image's root: the recipe's own commands, with every path in it."""
    root = tmp_path_factory.mktemp("image")
    for folder in ("src", "dist", "opt", "var/lib/osler", "home"):
        (root / folder).mkdir(parents=True)
    for line in steps("COPY"):
        words = [word for word in line.split() if not word.startswith("--from=")]
        if "--from=build" not in line:
            *sources, target = words
            place = root / target.lstrip("/") if target.startswith("/") else root / "src" / target
            for source in sources:
                _copy(ROOT / source, place, whole=not target.endswith("/"))
                if target.startswith("/"):
                    assert (ROOT / source).is_file()
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "")}
    for line in steps("RUN"):
        if not line.startswith("useradd"):
            done = subprocess.run(
                ["sh", "-c", moved(line, root)], cwd=root / "src", env=env, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr[-2000:]
    return root


def moved(line: str, root: Path) -> str:
    """A command with the paths of the image in another root."""
    return re.sub(r"(?<![\w.])/(dist|opt|var)\b", rf"{root}/\1", line)


def _copy(source: Path, place: Path, *, whole: bool) -> None:
    if source.is_dir():
        shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    else:
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place / source.name)


def settings(root: Path) -> dict[str, str]:
    """The variables that the recipe sets, in another root."""
    found: dict[str, str] = {}
    for line in steps("ENV"):
        found |= dict(word.split("=", 1) for word in shlex.split(line))
    return {name: moved(value, root).replace("$PATH", os.environ["PATH"]) for name, value in found.items()}


@contextmanager
def serving(root: Path, **given: str) -> Iterator[tuple[int, list[str]]]:
    """The entry point of the image; its port, and the lines that it printed."""
    port = free_port()
    env = settings(root) | {"OSLER_PORT": str(port), "OSLER_UNTIL": UNTIL, "HOME": str(root / "home")} | given
    [entry] = map(json.loads, steps("ENTRYPOINT"))
    process = subprocess.Popen(
        [moved(word, root) for word in entry],
        cwd=root / "var/lib/osler",
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        lines = [process.stdout.readline().strip() for _ in range(3)]
        assert all(lines), process.communicate()[1]
        yield port, lines
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 130
        assert "Traceback" not in said
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def alive(root: Path, port: int) -> int:
    """The exit code of the recipe's check of health."""
    [line] = steps("HEALTHCHECK")
    words = json.loads(line.partition("CMD ")[2])
    env = settings(root) | {"OSLER_PORT": str(port)}
    return subprocess.run([moved(word, root) for word in words], env=env, capture_output=True).returncode


def test_the_recipe_builds_installs_serves_and_is_alive(image: Path) -> None:
    with serving(image, OSLER_HOST_NAME=NAME) as (port, lines):
        assert alive(image, port) == 0
        assert lines[0] == f"http://{NAME}:{port}/"
        with httpx.Client() as client:
            assert client.get(f"http://127.0.0.1:{port}/api/me").json()["version"] == osler.__version__
            assert (
                client.get(f"http://127.0.0.1:{port}/", headers={"host": "other.example"}).status_code == 421
            )
    assert alive(image, port) == 1
    assert (image / "var/lib/osler/osler.db").is_file()


@pytest.mark.parametrize("missing", ["OSLER_UNTIL", "OSLER_HOST_NAME"])
def test_the_entry_point_says_which_setting_is_missing(missing: str) -> None:
    given = {"OSLER_UNTIL": UNTIL, "OSLER_HOST_NAME": NAME, "PATH": os.defpath}
    del given[missing]
    done = subprocess.run(
        ["sh", ROOT / "deploy/serve.sh"], env=given, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert f"set {missing}" in done.stderr


def test_the_recipe_runs_as_nobody_special_and_holds_no_secret() -> None:
    last = RECIPE.rindex("\nFROM ")
    assert re.search(r"^USER [1-9]\d*$", RECIPE[last:], re.MULTILINE)
    assert steps("VOLUME") == ["/var/lib/osler"]
    assert not re.search(r"(?i)^(ENV|ARG).*(key|secret|token|password)", RECIPE, re.MULTILINE)
    allowed = [line[1:] for line in (ROOT / ".containerignore").read_text().splitlines() if line[:1] == "!"]
    sources = {word for line in steps("COPY") if "--from" not in line for word in line.split()[:-1]}
    assert {source.partition("/")[0] for source in sources} <= set(allowed)


@contextmanager
def proxied(name: str, folder: Path, behind: int) -> Iterator[str]:
    """A proxy as the page sets it up before a port, with our certificate for localhost; its address."""
    port, configuration = free_port(), folder / f"{name}.conf"
    text = given_file(name).replace("127.0.0.1:8321", f"127.0.0.1:{behind}")
    words: Mapping[str, list[str]] = {
        "nginx": ["nginx", "-p", str(folder), "-c", str(configuration), "-e", str(folder / "errors")],
        "caddy": ["caddy", "run", "--adapter", "caddyfile", "--config", str(configuration)],
    }
    if name == "nginx":
        text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace(NAME, "localhost")
        text = re.sub(r"/etc/osler/\w+\.pem", str(PEM), text)
        inside = "\n".join(f"{each}_temp_path {folder}/{each};" for each in ("client_body", "proxy"))
        inside += "\n".join(f"\n{each}_temp_path {folder}/{each};" for each in ("fastcgi", "uwsgi", "scgi"))
        head = f"daemon off; pid {folder}/pid; events {{}}\nhttp {{ access_log off;\n{inside}\n"
        text = f"{head}{text}}}\n"
    else:
        assert f"{NAME} {{" in text
        text = text.replace(f"{NAME} {{", f"https://localhost:{port} {{\n\ttls {PEM} {PEM}")
        text = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + text
    configuration.write_text(text)
    env = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with subprocess.Popen(words[name], env=env, stderr=subprocess.PIPE, text=True) as process:
        try:
            _wait_for(port, process)
            yield f"https://localhost:{port}"
        finally:
            process.terminate()
            process.communicate(timeout=300)


def _wait_for(port: int, process: subprocess.Popen[str]) -> None:
    """Wait until somebody listens at a port, or the process has ended."""
    while process.poll() is None:
        with socket.socket() as line:
            if line.connect_ex(("127.0.0.1", port)) == 0:
                return
    raise AssertionError(process.stderr.read() if process.stderr else "")


@pytest.fixture(params=["nginx", "caddy"])
def proxy(request: pytest.FixtureRequest) -> str:
    """The name of a proxy that is installed here."""
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return name


def test_behind_a_proxy_people_come_in_by_tls_and_are_told_at_once(proxy: str, tmp_path: Path) -> None:
    store, inside = tmp_path / "osler.db", free_port()
    with proxied(proxy, tmp_path, inside) as address, shared(store, inside, address) as links:
        assert links["teacher"].startswith(f"{address}/enter#")
        trusted = ssl.create_default_context(cafile=str(PEM))
        with httpx.Client(base_url=address, verify=trusted, timeout=30) as client:
            assert "<title>" in client.get("/").text
            token = {"token": links["teacher"].partition("#")[2]}
            assert client.post("/api/enter", json=token, headers={"origin": "https://b"}).status_code == 403
            entered = client.post("/api/enter", json=token, headers={"origin": address})
            assert "teach" in entered.json()["rights"]
            assert "Secure" in entered.headers["set-cookie"]
            run = begun(store)
            with client.stream("GET", "/api/stream", params={"topics": f"run:{run}"}) as stream:
                assert stream.headers["content-type"].startswith("text/event-stream")
                assert "content-encoding" not in stream.headers
                lines = stream.iter_lines()
                assert next(lines).startswith("retry:")  # it has begun, and the proxy keeps nothing back
                played(store, run)
                told = next(line for line in islice(lines, 20) if line.startswith("data:"))
    assert run in told


@contextmanager
def shared(store: Path, port: int, address: str) -> Iterator[dict[str, str]]:
    """`osler serve` as the unit starts it; its links."""
    name = address.removeprefix("https://")
    words = ["serve", "--share", "--until", UNTIL, "--host-name", name, "--port", str(port), "--json"]
    with subprocess.Popen(
        [sys.executable, "-m", "osler.cli.main", *words, "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout
            links: dict[str, str] = json.loads(process.stdout.readline())["links"]
            yield links
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=300)


def begun(store: Path) -> str:
    with open_store(store) as opened:
        return opened.begin_run("watched", {"configuration": {"protocol": "consultation/1"}}, 3).name


def played(store: Path, run: str) -> None:
    with open_store(store) as opened:
        samples.play(opened, opened.run(run).id, range(3))


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    words = given_file("systemd").replace(
        "/opt/osler/current/bin/osler", shlex.quote(shutil.which("true") or "true")
    )
    unit = tmp_path / "osler.service"
    unit.write_text(words.replace("User=osler\nGroup=osler\n", ""))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False
    )
    assert "osler.service" not in done.stderr, done.stderr
    [line] = re.findall(r"^ExecStart=\S+ (.*)$", given_file("systemd"), re.MULTILINE)
    assert line.startswith("serve --share --until ")


def test_the_page_s_backup_is_made_and_found_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_store("osler.db") as store:
        samples.play(store, store.begin_run("kept", {}, 3).id, range(3))
        lines = commands("docs/deployment.md")
        assert len(lines) == 2
        for line in lines:
            done = CliRunner().invoke(app, shlex.split(line)[1:])
            assert done.exit_code == 0, done.output
    with open_store("backup-1.db", create=False) as restored:
        assert restored.run("kept").done == 3
