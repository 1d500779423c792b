"""Judging many episodes with a model, several at a time, keeping each judgement as soon as it is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol, TypeVar

from osler.cases.model import Case
from osler.encounter.trace import Trace
from osler.errors import InfrastructureFault

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Episode(NamedTuple):
    """An ended episode to judge."""

    ordinal: int
    case: Case
    trace: Trace


class Judges(Protocol[T_co]):
    """Whoever judges an episode by asking a model."""

    async def judge(self, case: Case, trace: Trace, options_shown: bool, /) -> T_co:
        """The judgement. Raises InfrastructureFault, and nothing else."""
        ...


async def judge_all(
    judge: Judges[T],
    episodes: Iterable[Episode],
    options_shown: bool,
    keep: Callable[[int, T], None],
    *,
    at_once: int = 16,
) -> int:
    """Judge every episode and `keep` each judgement by its ordinal. Returns how many.

    Episodes are drawn as they are needed. On an InfrastructureFault no more are begun, those under way are
    finished and kept, and the fault is raised: judging can be resumed with what is not yet kept.
    """
    waiting: Iterator[Episode] = iter(episodes)
    faults: list[InfrastructureFault] = []
    count = 0

    async def work() -> None:
        nonlocal count
        while not faults and (episode := next(waiting, None)) is not None:
            try:
                judgement = await judge.judge(episode.case, episode.trace, options_shown)
            except InfrastructureFault as fault:
                faults.append(fault)
                return
            keep(episode.ordinal, judgement)
            count += 1

    await asyncio.gather(*(work() for _ in range(max(1, at_once))))
    if faults:
        raise faults[0]
    return count
