"""Controls that stand beside every curve of a reward: leak, length, and the reward shuffled.

A reward may rise because turns grow longer, or because they give the answer away. Both are counted for every
batch, with their correlation with the reward. The shuffled reward has the same values as the reward, each at
another sample's place: what a policy learns from it, it does not learn from the reward.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from math import sqrt
from random import Random
from statistics import fmean
from typing import Any, Final, NamedTuple

from osler.training.reward.score import Score

_SHUFFLES: Final = 100


class Controls(NamedTuple):
    """The controls of a batch. `leak` is the share of turns that give the answer away, `words` their mean
    length; `with_leak` and `with_words` are their correlations with the total, `None` where it or they do
    not vary. `shuffled_leak` and `shuffled_words` are the size that 95 % of such correlations stay below once
    the reward is shuffled: within it, a correlation is nothing."""

    n: int
    mean: float | None
    leak: float | None
    words: float | None
    with_leak: float | None
    with_words: float | None
    shuffled_leak: float | None
    shuffled_words: float | None

    def as_json(self) -> dict[str, Any]:
        """The controls by name."""
        return self._asdict()


def controls(
    scores: Sequence[Score], texts: Sequence[str], leaks: Sequence[bool], *, key: str = ""
) -> Controls:
    """The controls of turns with their scores; `leaks` says which give the answer away, `key` (a step, say)
    decides how the reward is shuffled. Raises ValueError if the lists are not equally long."""
    if not len(scores) == len(texts) == len(leaks):
        raise ValueError(f"{len(scores)} scores, {len(texts)} texts, {len(leaks)} leaks")
    at = [k for k, score in enumerate(scores) if score.total is not None]
    totals = [float(scores[k].total or 0.0) for k in at]
    words = [float(len(texts[k].split())) for k in at]
    leak = [float(leaks[k]) for k in at]
    drawn = [shuffled(totals, f"{key}\x1f{n}") for n in range(_SHUFFLES)]
    others = [[float(total or 0.0) for total in one] for one in drawn]
    return Controls(
        n=len(scores),
        mean=_mean(totals),
        leak=_mean([float(one) for one in leaks]),
        words=_mean([float(len(text.split())) for text in texts]),
        with_leak=correlation(totals, leak),
        with_words=correlation(totals, words),
        shuffled_leak=_band(others, leak),
        shuffled_words=_band(others, words),
    )


def shuffled(totals: Sequence[float | None], key: str = "") -> list[float | None]:
    """The same totals, each at another's place; an unscored sample stays where it is.

    `key` (a seed and a step, say) decides which; the same key shuffles alike. No sample keeps its own total,
    though it may be given an equal one.
    """
    places = [k for k, total in enumerate(totals) if total is not None]
    dice = Random(blake2b(f"shuffled\x1f{key}".encode(), digest_size=8).digest())  # noqa: S311 - a control
    other = moved(places, dice)
    return [totals[other.get(place, place)] for place in range(len(totals))]


def moved(places: Sequence[int], dice: Random) -> dict[int, int]:
    """Another of the places for each, none its own if there are two: a cyclic shift of a random order."""
    order = list(places)
    dice.shuffle(order)
    return {place: order[at - 1] for at, place in enumerate(order)}


def correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's correlation; `None` where one of them does not vary."""
    if len(first) < 2 or len(first) != len(second):
        return None
    a, b = fmean(first), fmean(second)
    up = sum((x - a) * (y - b) for x, y in zip(first, second, strict=True))
    down = sqrt(sum((x - a) ** 2 for x in first) * sum((y - b) ** 2 for y in second))
    return up / down if down > 0 else None


def _band(others: Sequence[Sequence[float]], values: Sequence[float]) -> float | None:
    """The size that 95 % of the correlations with shuffled rewards stay below."""
    result = sorted(abs(one) for other in others if (one := correlation(other, values)) is not None)
    return result[int(0.95 * (len(result) - 1))] if result else None


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
