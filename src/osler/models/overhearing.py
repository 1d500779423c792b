"""Collecting the records of calls to models for work that does not hand them on itself, as a judge's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from osler.models.types import Attempt

heard: Final[ContextVar[tuple[list[dict[str, Any]], ...]]] = ContextVar("heard", default=())
"""Where the calls under way are recorded: whoever overhears them, and those who overhear these."""
trails: Final[ContextVar[list[list[Attempt]] | None]] = ContextVar("trails", default=None)
"""Where a client leaves the trail of a call as it begins, to be kept if the call never ends."""


@contextmanager
def overhearing() -> Iterator[list[dict[str, Any]]]:
    """Collect the records of all calls that `Overheard` clients make within the block, tasks included."""
    calls: list[dict[str, Any]] = []
    token = heard.set((*heard.get(), calls))
    try:
        yield calls
    finally:
        heard.reset(token)


def new_trail() -> list[Attempt]:
    """Start an empty trail of a call, and pass it to the listener, if there is one."""
    trail: list[Attempt] = []
    if (left := trails.get()) is not None:
        left.append(trail)
    return trail
