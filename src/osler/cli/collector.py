"""The garbage collector of a process that is there to play a run, and ends with it."""

from __future__ import annotations

import gc
from typing import Final

THRESHOLDS: Final = (50_000, 20, 100)
"""An encounter makes many small records and no cycles: collecting less often saves a tenth of the time."""


def collect_seldom() -> None:
    """Collect seldom from now on, and nothing of what is there already. Not for a process that lives on, such
    as a server: what is frozen is never given back."""
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
