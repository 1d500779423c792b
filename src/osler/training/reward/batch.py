"""Scoring many turns at once: score k belongs to sample k, whatever fails.

A list of scores is as long as the list of samples and in its order. A turn whose judge failed is tried again,
then stays in its place without a score, and its whole group is left out of the update: a mean over the rest
would be one over other answers than were sampled.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from math import isfinite
from typing import Final, NamedTuple

from osler.errors import BadInput, InfrastructureFault
from osler.training.reward.score import Reward, Score, without_score
from osler.training.state import State

AT_ONCE: Final = 16
TRIES: Final = 2
ENDPOINT_FAULT: Final = "endpoint_fault"
FAILED: Final = "reward_failed"
_MOST_KEPT: Final = 100_000


async def score_all(
    reward: Reward,
    samples: Sequence[tuple[State, str]],
    *,
    at_once: int = AT_ONCE,
) -> list[Score]:
    """Score every sample, `at_once` at a time; score k is that of sample k.

    A sample that an endpoint's fault leaves unscored is tried `TRIES` times. Raises InfrastructureFault if
    that happened to every sample: there is nothing to train on until the endpoint is up again.
    """
    gate = asyncio.Semaphore(max(1, at_once))
    faults: list[InfrastructureFault] = []

    async def one(state: State, text: str) -> Score:
        async with gate:
            for left in reversed(range(TRIES)):
                try:
                    return _finite(await reward.score(state, text))
                except InfrastructureFault as error:
                    if left == 0:
                        faults.append(error)
                except BadInput:
                    raise
                except Exception as error:  # a fault in a reward's code costs one sample, never its place
                    return without_score(f"{FAILED}: {type(error).__name__}")
            return without_score(ENDPOINT_FAULT)

    scores = await asyncio.gather(*(one(state, text) for state, text in samples))
    if faults and len(faults) == len(samples):
        raise faults[-1]
    return aligned(list(scores), len(samples))


def _finite(score: Score) -> Score:
    """The score; one that is no finite number is none."""
    if score.total is None or isfinite(score.total):
        return score
    return without_score(f"{FAILED}: {score.total}")


def aligned(scores: Sequence[Score], samples: int) -> list[Score]:
    """The scores, if there is one for each sample and each is whole. Raises ValueError if not."""
    if len(scores) != samples:
        raise ValueError(f"{len(scores)} scores for {samples} samples")
    for k, score in enumerate(scores):
        if (score.total is None) == (score.unscored is None):
            raise ValueError(f"score {k} has neither a total nor a reason, or both")
    return list(scores)


class Masked(NamedTuple):
    """Totals for an update, `None` where a sample is left out of it, and how many groups that were."""

    totals: list[float | None]
    groups: int
    masked: int
    vetoed: int
    """The groups with at least one veto."""
    level: int
    """The scored groups whose totals are all equal, from which nothing is learnt."""


def masked(scores: Sequence[Score], size: int) -> Masked:
    """The totals of groups of `size` consecutive samples; an unscored one masks its whole group.

    Raises ValueError if the samples are not whole groups.
    """
    if size < 1 or len(scores) % size:
        raise ValueError(f"{len(scores)} samples are not groups of {size}")
    totals: list[float | None] = []
    left_out = vetoed = level = 0
    for at in range(0, len(scores), size):
        group = scores[at : at + size]
        groups = [score.total for score in group if score.total is not None]
        vetoed += any(score.vetoed for score in group)
        if len(groups) < size:
            left_out += 1
            totals += [None] * size
        else:
            level += len(set(groups)) == 1
            totals += groups
    return Masked(totals, len(scores) // size, left_out, vetoed, level)


class Remembered:
    """A reward that scores the same turn at the same state once. What is unscored is asked for again."""

    def __init__(self, reward: Reward, most: int = _MOST_KEPT) -> None:
        self._reward, self._most = reward, most
        self._kept: OrderedDict[bytes, Score] = OrderedDict()
        self._flights: dict[bytes, asyncio.Task[Score]] = {}
        self.name, self.version = reward.name, reward.version
        self.hits = 0

    async def score(self, state: State, text: str, /) -> Score:
        """Score a turn, from what is remembered if it is."""
        key = _key(self._reward, state, text)
        if (kept := self._kept.get(key)) is not None:
            self.hits += 1
            return kept
        flight = self._flights.get(key)
        if flight is None:
            flight = asyncio.create_task(self._scored(key, state, text))
            self._flights[key] = flight
        else:
            self.hits += 1
        try:
            return await asyncio.shield(flight)
        finally:
            if flight.done():
                self._flights.pop(key, None)

    async def _scored(self, key: bytes, state: State, text: str) -> Score:
        score = await self._reward.score(state, text)
        if score.total is not None:
            self._kept[key] = score
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return score


def _key(reward: Reward, state: State, text: str) -> bytes:
    """A key by content: the reward's version, all that a reward may know of the state, and the turn."""
    digest = blake2b(digest_size=16)
    for part in (reward.name, reward.version, state.model_dump_json(), text):
        digest.update(f"{len(part)}\x1f{part}".encode(errors="surrogatepass"))
    return digest.digest()
