"""A real Ray cluster of two nodes on this machine, and a store on PostgreSQL whose address has a password."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.store.store import Store, open_store
from tests.runs.conftest import exported
from tests.store.conftest import SERVER, schema_of_its_own

OSLER = str(Path(sys.executable).with_name("osler"))
PASSWORD = "not-for-command-lines"
REPEATS, LIMIT = 40, 20
CONSULT = ("consult", "library", "--repeats", str(REPEATS), "--limit", str(LIMIT), "--on", "ray:2")

CLUSTER = """
import sys
from ray.cluster_utils import Cluster
node = {"num_cpus": 1, "object_store_memory": 100_000_000}
cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
cluster.add_node(**node)
print(cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""


@pytest.fixture(scope="session")
def logs() -> Iterator[Path]:
    """The folder of all that the cluster writes; its sockets need a short name."""
    with TemporaryDirectory(prefix="ray-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[str]:
    """The address of a cluster of two nodes with one CPU each."""
    settings = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "RAY_TMPDIR": str(logs)}
    log = tmp_path_factory.mktemp("cluster") / "log"
    with (
        log.open("w") as said,
        subprocess.Popen(
            [sys.executable, "-c", CLUSTER],
            env={**os.environ, **settings},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        assert process.stdout
        assert process.stdin
        address = process.stdout.readline().strip()
        assert address, log.read_text()
        yield address
        process.stdin.close()


@pytest.fixture
def url() -> Iterator[str]:
    """An address on PostgreSQL where there is no store yet, with a password."""
    for found in schema_of_its_own():
        user, _, rest = SERVER.removeprefix("postgresql://").partition("@")
        name = user.partition(":")[0]
        yield found.replace(f"//{user}@{rest}", f"//{name}:{PASSWORD}@{rest}")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The export of the same run when one process plays it."""
    path = tmp_path_factory.mktemp("alone") / "alone.db"
    with open_store(path) as store:
        run = runs.begin(RunConfig(cases="library", repeats=REPEATS, limit=LIMIT), store)
        assert runs.play(run, store).status == "done"
    return exported(path, path.with_name("out.jsonl"))


@contextmanager
def osler(*words: str, store: str, home: Path, cluster: str | None = None) -> Iterator[subprocess.Popen[str]]:
    """A command, on a cluster or on one of its own; what it prints is read at its end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    given = {"RAY_ADDRESS": cluster, "RAY_AUTH_MODE": "disabled"} if cluster else {}
    process = subprocess.Popen(
        [OSLER, *words],
        env={**kept, **given, "OSLER_STORE": store, "HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def at_work(store: Store, wanted: int = 2) -> list[int]:
    """The pids of those who play, once so many hold blocks."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        found = [one.process.pid for _, one in store.workers() if one.blocks]
        if len(found) >= wanted:
            return found
        time.sleep(0.02)
    raise AssertionError("the workers did not begin")


def commands() -> dict[int, str]:
    """The command line of every process that can be seen, by its pid."""
    found = {}
    for each in Path("/proc").iterdir():
        try:
            found[int(each.name)] = (
                (each / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
        except (ValueError, OSError):
            continue
    return found
