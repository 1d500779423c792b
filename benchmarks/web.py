"""What the records answer at 100,000 stored episodes: first page, sort, filter, opening an episode.

A library run is played once and its rows are copied with other ordinals, by the database itself; then
`osler serve` is started on the store and asked over HTTP, as a browser does. On SQLite, and on PostgreSQL
where a server is named.

    python benchmarks/web.py --json [--episodes 100000] [--postgres postgresql://postgres@127.0.0.1:5432/test]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import sqlalchemy as sa
from kills import schema_of_its_own

from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.schema import episodes, exchanges, judgements, scores
from osler.store.schema import runs as run_table
from osler.store.store import Store, open_store

TARGET_MS: Final = 300
COPIED: Final = (episodes, exchanges, judgements, scores)
"""The tables with rows of an episode that a run of built-in players fills, parents first."""


class Measured(NamedTuple):
    """The milliseconds of one kind of request, sorted; `cpu` is what one takes of the server's processor on
    average, which other work on the machine does not change."""

    what: str
    times: Sequence[float]
    cpu: float

    def at(self, share: float) -> float:
        """A quantile."""
        return round(self.times[min(len(self.times) - 1, int(share * len(self.times)))], 1)


def grown(store: Store, wanted: int) -> str:
    """Play the library, and copy its episodes until there are as many as wanted; the run's name."""
    config = protocol_named("consultation").config()
    source = runs.opened(config)
    run = runs.play(runs.begin(config, store, source=source), store, source=source).run
    there = run.done
    while there < wanted:
        count = min(there, wanted - there)
        with store.engine.begin() as connection:
            for table in COPIED:
                connection.execute(_copy(table, run.id, there, count))
        there += count
    with store.engine.begin() as connection:
        connection.execute(sa.update(run_table).values(planned=there))
    return run.name


def _copy(table: sa.Table, run_id: int, by: int, count: int) -> sa.Insert:
    """Copy the rows of the first episodes to ordinals `by` higher."""
    plain = sa.table(table.name, *(sa.column(column.name) for column in table.columns))
    values = [plain.c[c.name] + by if c.name == "ordinal" else plain.c[c.name] for c in table.columns]
    rows = sa.select(*values).where(plain.c.run == run_id, plain.c.ordinal < count)
    return sa.insert(plain).from_select([column.name for column in table.columns], rows)


class Serving(NamedTuple):
    """A server in a process of its own."""

    url: str
    pid: int

    def cpu_ms(self) -> float:
        """The processor time it has used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(address: str) -> Iterator[Serving]:
    """`osler serve` on a store."""
    command = [sys.executable, "-m", "osler.cli.main", "serve", "--store", address, "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Serving(str(json.loads(process.stdout.readline())["url"]).rstrip("/"), process.pid)
        finally:
            process.terminate()


def measure(server: Serving, run: str, count: int, times: int) -> tuple[list[Measured], str]:
    """Ask for everything so many times."""
    url = server.url
    drawn = random.Random(0)
    page = f"{url}/api/runs/{run}/episodes"
    score = {"grader": "baseline:fact_coverage"}

    def listed(**given: Any) -> Callable[[httpx.Client], httpx.Response]:
        return lambda client: client.get(page, params={"limit": 200, **given})

    def later(**given: Any) -> Callable[[httpx.Client], httpx.Response]:
        cursor: list[str] = []

        def asked(client: httpx.Client) -> httpx.Response:
            start = {"cursor": cursor[0]} if cursor else {}
            answer = client.get(page, params={"limit": 200, **given, **start})
            cursor[:] = [answer.json()["next"]]
            return answer

        return asked

    def opened(rest: str) -> Callable[[httpx.Client], httpx.Response]:
        return lambda client: client.get(f"{url}/api/episodes/{run}/{drawn.randrange(count)}{rest}")

    asked: dict[str, Callable[[httpx.Client], httpx.Response]] = {
        "list of runs": lambda client: client.get(f"{url}/api/runs"),
        "one run": lambda client: client.get(f"{url}/api/runs/{run}"),
        "first page": listed(),
        "page after page": later(),
        "sorted by minutes": listed(sort="minutes", descending=True),
        "page after page, by minutes": later(sort="minutes", descending=True),
        "sorted by case": listed(sort="case"),
        "sorted by a score": listed(sort="score", **score),
        "page after page, by a score": later(sort="score", descending=True, **score),
        "filter: status": listed(status="completed"),
        "filter: case": listed(case="cardiology-01"),
        "filter: text": listed(q="cardio"),
        "filter: text, none": listed(q="zzz"),
        "filter: below a score": listed(below=0.5, **score),
        "filter and sort by a score": listed(case="cardiology-01", sort="score", below=0.9, **score),
        "open an episode": opened(""),
        "its log": opened("/log?view=doctor"),
        "its exchanges": opened("/exchanges"),
        "a request as seen, proved": opened("/exchanges/5"),
    }
    found = []
    with httpx.Client(timeout=600) as client:
        began = time.perf_counter()
        client.get(f"{url}/api/runs/{run}/facets").raise_for_status()
        facets = time.perf_counter() - began
        began = time.perf_counter()
        client.get(f"{url}/api/runs/{run}/figures").raise_for_status()
        figures = time.perf_counter() - began
        for what, ask in asked.items():
            ask(client).raise_for_status()  # the first may meet a cold cache
            taken, before = [], server.cpu_ms()
            for _ in range(times):
                began = time.perf_counter()
                ask(client).raise_for_status()
                taken.append(1000 * (time.perf_counter() - began))
            cpu = (server.cpu_ms() - before) / times
            found.append(Measured(what, sorted(taken), round(cpu, 1)))
    return found, f"{facets:.1f} s for the facets and {figures:.1f} s for the figures, the first time"


def one(name: str, address: str, count: int, times: int, as_json: bool) -> bool:
    """Measure one database; whether everything kept to the target."""
    began = time.monotonic()
    with open_store(address) as store:
        run = grown(store, count) if count else store.run("last").name
        count = store.run(run).done
    took = time.monotonic() - began
    with served(address) as server:
        found, slow = measure(server, run, count, times)
    worst = max(row.at(0.99) for row in found)
    if as_json:
        rows = {row.what: {"p50_ms": row.at(0.5), "p99_ms": row.at(0.99), "cpu_ms": row.cpu} for row in found}
        value = {"database": name, "episodes": count, "rows": rows, "worst_p99_ms": worst, "first_time": slow}
        sys.stdout.write(json.dumps(value) + "\n")
    else:
        sys.stdout.write(f"\n{name}, {count:,} episodes (made in {took:.0f} s; {slow})\n")
        for row in found:
            late = "" if row.at(0.99) <= TARGET_MS else "  over the target"
            sys.stdout.write(
                f"  {row.what:32} p50 {row.at(0.5):7.1f} ms   p99 {row.at(0.99):7.1f} ms{late}\n"
            )
    return worst <= TARGET_MS


def main() -> None:
    """Measure and print; exit 1 where a p99 is over the target."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=30, help="requests of each kind")
    parser.add_argument("--postgres", default="", help="also on this PostgreSQL database")
    parser.add_argument("--store", default="", help="measure the newest run of this store instead")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.store:
        sys.exit(0 if one("as it is", given.store, 0, given.times, given.json) else 1)
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        address = f"sqlite:///{Path(folder) / 'osler.db'}"
        kept.append(one("SQLite", address, given.episodes, given.times, given.json))
    if given.postgres:
        with schema_of_its_own(given.postgres) as address:
            kept.append(one("PostgreSQL", address, given.episodes, given.times, given.json))
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
