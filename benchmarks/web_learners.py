"""Forty learners at the server while forty episodes are followed live: no turn lost or doubled, the time from
a commit to its arrival in a browser, and the server's memory.

    python benchmarks/web_learners.py [--learners 40] [--episodes 40] [--turns 10] [--store URL]

A real `osler serve` in a process of its own; the learners and the viewers are HTTP clients of this one, and
the episodes are written by this process as another machine would. Figures depend on the machine: read them as
ratios beside the load that is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
from crowd import QUESTIONS

from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.store.store import Store, open_store

THINKS_S = 2.0
WARMS_UP_S = 15.0
SITS_DOWN_S = 10.0
"""The time within which all learners sit down, evenly spread."""
EVERY_S = 1.0


def served(store: str) -> tuple[subprocess.Popen[str], str]:
    """Start the server over a store; return its process and its address."""
    command = [sys.executable, "-m", "osler.cli.main", "serve", "--store", store, "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    return process, str(json.loads(process.stdout.readline())["url"]).rstrip("/")


def memory_mb(pid: int) -> float:
    """The resident memory of a process, in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


async def memory_at_quarters(pid: int, lasts: float) -> list[int]:
    """The memory of a process in MiB at each quarter of the seconds to come."""
    found = []
    for _ in range(4):
        await asyncio.sleep(lasts / 4)
        found.append(round(memory_mb(pid)))
    return found


async def messages(client: httpx.AsyncClient, topics: str) -> AsyncIterator[dict[str, Any]]:
    """The messages of one stream, each with the time it arrived at."""
    async with client.stream("GET", "/api/stream", params={"topics": topics}, timeout=None) as stream:
        async for line in stream.aiter_lines():
            if line.startswith("data:"):
                found: dict[str, Any] = json.loads(line[5:])
                yield {**found, "arrived": time.time()}


class Learner:
    """One learner: asks its questions one after another and hears by the stream when it may go on."""

    def __init__(self, client: httpx.AsyncClient, case: str, turns: int) -> None:
        self._client, self._case, self._turns = client, case, turns
        self._heard = asyncio.Event()
        self._last = 0.0
        self.pushes: list[float] = []
        self.wrong = ""

    async def plays(self, late_s: float) -> None:
        """Sit down after so many seconds, ask, and note what was lost or doubled."""
        await asyncio.sleep(late_s)
        given = {"protocol": "consultation", "case": self._case}
        sitting = (await self._client.post("/api/sittings", json=given, timeout=120)).json()["id"]
        listening = asyncio.create_task(self._listens(sitting))
        asked: list[str] = []
        for _, question in zip(range(self._turns), cycle(QUESTIONS)):
            state = await self._turn(sitting)
            said = f"{question} ({len(asked) + 1})"
            self._heard.clear()
            begun = time.time()
            move = {"ticket": state["ticket"], "move": {"action": "ASK", "question": said}}
            answer = await self._client.post(f"/api/sittings/{sitting}/moves", json=move, timeout=120)
            assert answer.status_code == 202, answer.text
            asked.append(said)
            await asyncio.wait_for(self._heard.wait(), 60)
            self.pushes.append(self._last - begun)
            await asyncio.sleep(THINKS_S)
        state = await self._turn(sitting)
        told = [item["reply"]["question"] for item in state["feed"] if item["reply"]]
        if told != asked:
            self.wrong = f"{len(asked)} asked, {len(told)} in the record"
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening

    async def _listens(self, sitting: str) -> None:
        async for message in messages(self._client, f"sitting:{sitting}"):
            self._last = float(str(message["arrived"]))
            self._heard.set()

    async def _turn(self, sitting: str) -> dict[str, Any]:
        while True:
            state = (await self._client.get(f"/api/sittings/{sitting}", timeout=120)).json()
            if state["status"] == "yours":
                return dict(state)
            await asyncio.sleep(0.05)


