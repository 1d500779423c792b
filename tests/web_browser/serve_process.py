"""`osler serve` as a process of its own over a store, which can be killed and started again at its port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from osler.store import practice
from osler.store.store import open_store

_SERVE = "from osler.cli.main import app; app()"


class ServeProcess:
    """A server that lives until it is killed. `packages` is a folder with plug-ins that it finds."""

    def __init__(self, store: Path, packages: Path | None = None) -> None:
        self.store, self._packages, self._port = store, packages, 0
        self.url = ""
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, at the port it had."""
        paths = [str(self._packages) if self._packages else "", os.environ.get("PYTHONPATH", "")]
        asked = ["--store", str(self.store), "--port", str(self._port), "--json"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, "serve", *asked],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self.url = json.loads(self._process.stdout.readline())["url"].rstrip("/")
        self._port = int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def restart(self) -> None:
        """Kill it and start it again."""
        self.kill()
        self.start()

    def sit_down(self, protocol: str, seat: str, case: str = "") -> str:
        """Sit down, with the first case of the shelf unless one is named; returns the sitting's id."""
        with httpx.Client(base_url=self.url, headers={"Origin": self.url}, timeout=60) as client:
            cases = client.get("/api/shelf").json()["cases"]
            first = next((one["id"] for one in cases if one["protocol"] == protocol), "")
            wanted = {"protocol": protocol, "case": case or first, "seat": seat}
            answer = client.post("/api/sittings", json=wanted)
            assert answer.status_code == 201, answer.text
            return str(answer.json()["id"])

    def set(self, sitting: str, **more: Any) -> None:
        """Set what a sitting holds beside its encounter, such as its clock."""
        with open_store(self.store) as store:
            practice.change(store, sitting, more=more)


@contextmanager
def serve_process(store: Path, packages: Path | None = None) -> Iterator[ServeProcess]:
    """A server that is started, and killed in the end."""
    server = ServeProcess(store, packages)
    server.start()
    try:
        yield server
    finally:
        server.kill()
