"""Killed under Ray: workers of one run die by SIGKILL at random instants, and no byte changes.

A Ray cluster of two nodes on this machine plays one run on PostgreSQL with `--on ray:2`. Its doctor is
committed after every answer, and writes down each question that it is asked. Again and again a worker that
holds blocks is drawn by chance and killed, or else the process of Ray that has started it. What the dead
worker's episodes have on record is looked up then: none of it may be asked again. At the end the run's export
must be that of the same run played by one process that was left alone. Consultations are short (three turns).

    pip install -e '.[ray]' && python benchmarks/ray_kills.py --json
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa
from kills import SERVER, schema_of_its_own
from pydantic import BaseModel

from osler.core.contract import OwnReply, Request
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.settings import Limits, Settings
from osler.runs import run as runs
from osler.store.export import export_lines
from osler.store.schema import exchanges, leases
from osler.store.store import Store, open_store

KILLS = 20
EPISODES = 5_000
REPEATS = 5
LONGEST_LIFE_S = 6.0
TURNS = 3
LOG = "OSLER_RAY_KILLS_LOG"
COMMITTED = "OSLER_RAY_KILLS_COMMITTED"  # set where the doctor is committed: alone it need not be
DOCTOR = "python:ray_kills:Logged"
CLUSTER = """
import sys
from ray.cluster_utils import Cluster
node = {"num_cpus": 1, "object_store_memory": 100_000_000, "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=node)
cluster.add_node(num_cpus=1, object_store_memory=100_000_000)
print(cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""
Question = tuple[str, int]
"""A question to the doctor: the world of its episode, and the number of its own answers before."""


class Logged:
    """The built-in doctor, each answer committed before the encounter goes on as a model's is. It notes
    what it is asked."""

    name = "logged"
    seats = ("doctor",)
    durable = os.environ.get(COMMITTED) is not None
    _inner = BaselineDoctor()

    async def reply(self, request: Request[Any]) -> BaseModel:
        before = sum(isinstance(item, OwnReply) for item in request.feed)
        os.write(_log(), f"{request.world} {before}\n".encode())  # one write, so that lines stay whole
        return await self._inner.reply(request)


@cache
def _log() -> int:
    return os.open(os.environ[LOG], os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--episodes", type=int, default=EPISODES)
    parser.add_argument("--seed", type=int, default=1, help="of who is killed and when")
    parser.add_argument("--server", default=os.environ.get("OSLER_TEST_POSTGRES", SERVER), help="PostgreSQL")
    given = parser.parse_args()
    cases, limits = f"generated:{given.episodes // REPEATS}:7", Limits(max_turns=TURNS)
    config = RunConfig(cases=cases, repeats=REPEATS, doctor=DOCTOR, settings=Settings(limits=limits))
    with tempfile.TemporaryDirectory() as folder, schema_of_its_own(given.server) as url:
        began = time.monotonic()
        expected = undisturbed(config, Path(folder))
        alone_s = time.monotonic() - began
        found = disturb(config, url, given.kills, Random(given.seed), Path(folder), expected)
    found["alone_s"] = round(alone_s, 1)
    print(json.dumps(found) if given.json else json.dumps(found, indent=2))
    sys.exit(bool(found["status"] != "done" or not found["export_equal"] or found["recorded_asked_again"]))


def undisturbed(config: RunConfig, folder: Path) -> list[str]:
    """The export of the run when one process plays it and nobody is killed."""
    os.environ[LOG] = str(folder / "alone.log")
    with open_store(folder / "alone.db") as store:
        run = runs.begin(config, store)
        assert runs.play(run, store).status == "done"
        return list(export_lines(store, run.id))


def disturb(
    config: RunConfig, url: str, kills: int, rng: Random, folder: Path, expected: list[str]
) -> dict[str, Any]:
    """Play the run by Ray while workers are killed."""
    log = folder / "killed.log"
    log.touch()  # a worker may be killed before anybody is asked
    environ = {
        **os.environ,
        LOG: str(log),
        COMMITTED: "1",
        "OSLER_STORE": url,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    words = [config.cases, "--repeats", str(REPEATS), "--doctor", DOCTOR, "--max-turns", str(TURNS)]
    words += ["--on", "ray:2", "--json"]
    began = time.monotonic()
    with cluster(environ) as address, open_store(url) as store:
        played = subprocess.Popen(
            [sys.executable, "-m", "osler.cli.main", "consult", *words],
            env={**environ, "RAY_ADDRESS": address},
            stdout=subprocess.DEVNULL,
        )
        try:
            safe, killed = kill(store, played, kills, rng, log, worlds(config))
            played.wait()
        finally:
            played.kill()
        run = store.run("last")
        again = repeated(log, safe)
        return {
            "status": run.status,
            "episodes": run.done,
            "kills": sum(killed.values()),
            **killed,
            "export_equal": list(export_lines(store, run.id)) == expected,
            "asked": len(log.read_text().splitlines()),
            "asked_alone": len((folder / "alone.log").read_text().splitlines()),
            "recorded_when_killed": len(safe),
            "recorded_asked_again": len(again),
            "wall_s": round(time.monotonic() - began, 1),
            "load": round(os.getloadavg()[0], 1),
        }


@contextmanager
def cluster(environ: dict[str, str]) -> Iterator[str]:
    """The address of a cluster of two nodes with one CPU each."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", CLUSTER], env=environ, stdin=pipe, stdout=pipe, text=True
    )
    assert process.stdin
    assert process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()


def kill(
    store: Store, played: subprocess.Popen[bytes], kills: int, rng: Random, log: Path, worlds: list[str]
) -> tuple[dict[Question, int], dict[str, int]]:
    """Kill so many; return what was on record of their episodes, each question with the length of the log
    then, and how many of which kind were killed."""
    safe, killed = dict[Question, int](), {"workers_killed": 0, "tasks_killed": 0}
    while sum(killed.values()) < kills and played.poll() is None:
        time.sleep(rng.uniform(0, LONGEST_LIFE_S))
        alive = [one for _, one in store.workers() if one.blocks]
        if not alive:
            continue
        doomed = rng.choice(alive)
        with store.connected() as connection:
            (run,) = {run.id for run in store.runs()}
            held = connection.execute(sa.select(leases).where(leases.c.worker == doomed.token)).all()
        task = rng.random() < 0.5
        try:
            os.kill(parent_of(doomed.process.pid) if task else doomed.process.pid, signal.SIGKILL)
        except (OSError, IndexError):
            continue  # it has just left
        killed["tasks_killed" if task else "workers_killed"] += 1
        for row in held:
            for question in recorded(store, run, row.first, row.last, worlds):
                safe.setdefault(question, -1)
        length = log.stat().st_size  # after the record, since others go on meanwhile
        safe = {question: length if at < 0 else at for question, at in safe.items()}
    return safe, killed


def parent_of(pid: int) -> int:
    """The process that started another."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def worlds(config: RunConfig) -> list[str]:
    """The world of each episode of a run."""
    source = config.opened()
    ready = [config.ready(case) for case in source]
    return [config.episode(n, ready[n // REPEATS], source).world for n in range(len(ready) * REPEATS)]


def recorded(store: Store, run: int, first: int, last: int, worlds: list[str]) -> Iterator[Question]:
    """The questions to the doctor whose answers are on record, of some episodes."""
    of = (exchanges.c.run == run, exchanges.c.seat == "doctor", exchanges.c.ordinal.between(first, last))
    query = sa.select(exchanges.c.ordinal, sa.func.count()).where(*of).group_by(exchanges.c.ordinal)
    with store.connected() as connection:
        for ordinal, count in connection.execute(query).all():
            yield from ((worlds[ordinal], before) for before in range(count))


def repeated(log: Path, safe: dict[Question, int]) -> set[Question]:
    """What was asked after it was on record."""
    found, at = set[Question](), 0
    for line in log.read_bytes().splitlines(keepends=True):
        world, before = line.decode().split()
        question = (world, int(before))
        if safe.get(question, at + 1) <= at:
            found.add(question)
        at += len(line)
    return found


if __name__ == "__main__":
    main()
