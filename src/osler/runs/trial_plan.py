"""The plan of a trial: how much of it fits its time, by how fast an endpoint reads and writes. Pure.

A trial is a fixed sequence of pieces: the smallest size of every step, then the next size of every step, and
so on. A plan is as much of the beginning of that sequence as fits. So everything is tried once before
anything is tried at length, and more time or a faster endpoint never takes anything away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

TYPICAL: Final = 100
"""The tokens of an answer that a plan reckons with."""
LEAST: Final = 128
MOST: Final = 1024
"""The shortest and the longest limit of an answer that a trial sets; with room for more it sets none."""
_QUICKER: Final = 4.0
"""The most by which one answer raises the speed that is reckoned with."""
SURE: Final = 0.9
"""The share of the time that is planned for."""


class Speed(NamedTuple):
    """The tokens that an endpoint reads and writes in a second, and whether it keeps what it has read."""

    reads: float
    writes: float
    keeps: bool = False


class Load(NamedTuple):
    """Work for a model: requests, the tokens of their prompts, and those of them that are fresh."""

    calls: int
    prompt: int
    fresh: int

    def reading_s(self, speed: Speed) -> float:
        """The seconds that an endpoint reads."""
        return (self.fresh if speed.keeps else self.prompt) / speed.reads

    def seconds(self, speed: Speed) -> float:
        """The seconds it takes, with answers of typical length."""
        return self.reading_s(speed) + self.calls * TYPICAL / speed.writes

    def least_s(self, speed: Speed) -> float:
        """The seconds it takes with answers that are cut at the shortest limit."""
        return self.reading_s(speed) + self.calls * LEAST / speed.writes

    def most_tokens(self, speed: Speed, seconds: float) -> int | None:
        """The limit of an answer with which it ends within some seconds; `None` if it needs none."""
        left_s = seconds * SURE - self.reading_s(speed)
        room = int(left_s * speed.writes / max(1, self.calls))
        return None if room > MOST else max(LEAST, room)


class Step(NamedTuple):
    """A step of a trial, and its sizes from the smallest to the largest."""

    name: str
    sizes: tuple[Load, ...]


Plan = Mapping[str, int]
"""The size of each step that fits, by its place among the sizes; a step that does not fit is missing."""


def planned(steps: Sequence[Step], speed: Speed | None, seconds: float) -> dict[str, int]:
    """The plan of some steps for some seconds. At an unknown speed it is everything."""
    if speed is None:
        return {step.name: len(step.sizes) - 1 for step in steps}
    fits: dict[str, int] = {}
    left_s = seconds * SURE
    for size in range(max((len(step.sizes) for step in steps), default=0)):
        for step in steps:
            if size >= len(step.sizes):
                continue
            before = step.sizes[size - 1].seconds(speed) if size else 0.0
            left_s -= max(0.0, step.sizes[size].seconds(speed) - before)
            if left_s < 0:
                return fits
            fits[step.name] = size
    return fits


def share(loads: Iterable[Load], speed: Speed | None, seconds: float) -> float:
    """The seconds of the first of some loads, if all of them share the time by what they need."""
    if speed is None:
        return seconds
    needs = [one.seconds(speed) for one in loads]
    return seconds * needs[0] / sum(needs)


def longest(loads: Sequence[Load], speed: Speed | None, seconds: float) -> float:
    """The seconds after which the first of some loads is given up: the others must have what they need at
    least. Where there is too little for all, it may still take twice what it should: what a server has read
    of a prompt that is given up is lost, and a trial that cuts every turn has tried none."""
    if speed is None:
        return seconds
    others_s = sum(one.least_s(speed) for one in loads[1:])
    return min(seconds, max(seconds - others_s, 2 * loads[0].seconds(speed)))


def paced(speed: Speed, fastest: Speed, expected_s: float, took_s: float) -> Speed:
    """The speed after work that was expected to take some seconds and took others: never faster than it was
    at its `fastest`, so that a pause at the beginning does not leave the rest of the time unused."""
    pace = min(_QUICKER, expected_s / took_s) if took_s > 0 else 1.0
    return speed._replace(
        reads=min(fastest.reads, speed.reads * pace), writes=min(fastest.writes, speed.writes * pace)
    )
