"""One measurement of benchmarks/engine.py, in a process of its own so that no cache is warm from another.

What is measured begins after everything is imported and eight other consultations have been played, and ends
when the last answer is stored. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

import aiohttp
from yarl import URL

from osler.cli.collector import collect_seldom
from osler.core.composite import AnyPlayer
from osler.core.factory import Factory, PlayerRequest
from osler.core.role import Seating
from osler.models.client import EndpointClient
from osler.models.config import Config, Endpoint
from osler.models.faults import Fault
from osler.models.open_models import Models
from osler.models.tries import Raw
from osler.players.casting import players_of
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import Limits, Settings
from osler.runs import run as runs
from osler.runs.totals import totals
from osler.store.store import open_store

SETTINGS = Settings(limits=Limits(max_turns=10, max_tests_per_visit=3), unknown="normal")
NAME = "bench"
SEATED = ("doctor", "patient")
EVERY_SEAT = ("doctor", "patient", "examination", "consultant")
LONG = Settings(limits=Limits(max_turns=24), unknown="normal")
"""What a script of many orders and many calls for advice needs."""
OPEN_PER_SLOT = 2
"""Episodes open for each request in flight: with fewer, slots stand empty at the end (kernel-trial.md)."""
WARM_UP = 8

Chain = list[bytes]
_chain: ContextVar[Chain] = ContextVar("chain")


class Took(NamedTuple):
    """What a measurement took. `wall_s` and `cpu_s` are of this process, `calls` requests to the endpoint."""

    wall_s: float
    cpu_s: float
    calls: int
    exchanges: int = 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("engine", "record", "bare", "sdk"))
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--open", type=int, default=0, help="consultations open; 0: twice those in flight")
    parser.add_argument("--cases", type=Path, help="what the engine consults")
    parser.add_argument("--chains", type=Path, help="where requests are recorded, or read to be replayed")
    parser.add_argument("--limit", type=int, help="the first so many consultations")
    parser.add_argument("--all-seats", action="store_true", help="a model in every seat")
    parser.add_argument("--script", type=Path, help="the doctor's moves, where no model plays the doctor")
    parser.add_argument("--callgrind", action="store_true", help="begin to count after the warm-up")
    given = parser.parse_args()
    opened = given.open or OPEN_PER_SLOT * given.in_flight
    cast = dict.fromkeys(EVERY_SEAT if given.all_seats else SEATED, f"model:{NAME}")
    if given.script:
        cast["doctor"] = f"scripted:{given.script}"
    if given.what == "record":
        took = record(given.endpoint, given.cases, given.chains, given.in_flight, opened, given.limit, cast)
    elif given.what == "engine":
        consult(given.endpoint, given.cases.with_name("warm-up.jsonl"), WARM_UP, WARM_UP, WARM_UP)
        begin_to_count(wanted=given.callgrind)
        took = consult(given.endpoint, given.cases, given.in_flight, opened, given.limit)
    else:
        replay = bare if given.what == "bare" else sdk
        chains = read_chains(given.chains)[: given.limit]
        asyncio.run(replay(given.endpoint, chains[:1], 1, 1))
        begin_to_count(wanted=given.callgrind)
        wall, cpu = time.perf_counter(), time.process_time()
        asyncio.run(replay(given.endpoint, chains, given.in_flight, opened))
        took = Took(time.perf_counter() - wall, time.process_time() - cpu, sum(map(len, chains)))
    print(json.dumps(took._asdict()))


def begin_to_count(*, wanted: bool) -> None:
    """Switch callgrind's counting on, which makes everything before it some ten times faster."""
    if wanted:
        asked = subprocess.Popen(
            ["callgrind_control", "-i", "on", str(os.getpid())], stdout=subprocess.DEVNULL
        )
        while asked.poll() is None:  # busy, since callgrind listens only while this process runs
            pass
        if asked.returncode:
            raise SystemExit("callgrind does not listen")


# The engine


