"""Dominance between runs: one dominates another that costs no less, is right no more often, and differs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def dominance(costs: Floats, rights: Floats) -> NDArray[np.bool_]:
    """Return the dominance matrix `[..., one, other]`: whether `one` dominates `other`. The last axis of both
    arguments indexes the runs.

    >>> dominance(np.array([1.0, 2.0]), np.array([0.5, 0.5])).tolist()
    [[False, True], [False, False]]
    """
    cheaper, dearer = costs[..., :, None], costs[..., None, :]
    righter, wronger = rights[..., :, None], rights[..., None, :]
    result: NDArray[np.bool_] = (
        (cheaper <= dearer) & (righter >= wronger) & ((cheaper < dearer) | (righter > wronger))
    )
    return result
