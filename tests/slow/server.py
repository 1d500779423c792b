"""A real OpenAI-compatible server written by others: `transformers serve`, in an environment of its own.

The environment is made once, in `.venv-server` beside Osler's own, and made anew when `requirements.txt`
changes. The server listens on this machine only and asks no model hub for anything.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
REQUIREMENTS: Final = HERE / "requirements.txt"
ENVIRONMENT: Final = HERE.parent.parent / ".venv-server"
_INSTALL_S: Final = 600.0
_START_S: Final = 120.0
_STOP_S: Final = 10.0


class CannotInstallError(Exception):
    """The server's packages cannot be had on this machine; the words say why."""


def installed() -> Path:
    """The environment's folder of commands; makes the environment where there is none yet.

    Raises CannotInstallError. Takes about a minute and 1 GB of disk the first time.
    """
    with REQUIREMENTS.open(encoding="utf-8") as requirements:
        fcntl.flock(requirements, fcntl.LOCK_EX)  # two runs of the tests must not both make it
        wanted = f"{sys.version}\n{requirements.read()}"
        made_from, commands = ENVIRONMENT / "made-from.txt", ENVIRONMENT / "bin"
        if not made_from.is_file() or made_from.read_text(encoding="utf-8") != wanted:
            _install(commands)
            made_from.write_text(wanted, encoding="utf-8")
    return commands


def _install(commands: Path) -> None:
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(ENVIRONMENT)])
    (ENVIRONMENT / ".gitignore").write_text("*\n", encoding="utf-8")
    options = ("--quiet", "--disable-pip-version-check", "--no-compile", "--only-binary", ":all:")
    _run([str(commands / "python"), "-m", "pip", "install", *options, "-r", str(REQUIREMENTS)])


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotInstallError(str(error)) from None
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise CannotInstallError(" ".join(errors[-1:]) or done.stderr[-500:])


@contextmanager
def serving(models: Mapping[str, Sequence[str]], folder: Path) -> Iterator[str]:
    """Make models (a name and what each may answer, see `tiny_model`) in `folder` and serve them.

    Yields the base URL. The server is stopped whatever happens; its words are in `folder/server.log`.
    """
    commands = installed()
    environ = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(folder / "hub"),
        "OMP_NUM_THREADS": "1",  # for so small a model more threads only wait for each other
        "TOKENIZERS_PARALLELISM": "false",
    }
    (folder / "hub" / "hub").mkdir(parents=True)  # without it the server cannot list its models
    subprocess.run(
        [str(commands / "python"), str(HERE / "tiny_model.py"), str(folder)],
        input=json.dumps(models),
        env=environ,
        text=True,
        capture_output=True,
        check=True,
        timeout=_START_S,
    )
    port = _free_port()
    command = [str(commands / "transformers"), "serve", "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--device", "cpu"], cwd=folder, env=environ, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", server, folder / "server.log")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            try:
                server.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _START_S
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < until and server.poll() is None:
        try:
            with opener.open(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"the server did not start:\n{log.read_text(errors='replace')[-4000:]}")
