"""The faults that end episodes of a run, one by one: which end, which wait, and when there are too many.

A request that an endpoint refuses may be the only one that it refuses, or the first of all. As long as the
endpoint has answered no other request in this run, the episode is held: ended once another was answered, not
at all (so the run pauses) if requests of several cases were refused and none was answered. That depends on no
order, so the same episodes end at any concurrency.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from osler.core.composite import Cast
from osler.core.episode import Episode
from osler.core.trace import Trace
from osler.errors import FAULTS, EpisodeFault, PlayerFault, TooManyFaults
from osler.store.records import RunInfo
from osler.store.store import Store

MANY: Final = 5
"""So many cases refused, and no request answered, are the endpoint's fault, whatever else is left to try."""


class Stopped(NamedTuple):
    """An episode that has left its table, with its trace."""

    episode: Episode
    cast: Cast
    trace: Trace


class _FaultHeld(NamedTuple):
    stopped: Stopped
    fault: Any  # a RequestFault: importing the model client takes half a second, and most runs need none

    @property
    def case(self) -> str:
        case: Any = self.stopped.episode.case
        return str(case.content_hash)


class Faults:
    """The episodes of a run that faults ended, in all its sessions, and those held in this one."""

    def __init__(self, run: RunInfo, store: Store, most: int | None) -> None:
        self._run, self._store, self._most = run, store, most
        self._held: dict[str, list[_FaultHeld]] = {}
        self._answered: dict[str, bool] = {}
        self._found = 0
        if most is not None:
            self._found = sum(row.status in FAULTS for row in store.episodes(run.id))

    async def ends(self, stopped: Stopped, fault: EpisodeFault) -> bool:
        """Whether an episode ends by a fault now; if not, it is held. Raises the fault if the run pauses."""
        if isinstance(fault, PlayerFault):
            fault.where = f"episode {self._run.name}:{stopped.episode.ordinal}"
            if self._most is None:
                raise fault
            return True
        if not await fault.concerns_the_episode_only():
            raise fault
        held = _FaultHeld(stopped, fault)
        if self._is_proven(held.fault):
            return True
        waiting = self._held.setdefault(held.fault.endpoint, [])
        waiting.append(held)
        if len({one.case for one in waiting}) >= MANY:
            raise fault
        return False

    def released(self, *, all_tried: bool) -> list[tuple[Stopped, EpisodeFault]]:
        """The held episodes that end after all, in order. The others stay open: they are tried again when the
        run goes on. Raises the fault of the first if `all_tried` and the endpoint answered none."""
        result: list[_FaultHeld] = []
        for waiting in self._held.values():
            if any(self._is_proven(one.fault) for one in waiting):
                result += waiting
            elif all_tried and len({one.case for one in waiting}) > 1:
                raise waiting[0].fault
            elif all_tried:
                result += waiting  # there was no other request, and the endpoint has answered a probe
        self._held = {}
        result.sort(key=lambda one: one.stopped.episode.ordinal)
        return [(one.stopped, one.fault) for one in result]

    def count(self, fault: EpisodeFault) -> None:
        """Count an episode that ended by a fault. Raises TooManyFaults."""
        self._found += 1
        if self._most is not None and self._found > self._most:
            raise TooManyFaults(self._found, self._most, str(fault))

    def _is_proven(self, fault: Any) -> bool:
        """Whether the endpoint has answered another request of this run, in this session or before."""
        name = fault.endpoint
        if fault.proven:
            self._answered[name] = True
        elif name not in self._answered:
            self._answered[name] = self._answered_before(name)
        return self._answered[name]

    def _answered_before(self, endpoint: str) -> bool:
        texts = (text for _, text in self._store.attempts(self._run.id))
        return any(_is_answer(one, endpoint) for text in texts for one in _entries(text))


def _entries(attempts: str) -> Iterable[dict[str, Any]]:
    value: list[dict[str, Any]] = from_json(attempts)
    return value


def _is_answer(entry: dict[str, Any], endpoint: str) -> bool:
    return entry.get("at") == "used" and entry.get("endpoint") == endpoint and bool(entry.get("calls"))