class Live:
    """Episodes that are written one exchange at a time, as they would be while models play them."""

    def __init__(self, store: Store, episodes: int) -> None:
        config = RunConfig(limit=5)
        source = runs.opened(config)
        played = runs.play(runs.begin(config, store, source=source), store, source=source).run
        self._rows = [store.recorded(played.id, ordinal) for ordinal in store.done(played.id)]
        self._store, self.episodes = store, episodes
        self.run = store.begin_run("live", {**played.manifest, "about": "a benchmark"}, episodes)
        self.committed: dict[tuple[int, int], float] = {}
        self.latencies: list[float] = []
        self.missing = 0

    async def plays(self, seconds: float) -> None:
        """Write one exchange of every episode a second, evenly spread."""
        writer = self._store.writer(self.run.id)
        until, n = time.time() + seconds, 0
        longest = min(len(rows) for rows in self._rows)
        while time.time() < until and n < longest:
            for ordinal in range(self.episodes):
                writer.exchange(ordinal, self._rows[ordinal % len(self._rows)][n])
                writer.close()
                self.committed[ordinal, n + 1] = time.time()
                await asyncio.sleep(EVERY_S / self.episodes)
            n += 1

    async def follows(self, client: httpx.AsyncClient, ordinals: range) -> None:
        """Follow some episodes on one stream."""
        topics = ",".join(f"episode:{self.run.name}:{one}:all" for one in ordinals)
        async for message in messages(client, topics):
            ordinal = int(str(message["topic"]).split(":")[2])
            for item in message.get("items", ()):
                at = self.committed.get((ordinal, item["n"]))
                if at is not None and item["id"].endswith(".0"):
                    self.latencies.append(float(str(message["arrived"])) - at)


def share(values: list[float], of: float) -> float:
    """A quantile in milliseconds."""
    ordered = sorted(values)
    return 1000 * ordered[min(len(ordered) - 1, int(of * len(ordered)))] if ordered else float("nan")


async def measured(url: str, pid: int, store: Store, given: argparse.Namespace) -> None:
    """Play, follow and print."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, limits=limits) as client:
        cases = (await client.get("/api/shelf", timeout=120)).json()["cases"]
        ids = [one["id"] for one in cases if one["protocol"] == "consultation"]
        live = await asyncio.to_thread(Live, store, given.episodes)
        learners = [Learner(client, case, given.turns) for _, case in zip(range(given.learners), cycle(ids))]
        blocks = [range(first, min(first + 10, given.episodes)) for first in range(0, given.episodes, 10)]
        watching = [asyncio.create_task(live.follows(client, block)) for block in blocks]
        await asyncio.sleep(WARMS_UP_S)  # a server reads its cases when it starts
        before, began = memory_mb(pid), time.time()
        apart, lasts = SITS_DOWN_S / given.learners, SITS_DOWN_S + given.turns * THINKS_S
        held = asyncio.create_task(memory_at_quarters(pid, lasts))
        await asyncio.gather(
            live.plays(lasts), *(one.plays(at * apart) for at, one in enumerate(learners)), held
        )
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    pushes = [push for one in learners for push in one.pushes]
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {time.time() - began:.0f} s")
    wrong = [one.wrong for one in learners if one.wrong] or "none"
    print(f"learners {len(learners)}, turns {len(pushes)}, lost or doubled: {wrong}")
    print(f"move to push: p50 {share(pushes, 0.5):.0f} ms, p99 {share(pushes, 0.99):.0f} ms")
    sent = len(live.latencies)
    print(f"live episodes {given.episodes}, exchanges {len(live.committed)}, arrived {sent}")
    print(
        f"commit to push: p50 {share(live.latencies, 0.5):.0f} ms, p99 {share(live.latencies, 0.99):.0f} ms"
    )
    print(f"server memory {before:.0f} MiB, then at each quarter {', '.join(map(str, held.result()))} MiB")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learners", type=int, default=40)
    parser.add_argument("--episodes", type=int, default=40)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--store", default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or str(Path(folder) / "osler.db")
        process, url = served(store)
        try:
            with open_store(store) as opened:
                asyncio.run(measured(url, process.pid, opened, given))
        finally:
            process.terminate()
            process.wait(timeout=30)


if __name__ == "__main__":
    main()
