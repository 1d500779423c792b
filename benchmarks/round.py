"""What a ward round costs beside its models: how long its longest chain of calls is, and what it adds to it.

A model in every seat, against a fake endpoint in a process of its own that answers after 200 ms. A call's
place in the chain is one more than that of whatever had been answered when it was sent, so the chain is
measured and not assumed. The exams before and after the rounds are counted as links of their own.

    python benchmarks/round.py --json [--rounds N] [--endpoint http://127.0.0.1:8099/v1]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import NamedTuple

from osler.cases.sources import open_source
from osler.core.role import Seating
from osler.models.config import Config, Endpoint
from osler.models.open_models import Models
from osler.models.types import Completion, CompletionRequest, ModelClient, Validate
from osler.players.casting import casting_of, players_of
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.settings import RoundSettings
from osler.testing.endpoint import running

LATENCY_MS = 200
COHORTS = (1, 3, 10)
EXAMS = 2
SEQUENTIAL = 3


class Chained:
    """A client that counts how long the chain of calls has grown that depend on one another."""

    def __init__(self, inner: ModelClient) -> None:
        self._inner = inner
        self.answered = 0
        self.calls = 0

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        place = self.answered + 1
        self.calls += 1
        completion = await self._inner.complete(request, validate=validate)
        self.answered = max(self.answered, place)
        return completion

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return await self._inner.embed(texts)


class Watched(Models):
    """The models of a round, with the chain counted."""

    chained: Chained | None = None

    def client(self, name: str) -> ModelClient:
        if self.chained is None:
            self.chained = Chained(super().client(name))
        return self.chained


class Took(NamedTuple):
    """One ward round: `chain` links of dependent calls, `calls` in all, `wall_s` seconds."""

    chain: int
    calls: int
    wall_s: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("--endpoint", help="base URL of an endpoint that is up, instead of one of our own")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    own = given.endpoint is None
    with running(latency_ms=LATENCY_MS) if own else nullcontext(given.endpoint.rstrip("/")) as url:
        asyncio.run(teach(url, 1, 1, 64))  # what is built once is built here
        took = {n: asyncio.run(teach(url, n, given.rounds, 64)) for n in COHORTS}
        alone = asyncio.run(teach(url, SEQUENTIAL, given.rounds, 1))
    ten = took[10]
    least_s = ten.chain * LATENCY_MS / 1000
    found = {
        "chain_length": {str(n): (one.chain - EXAMS) / given.rounds for n, one in took.items()},
        "wall_over_chain_10_students": round(ten.wall_s / least_s, 3) if own else None,
        "speedup_over_sequential": round(alone.wall_s / took[SEQUENTIAL].wall_s, 2),
        "calls": {str(n): one.calls for n, one in took.items()},
        "wall_s": {str(n): round(one.wall_s, 3) for n, one in took.items()},
        "rounds": given.rounds,
        "latency_ms": LATENCY_MS if own else None,
    }
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:30} {value}")


async def teach(url: str, students: int, rounds: int, in_flight: int) -> Took:
    """Play one ward round of a library case with a model in every seat."""
    name = "model:bench"
    config = RoundConfig(
        tutor=name,
        students=students,
        student=(name,),
        patient=name,
        specialist=name,
        supervisor=name,
        expert=name,
        models={"bench": "fake"},
        settings=RoundSettings(max_rounds=rounds),
    )
    endpoint = Endpoint(name="bench", base_url=url, model="fake", max_in_flight=in_flight)
    source = open_source("library")
    case = config.ready(source.get(0))
    async with Watched(Config(endpoints={"bench": endpoint})) as models:
        cast = casting_of(config, players_of(Seating(config, models))).cast(case)
        episode = config.episode(0, case, source)
        began = time.perf_counter()
        trace = await episode.play(cast)
        wall_s = time.perf_counter() - began
        if str(trace.outcome.status) != "completed":
            raise SystemExit(f"the round was not completed: {trace.outcome.reason}")
        chained = models.chained
        assert chained is not None
        return Took(chained.answered, chained.calls, wall_s)


if __name__ == "__main__":
    main()
