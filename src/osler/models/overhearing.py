"""Collecting the records of calls to models for work that does not hand them on itself, as a judge's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

heard: Final[ContextVar[list[dict[str, Any]] | None]] = ContextVar("heard", default=None)
"""Where the calls under way are recorded; `None` if nobody overhears them."""


@contextmanager
def overhearing() -> Iterator[list[dict[str, Any]]]:
    """Collect the records of all calls that `Overheard` clients make within the block, tasks included."""
    calls: list[dict[str, Any]] = []
    token = heard.set(calls)
    try:
        yield calls
    finally:
        heard.reset(token)
