"""A worker on another machine dies: nobody here can see that, so its lease ends before another goes on."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.store.export import export_lines
from osler.store.leases import LEASE_S, is_gone
from osler.store.store import open_store
from tests.store.conftest import schema_of_its_own

MACHINE = ("unshare", "--pid", "--fork", "--kill-child=SIGKILL", "--mount-proc", "--uts")
LATE_S = LEASE_S + 15
DOCTOR = """
import os, time
from osler.protocols.consultation.players.doctor import BaselineDoctor

class Slow:
    name, seats, durable = "slow", ("doctor",), True

    async def reply(self, request):
        while os.path.exists(os.environ["HOLD"]):  # as one that hangs
            time.sleep(0.05)
        return await BaselineDoctor().reply(request)
"""


def another_machine() -> bool:
    """Whether a process can be given a pid namespace and a host name of its own here."""
    if shutil.which(MACHINE[0]) is None:
        return False
    return subprocess.run([*MACHINE, "true"], capture_output=True, check=False).returncode == 0


@contextmanager
def worker_elsewhere(run: str, environ: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A worker in a pid namespace of its own, on a host called `elsewhere`."""
    words = [sys.executable, "-m", "osler.cli.main", "worker", run, "--concurrency", "2"]
    process = subprocess.Popen(
        [*MACHINE, "sh", "-c", 'hostname elsewhere && exec "$@"', "sh", *words], env=environ
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.skipif(not another_machine(), reason="unshare is not permitted here")
def test_what_a_dead_worker_on_another_machine_held_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_doctor.py").write_text(DOCTOR)
    hold = tmp_path / "hold"
    hold.touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("HOLD", str(hold))
    config = RunConfig(cases="library", limit=4, repeats=2, doctor="python:slow_doctor:Slow")
    for url in schema_of_its_own():
        path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
        environ = {**os.environ, "OSLER_STORE": url, "PYTHONPATH": path}
        with open_store(url) as store:
            run, calm = (runs.begin(config, store) for _ in range(2))
            with worker_elsewhere(run.name, environ) as doomed:
                until = time.monotonic() + 60
                while not (found := [one for _, one in store.workers(run.id) if one.blocks]):
                    assert time.monotonic() < until, "the worker did not begin"
                    time.sleep(0.05)
                doomed.kill()
                doomed.wait()
            killed = time.monotonic()
            assert found[0].process.host == "elsewhere" != socket.gethostname()
            assert not is_gone(found[0].process)  # no system call here can tell
            hold.unlink()
            assert runs.play(run, store).status == "done"
            assert time.monotonic() - killed < LATE_S
            assert runs.play(calm, store).status == "done"
            assert list(export_lines(store, run.id)) == list(export_lines(store, calm.id))