def consult(
    endpoint: str,
    cases: Path,
    in_flight: int,
    opened: int,
    limit: int | None = None,
    cast: Mapping[str, str] | None = None,
    watched: Callable[[Models, dict[str, Factory]], dict[str, Factory]] = lambda models, made: made,
) -> Took:
    """Play consultations as `osler run` does: everything stored in SQLite and judged."""
    named = cast or dict.fromkeys(SEATED, f"model:{NAME}")
    settings = LONG if named["doctor"].startswith("scripted:") else SETTINGS
    config = RunConfig(cases=str(cases), limit=limit, settings=settings, models={NAME: "fake"}, **named)
    table = Endpoint(name=NAME, base_url=endpoint, model="fake", max_in_flight=in_flight)
    models = Models(Config(endpoints={NAME: table}))
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder, "run.db")) as store:
        more = watched(models, players_of(Seating(config, models)))
        run = runs.begin(config, store, more)
        wall, cpu = time.perf_counter(), time.process_time()
        collect_seldom()
        sitting = runs.play(run, store, concurrency=opened, more=more, around=models)
        took = time.perf_counter() - wall, time.process_time() - cpu
        summary = totals(run, store)
        if sitting.status != "done" or summary.ended.keys() != {"completed"}:
            raise SystemExit(f"not every consultation was completed: {sitting.why} {summary.ended}")
    return Took(*took, models.ledger.total.calls, summary.exchanges)


def record(
    endpoint: str,
    cases: Path,
    chains: Path,
    in_flight: int,
    opened: int,
    limit: int | None,
    cast: Mapping[str, str],
) -> Took:
    """Play consultations and write down the bodies of every one's requests, in order."""
    recorded: list[Chain] = []

    def watched(models: Models, made: dict[str, Factory]) -> dict[str, Factory]:
        client = models.client(NAME)
        assert isinstance(client, EndpointClient)
        client.__class__ = _Recording  # the client that the run would have, with an ear at its door

        def factory(asked: PlayerRequest) -> AnyPlayer:
            if asked.seat == "patient":  # each consultation is cast in the task that plays it
                chain: Chain = []
                recorded.append(chain)
                _chain.set(chain)
            return made["model"](asked)

        return {"model": factory}

    took = consult(endpoint, cases, in_flight, opened, limit, cast, watched)
    with chains.open("wb") as file:
        for chain in filter(None, recorded):  # a player made only to be asked what it is sends nothing
            file.write(b"\x1f".join(chain) + b"\n")
    return took


class _Recording(EndpointClient):
    async def _fetch(self, url: URL, body: bytes) -> Raw | Fault:
        _chain.get().append(body)
        return await super()._fetch(url, body)


def read_chains(path: Path) -> list[Chain]:
    """The recorded requests, a list for each consultation. JSON holds neither separator unescaped."""
    return [line.split(b"\x1f") for line in path.read_bytes().splitlines()]


# What it is held against

Ask = Callable[[bytes], Awaitable[object]]


async def bare(endpoint: str, chains: list[Chain], in_flight: int, opened: int) -> None:
    """Send the same bytes in the same chains with nothing but aiohttp, and read nothing of the answers."""
    url = URL(f"{endpoint}/chat/completions")
    headers = {"Content-Type": "application/json"}
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def ask(body: bytes) -> None:
            async with session.post(url, data=body) as response:
                await response.read()
                if response.status != 200:
                    raise SystemExit(f"HTTP {response.status}: {(await response.text())[:200]}")

        await _each_in_order(chains, ask, in_flight, opened)


async def sdk(endpoint: str, chains: list[Chain], in_flight: int, opened: int) -> None:
    """Ask the same with the `openai` SDK as anybody would write it."""
    from openai import AsyncOpenAI  # noqa: PLC0415 - a development dependency of this comparison only

    made = {body: json.loads(body) for chain in chains for body in chain}
    async with AsyncOpenAI(base_url=endpoint, api_key="none", max_retries=0) as client:
        await _each_in_order(
            chains, lambda body: client.chat.completions.create(**made[body]), in_flight, opened
        )


async def _each_in_order(chains: list[Chain], ask: Ask, in_flight: int, opened: int) -> None:
    slots, left = asyncio.Semaphore(in_flight), iter(chains)

    async def hand() -> None:
        for chain in left:
            for body in chain:
                async with slots:
                    await ask(body)

    await asyncio.gather(*(hand() for _ in range(opened)))


if __name__ == "__main__":
    main()
