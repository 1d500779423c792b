"""Looking up runs and episodes by what an address names; there is nothing else a browser can name."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from threading import Lock
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

from fastapi import Path

from osler.errors import BadInput
from osler.store.listing import run_called
from osler.store.queries import MAX_ORDINAL
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.web.problems import NotFound

T = TypeVar("T")
RunName = Annotated[str, Path(max_length=100)]
ResultName = Annotated[str, Path(max_length=300)]
Ordinal = Annotated[int, Path(ge=0, le=MAX_ORDINAL)]


def run_named(store: Store, name: str) -> RunInfo:
    """The run with exactly this name. Raises NotFound."""
    with store.connected() as connection:
        row = run_called(connection, name)
    if row is None:
        raise no_such_run(name)
    return store.info(row.id)


def no_such_run(name: str) -> NotFound:
    """The error for a run that is not there, or not for this visitor: the same for both."""
    return NotFound("there is no such run here", where=name[:100], hint="look in the list of runs")


def no_such_episode(run: RunInfo, ordinal: int) -> NotFound:
    """The error for an episode that has not begun, or is not there for this visitor: the same for both."""
    return NotFound(
        f"the run has no episode {ordinal} yet",
        where=run.name,
        hint=f"it plans {run.planned:,}, of which {run.done:,} have ended",
    )


class Place(NamedTuple):
    """An episode of a run; `row` is `None` until it has ended."""

    run: RunInfo
    ordinal: int
    row: EpisodeRow | None

    @property
    def name(self) -> str:
        """RUN:ORDINAL."""
        return f"{self.run.name}:{self.ordinal}"

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self.row is not None


def episode_of(store: Store, run: RunInfo, ordinal: int) -> Place:
    """An episode of a run that has begun. Raises NotFound."""
    row = store.ended(run.id, ordinal)
    if row is None and not (store.recorded(run.id, ordinal) or store.asked(run.id, ordinal)):
        raise no_such_episode(run, ordinal)
    return Place(run, ordinal, row)


def episode_named(store: Store, name: str, find: Callable[[str], RunInfo]) -> Place:
    """An episode named RUN:N, which may not have begun yet: a branch that keeps nothing has no record at
    first. `find` finds a run by its name. Raises NotFound, and BadInput for what is no such name."""
    run, _, number = name.rpartition(":")
    if not (run and number.isascii() and number.isdecimal() and len(number) <= 10):
        raise BadInput("this does not name an episode", where=name[:100], hint="write RUN:NUMBER")
    ordinal, place = min(int(number), MAX_ORDINAL), find(run)
    row = store.ended(place.id, ordinal)
    if row is None and place.done < place.planned and place.may_have(ordinal):
        return Place(place, ordinal, None)
    return episode_of(store, place, ordinal)


# Cursors


def packed(*values: str | int | float | None) -> str:
    """Some values as an opaque cursor."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def unpacked(cursor: str, *kinds: type | tuple[type, ...]) -> list[Any]:
    """The values of a cursor, of these kinds. Raises BadInput for one that we did not make."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        values = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, RecursionError):
        values = None
    result: list[Any] = values if isinstance(values, list) else []
    if len(result) != len(kinds) or not all(_is(one, kind) for one, kind in zip(result, kinds, strict=True)):
        raise BadInput("this page cannot be found", where="cursor", hint="begin again at the first page")
    return result


def _is(value: object, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


# What takes long to work out


class _CacheEntry(NamedTuple):
    key: Any
    value: Any
    until: float


class RunCache(Generic[T]):
    """A cache of what was worked out of each run, kept while its key stays the same, and then for a multiple
    of the time that it took: a small run's is always fresh, a large one's is not worked out at each look.

    At most `most` are kept, and nothing of a run that holds people's words: what they permit may change, and
    they may delete them.
    """

    _TIMES = 30.0

    def __init__(self, most: int = 200) -> None:
        self._most = most
        self._held: dict[Any, _CacheEntry] = {}
        self._locks: dict[Any, Lock] = {}
        self._own = Lock()

    def get(self, name: Any, key: Any, work: Callable[[], T], *, people: bool = False) -> T:
        """The value, worked out if it is not kept, as that of a run with `people` never is. Two who ask at
        once wait for the same."""
        if people:
            return work()
        with self._own:
            lock = self._locks.setdefault(name, Lock())
        with lock:
            held = self._held.get(name)
            if held is None or held.key != key or held.until < time.monotonic():
                began = time.monotonic()
                value = work()
                now = time.monotonic()
                held = _CacheEntry(key, value, now + self._TIMES * (now - began))
                self._keep(name, held)
            result: T = held.value
            return result

    def _keep(self, name: Any, held: _CacheEntry) -> None:
        with self._own:
            self._held.pop(name, None)
            self._held[name] = held
            if len(self._held) > self._most:
                oldest = next(iter(self._held))
                del self._held[oldest]
                self._locks.pop(oldest, None)
