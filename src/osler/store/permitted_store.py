"""A store as a reader of people's words may see it: only the episodes whose people permit its use."""

from __future__ import annotations

import logging
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final

from osler.core.permitted import READERS, USES, Permission, Use
from osler.core.trace import AskedRow, ExchangeRow, InnerRow
from osler.errors import BadInput
from osler.store.damage import Record
from osler.store.permissions import Withheld, count_withheld, not_permitted, refuse_unless, withheld
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store

LOG: Final = logging.getLogger("osler.people")


def for_reader(store: Store, reader: str) -> Store:
    """The store as one of `osler.core.permitted.READERS` may see it; every reader of people's words begins
    with this.

    Episodes that may not be read are left out of all that runs over a run, with a warning that counts them.
    NotPermitted is raised where one is asked for by itself, and where every ended one of a run is refused.
    """
    return for_use(store, READERS[reader])


def for_use(store: Store, use: Use) -> Store:
    """The store as a reader may see it that needs a use; see `for_reader`. For practice it is shown whole."""
    if use == "practice":
        return store
    return store if isinstance(store, PermittedStore) and use in store.uses else PermittedStore(store, use)


class PermittedStore(Store):
    """The same store, showing what is permitted for some `uses`. Runs without people are shown whole."""

    def __init__(self, store: Store, use: Use) -> None:
        super().__init__(store.engine, store.label)
        self._lost = store._lost  # shared: damage found through either is left out of both
        self._all: Store = store._all if isinstance(store, PermittedStore) else store
        earlier = store.uses if isinstance(store, PermittedStore) else frozenset[Use]()
        self.uses: frozenset[Use] = earlier | {use}
        self._hidden: dict[int, Container[int]] = {}

    def record(self, run_id: int, ordinal: int, *, earlier: bool = False) -> Record:
        """As `Store.record`. Raises NotPermitted."""
        self._check(run_id, ordinal)
        return super().record(run_id, ordinal, earlier=earlier)

    def recorded(self, run_id: int, ordinal: int) -> list[ExchangeRow]:
        """As `Store.recorded`. Raises NotPermitted."""
        self._check(run_id, ordinal)
        return super().recorded(run_id, ordinal)

    def recorded_inner(self, run_id: int, ordinal: int) -> list[InnerRow]:
        """As `Store.recorded_inner`. Raises NotPermitted."""
        self._check(run_id, ordinal)
        return super().recorded_inner(run_id, ordinal)

    def ended(self, run_id: int, ordinal: int) -> EpisodeRow | None:
        """As `Store.ended`. Raises NotPermitted."""
        self._check(run_id, ordinal)
        return super().ended(run_id, ordinal)

    def asked(self, run_id: int, ordinal: int) -> list[AskedRow]:
        """As `Store.asked`. Raises NotPermitted."""
        self._check(run_id, ordinal)
        return super().asked(run_id, ordinal)

    def left_out(self, run_id: int) -> int:
        """The number of ended episodes of a run that are not shown: their people do not permit it."""
        hidden = self._withheld(run_id)
        return sum(row.ordinal in hidden for row in self._all.episodes(run_id)) if hidden else 0

    def _check(self, run_id: int, ordinal: int) -> None:
        if ordinal in self._withheld(run_id):
            for use in sorted(self.uses):
                refuse_unless(self._all, run_id, use, ordinal)

    def _withheld(self, run_id: int) -> Container[int]:
        if run_id not in self._hidden:
            result = tuple(self._withheld_for_each_use(run_id))
            self._hidden[run_id] = _Any(result) if result else ()
        return self._hidden[run_id]

    def _withheld_for_each_use(self, run_id: int) -> Iterator[Withheld]:
        for use in (one for one in USES if one in self.uses):
            hidden = withheld(self._all, run_id, use)
            if hidden is None:
                continue
            with self._all.connected() as connection:
                refused, ended = count_withheld(connection, run_id, hidden)
            if refused == ended > 0:
                first = next(row.ordinal for row in self._all.episodes(run_id))
                refuse_unless(self._all, run_id, use, first)
                raise not_permitted(self._all, run_id, use, first, None, Permission(), 0.0)
            if refused:
                name, _ = self._all._run(run_id)
                LOG.warning(
                    "%d of %d episodes of %s are left out: their people do not permit %s (osler permit %s)",
                    *(refused, ended, name, use, name),
                )
            yield hidden


class ShownStore(PermittedStore):
    """The same store with these runs alone, and of each the episodes that are `shown` by the run's id; of a
    run that is not among them, all. Whatever is not shown is not there: it is neither counted nor refused."""

    def __init__(self, store: Store, runs: Sequence[RunInfo], shown: Mapping[int, frozenset[int]]) -> None:
        super().__init__(store, "share")
        self._shown_runs = runs
        self._hidden = {run.id: Withheld(shown[run.id]) if run.id in shown else () for run in runs}

    def runs(self) -> list[RunInfo]:
        """As `Store.runs`, those that are shown."""
        return list(self._shown_runs)

    def left_out(self, run_id: int) -> int:
        """None: what is not shown is not counted either."""
        return 0

    def _check(self, run_id: int, ordinal: int) -> None:
        if ordinal in self._withheld(run_id):
            raise BadInput(f"the run has no episode {ordinal}", where=self._run(run_id)[0])


class _Any:
    """The union of containers."""

    def __init__(self, parts: tuple[Withheld, ...]) -> None:
        self._parts = parts

    def __contains__(self, ordinal: object) -> bool:
        return any(ordinal in part for part in self._parts)
