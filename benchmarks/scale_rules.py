"""The rules of benchmarks/scale.py: when a machine is too busy, and how counts and rounds become ratios."""

from __future__ import annotations

import os
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple


class Count(NamedTuple):
    """What one process needed for so many calls, start-up included: instructions, or anything else."""

    calls: int
    needed: float


def busy(load: float, cores: int) -> str:
    """Why no wall times may be compared now: the load average is above half the cores. Empty if they may."""
    if load <= cores / 2:
        return ""
    return f"refused: the load average is {load:.1f}, above half of {cores} cores (see --force)"


def load_now() -> float:
    """The load average of the last minute."""
    return round(os.getloadavg()[0], 2)


def slope(small: Count, large: Count) -> float:
    """What a further call needs: between two sizes, so that start-up is out. Raises ValueError if the larger
    one made no more calls."""
    if large.calls <= small.calls:
        raise ValueError(f"{large.calls} calls are not more than {small.calls}")
    return (large.needed - small.needed) / (large.calls - small.calls)


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of one side's rounds over the median of the other's, to three digits."""
    return round(median(ours) / median(theirs), 3)
