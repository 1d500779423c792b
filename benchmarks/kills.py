"""Killed again and again: processes that share a run die by SIGKILL at random instants, and no byte changes.

Three processes play one run whose doctor is committed after every answer. One of them, chosen by chance, is
killed at a random instant and replaced at once, over and over. When a run has ended, its export is compared
with that of the same run played by one process that was left alone; then the next run begins. This is done
on SQLite and on PostgreSQL.

    python benchmarks/kills.py --json
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import sqlalchemy as sa
from pydantic import BaseModel

from osler.core.contract import Request
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.runs import run as runs
from osler.store.export import export_lines
from osler.store.store import open_store

KILLS = 100
AT_ONCE = 3
LONGEST_LIFE_S = 1.0
CONFIG = RunConfig(cases="library", doctor="committed", repeats=5)
SERVER = "postgresql://postgres@127.0.0.1:5432/test"
FORK = multiprocessing.get_context("fork")  # so that a new process plays at once


class Committed:
    """The built-in doctor, each answer committed before the encounter goes on, as a model's is."""

    name = "committed"
    durable = True
    _inner = BaselineDoctor()

    async def reply(self, request: Request[Any]) -> BaseModel:
        return await self._inner.reply(request)


class Fate(NamedTuple):
    """What became of one run: how many were killed over it, how others ended, whether its export is right."""

    kills: int
    faults: list[str]
    equal: bool


PLAYERS = {"committed": lambda asked: Committed()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--kills", type=int, default=KILLS, help="in all, half of them on each database")
    parser.add_argument("--seed", type=int, default=1, help="of who is killed and when")
    parser.add_argument("--server", default=os.environ.get("OSLER_TEST_POSTGRES", SERVER), help="PostgreSQL")
    given = parser.parse_args()
    found: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as folder:
        expected = undisturbed(Path(folder) / "calm.db")
        half = given.kills // 2
        found["sqlite"] = disturb(str(Path(folder) / "killed.db"), half, given.seed, expected)
        with schema_of_its_own(given.server) as url:
            found["postgresql"] = disturb(url, given.kills - half, given.seed + 1, expected)
    print(json.dumps(found) if given.json else json.dumps(found, indent=2))
    sys.exit(any(row["exports_differ"] or row["faults"] for row in found.values()))


def undisturbed(path: Path) -> list[str]:
    """The export of the run when nobody is killed."""
    with open_store(path) as store:
        run = runs.begin(CONFIG, store, PLAYERS)
        assert runs.play(run, store, more=PLAYERS).status == "done"
        return list(export_lines(store, run.id))


def disturb(url: str, kills: int, seed: int, expected: list[str]) -> dict[str, object]:
    """Play runs until so many processes were killed."""
    rng, began = Random(seed), time.monotonic()
    fates: list[Fate] = []
    while (left := kills - sum(fate.kills for fate in fates)) > 0:
        fates.append(one_run(url, left, rng, expected))
    return {
        "kills": sum(fate.kills for fate in fates),
        "runs": len(fates),
        "episodes": len(fates) * (len(expected) - 1),
        "exports_differ": sum(not fate.equal for fate in fates),
        "faults": [fault for fate in fates for fault in fate.faults],
        "wall_s": round(time.monotonic() - began, 1),
    }


def one_run(url: str, most: int, rng: Random, expected: list[str]) -> Fate:
    """Begin a run, kill up to `most` of those who play it, and see it to its end."""
    with open_store(url) as store:
        name = runs.begin(CONFIG, store, PLAYERS).name
    # Nothing of the store is open here while processes are made: they would inherit it.
    pipe, their_end = FORK.Pipe(duplex=False)
    playing = [start(url, name, their_end) for _ in range(AT_ONCE)]
    kills = 0
    while kills < most and all(process.is_alive() for process in playing):
        time.sleep(rng.uniform(0, LONGEST_LIFE_S))
        doomed = playing.pop(rng.randrange(len(playing)))
        if doomed.is_alive():
            doomed.kill()
            kills += 1
        doomed.join()
        playing.append(start(url, name, their_end))
    for process in playing:
        process.join()
    faults = []
    while pipe.poll():
        faults.append(pipe.recv())
    with open_store(url) as store:
        run = store.run(name)
        equal = run.status == "done" and list(export_lines(store, run.id)) == expected
        store.delete_run(name)
    return Fate(kills, faults, equal)


def start(url: str, name: str, report: Connection) -> BaseProcess:
    """A process that joins the run."""
    process = FORK.Process(target=join_in, args=(url, name, report), daemon=True)
    process.start()
    return process


def join_in(url: str, name: str, report: Connection) -> None:
    """Play until all is done; say so where it ends otherwise."""
    with open_store(url) as store:
        sitting = runs.play(store.run(name), store, concurrency=8, more=PLAYERS)
    if sitting.status != "done":
        report.send(f"{sitting.status}: {sitting.why}")


@contextmanager
def schema_of_its_own(server: str) -> Iterator[str]:
    """The address of an empty schema, dropped at the end."""
    name = f"osler_kills_{secrets.token_hex(6)}"
    engine = sa.create_engine(sa.make_url(server).set(drivername="postgresql+psycopg"))
    try:
        with engine.begin() as connection:
            connection.execute(sa.schema.CreateSchema(name))
        engine.dispose()
        yield f"{server}?options=-csearch_path%3D{name}"
    finally:
        with engine.begin() as connection:
            connection.execute(sa.schema.DropSchema(name, cascade=True))
        engine.dispose()


if __name__ == "__main__":
    main()
