"""Limits that many workers keep together: calls granted over a rate, and a budget overdrawn, in calls.

Workers are processes of their own that share a store. For the rate each asks for more than all may have
together, and what counts are the calls granted between two instants of a minute in which all were at work.
For the budget, workers play one run against the fake endpoint (`osler.testing`) and are killed now and then;
what it has answered is compared with what was allowed, and with the calls that were in flight.

    python benchmarks/scale_limits.py --seconds 60 --json
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import sqlalchemy as sa
from kills import schema_of_its_own

from osler.core.role import Seating
from osler.models.config import Endpoint, Rates, config_of
from osler.models.open_models import Models
from osler.models.rates import Pacer
from osler.players.casting import players_of
from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.runs.usage import usage
from osler.store.store import open_store
from osler.testing.endpoint import running

SERVER = "postgresql://postgres@127.0.0.1:5432/test"
PER_S = 100.0
AT_ONCE = 32
ENDPOINT = Endpoint(name="e", base_url="http://h/v1", model="m", requests_per_minute=60 * PER_S)
CALL_S = 0.05
UNCACHED: list[dict[str, Any]] = [{"usage": {"prompt_tokens_details": {}}}]
MODEL = "model:fake"
CONFIG = RunConfig(
    cases="library", doctor=MODEL, patient=MODEL, examination=MODEL, consultant=MODEL, repeats=400
)


def measure(seconds: float = 60, server: str = SERVER) -> dict[str, Any]:
    """Return calls granted over the limit with 1, 4 and 16 workers (SQLite: 1 and 4), each over so many
    seconds, and by how many calls a budget of money was overdrawn beside those in flight."""
    found: dict[str, Any] = {"seconds": seconds, "calls_per_s": PER_S}
    with tempfile.TemporaryDirectory() as folder:
        for database, workers in (("postgresql", (1, 4, 16)), ("sqlite", (1, 4))):
            for count in workers:
                with a_store(database, server, Path(folder)) as url:
                    found[f"{database}_{count}_workers"] = granted(url, count, seconds)
        with a_store("postgresql", server, Path(folder)) as url:
            found["budget"] = overdrawn(url, Path(folder))
    return found


def granted(url: str, workers: int, seconds: float) -> dict[str, float]:
    """The calls granted over the limit in a time in which all workers want more than they get."""
    command = [sys.executable, __file__, "--worker", url]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes: list[Any] = [subprocess.Popen(command, **pipes) for _ in range(workers)]
    for one in processes:
        one.stdout.readline()
    begin = time.time() + 2.0
    for one in processes:
        one.stdin.write(f"{begin} {begin + 1.0} {begin + 1.0 + seconds}\n")
        one.stdin.flush()
    counted = [json.loads(one.communicate()[0]) for one in processes]
    shares = [one["calls"] for one in counted]
    return {
        "granted_over_limit": round(sum(shares) / (PER_S * seconds), 4),
        "from_the_start": round(sum(one["from_start"] for one in counted) / (PER_S * (seconds + 1)), 4),
        "least_over_greatest_share": round(min(shares) / max(shares), 3),
        "statements_per_s": round(sum(one["statements"] for one in counted) / seconds, 1),
        "load": round(os.getloadavg()[0], 1),
    }


def work(url: str) -> None:
    """One worker: calls of 50 ms, 32 at once, until the time is over."""
    with open_store(url) as store:
        bucket = store.shared_bucket(ENDPOINT)
        statements = 0

        def count(*_: Any) -> None:
            nonlocal statements
            statements += 1

        sa.event.listen(store._engine, "before_cursor_execute", count)
        print("ready", flush=True)
        begin, first, last = map(float, sys.stdin.readline().split())
        time.sleep(max(0.0, begin - time.time()))
        calls = asyncio.run(_calls(Pacer(ENDPOINT.rates or Rates(), bucket), first, last))
        print(json.dumps({"calls": calls[0], "from_start": calls[1], "statements": statements}))


async def _calls(pacer: Pacer, first: float, last: float) -> tuple[int, int]:
    within = whole = 0

    async def caller() -> None:
        nonlocal within, whole
        while True:
            await pacer.admit()
            now = time.time()
            if now >= last:
                return
            whole += 1
            within += now >= first
            await asyncio.sleep(CALL_S)

    await asyncio.gather(*(caller() for _ in range(AT_ONCE)))
    await pacer.close()
    return within, whole


def overdrawn(url: str, folder: Path, money: float = 1.0, kills: int = 4) -> dict[str, float]:
    """By how many calls a budget is overdrawn by four workers, one of which is killed now and then."""
    at_once, workers = 4, 4
    with running(script=UNCACHED, latency_ms=50) as address, open_store(url) as store:
        table = {"base_url": address, "model": "fake-model", "price_in": 1.0, "price_out": 1.0}
        lines = [f"{name} = {json.dumps(value)}" for name, value in table.items()]
        (folder / "osler.toml").write_text("\n".join(["[endpoints.fake]", *lines, ""]))
        found = config_of({"endpoints": {"fake": table}})
        run = runs.begin(CONFIG, store, players_of(Seating(CONFIG, Models(found))))
        command = [sys.executable, "-m", "osler.cli.main", "worker", run.name, "--json"]
        command += ["--concurrency", str(at_once), "--config", str(folder / "osler.toml")]
        command += ["--max-money", str(money)]
        environ = {**os.environ, "OSLER_STORE": url}

        def another() -> subprocess.Popen[str]:
            return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)

        playing = [another() for _ in range(workers)]
        for kill in range(1, kills + 1):
            while _spent(address)[0] < 0.8 * money * kill / kills and playing[0].poll() is None:
                time.sleep(0.05)
            playing[0].kill()
            playing[0].communicate()
            playing = [*playing[1:], another()]
        for one in playing:
            one.communicate()
        spent, calls = _spent(address)
        recorded = sum(
            row["cost"] or 0.0 for seats in usage(store, run.id, found).values() for row in seats.values()
        )
    of_a_call = spent / calls
    return {
        "money": money,
        "spent_at_the_endpoint": round(spent, 4),
        "recorded": round(recorded, 4),
        "calls": calls,
        "overdrawn_calls": round((spent - money) / of_a_call, 1),
        "in_flight_at_most": at_once * workers,
        "killed": kills,
        "in_flight_when_killed_at_most": at_once * kills,
    }


def _spent(address: str) -> tuple[float, int]:
    """The money and the calls that the endpoint has answered."""
    with urlopen(f"{address.removesuffix('/v1')}/stats") as answer:
        stats = json.load(answer)
    answers = stats["answers"]
    return (answers["prompt_tokens"] + answers["completion_tokens"]) / 1e6, max(1, stats["requests"])


@contextmanager
def a_store(database: str, server: str, folder: Path) -> Iterator[str]:
    """The address of a new store."""
    if database == "sqlite":
        yield f"sqlite:///{folder / secrets.token_hex(6)}.db"
        return
    with schema_of_its_own(server) as address:
        yield address


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--seconds", type=float, default=60, help="for each number of workers")
    parser.add_argument("--server", default=os.environ.get("OSLER_TEST_POSTGRES", SERVER), help="PostgreSQL")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        work(given.worker)
        return
    found = measure(given.seconds, given.server)
    print(json.dumps(found) if given.json else json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
