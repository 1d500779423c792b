"""What ended episodes hold, read in pages; and, of a damaged store, as much of it as can be read.

Each page is a separate transaction that starts where the last one ended, so memory use is constant and
writers are not blocked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from osler.core.trace import Trace, trace_of
from osler.errors import BadStore
from osler.store import damage, queries
from osler.store.connect import explain
from osler.store.damage import Damaged, Record
from osler.store.records import CallRow, EpisodeRow, Judgement
from osler.store.schema import calls, exchanges, inner_exchanges, judge_calls, judgements, runs

T = TypeVar("T")
_PAGE: Final = 500  # rows without their exchanges
_BLOCK: Final = 64  # episodes with their exchanges


class Reader:
    """An open store, as far as ended episodes are read from it. `label` is its address without password."""

    def __init__(self, engine: Engine, label: str) -> None:
        self._engine, self.label = engine, label
        self._lost: dict[int, frozenset[int]] = {}

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def episodes(self, run_id: int) -> Iterator[EpisodeRow]:
        """Yield the ended episodes in order of ordinal."""
        if run_id in self._lost:
            yield from (row for row, _, _ in self.records(run_id))
            return
        after: int | None = -1
        hidden = self._withheld(run_id)  # before any page is open, since asking reads too
        while after is not None:
            with self._examined(run_id), self._reading() as connection:
                page = queries.episodes_after(connection, run_id, after, _PAGE)
            yield from _without(hidden, page)
            after = page[-1].ordinal if page else None

    def traces(self, run_id: int) -> Iterator[tuple[EpisodeRow, Trace]]:
        """Yield the ended episodes with their traces, in order of ordinal."""
        return ((episode, trace) for episode, trace, _ in self.records(run_id))

    def records(self, run_id: int, *, earlier: bool = False) -> Iterator[Record]:
        """Yield ended episodes with traces and judgements (as `judgements` does), in order of ordinal."""
        return self.each(run_id, damage.checked, earlier=earlier)

    def each(
        self,
        run_id: int,
        of: Callable[[Record], T],
        *,
        earlier: bool = False,
        first: int = 0,
        last: int = queries.MAX_ORDINAL,
    ) -> Iterator[T]:
        """Yield what `of` makes of each record that `records` would give, from ordinal `first` to `last`.

        `of` raises ValueError for all that `damage.check` does; which episodes are damaged is then found out.
        """
        if run_id in self._lost:
            result = self._found(run_id, self._lost[run_id], earlier)
            yield from (of(one) for one in result if first <= one[0].ordinal <= last)
            return
        hidden = self._withheld(run_id)  # before any page is open, since asking reads too
        after: int | None = first - 1
        while after is not None:
            with self._examined(run_id), self._reading() as connection:
                page = [
                    one
                    for one in queries.episodes_after(connection, run_id, after, _BLOCK)
                    if one.ordinal <= last
                ]
                made = [of(one) for one in self._whole(connection, run_id, _without(hidden, page), earlier)]
            yield from made
            after = page[-1].ordinal if page else None

    def judgements(self, run_id: int, *, earlier: bool = False) -> Iterator[Judgement]:
        """Yield each grader's latest judgement of every episode, by ordinal and grader; with `earlier` also
        those of its other versions, the latest last."""
        if run_id in self._lost:
            yield from (one for _, _, judged in self.records(run_id, earlier=earlier) for one in judged)
            return
        after: int | None = -1
        hidden = self._withheld(run_id)  # before any page is open, since asking reads too
        while after is not None:
            with self._examined(run_id), self._reading() as connection:
                page = queries.done_after(connection, run_id, after, _PAGE)
                shown = [ordinal for ordinal in page if ordinal not in hidden]
                judged = queries.judgements_of_each(connection, run_id, shown, earlier=earlier)
                for each in judged.values():
                    for one in each:
                        damage.check_judgement(one)
            for ordinal in page:
                yield from judged.get(ordinal, ())
            after = page[-1] if page else None

    def attempts(self, run_id: int, *, after: int = 0) -> Iterator[tuple[str, str]]:
        """Yield (seat, attempts as JSON text) of each exchange that has any, in order, then of inner ones; in
        every episode only those after its exchange `after`."""
        yield from self._attempts(run_id, exchanges, ("ordinal", "n"), (-1, -1), after)
        yield from self._attempts(run_id, inner_exchanges, ("ordinal", "n", "path"), (-1, -1, ""), after)

    def _attempts(
        self, run_id: int, table: sa.Table, key: tuple[str, ...], before: tuple[Any, ...], after: int
    ) -> Iterator[tuple[str, str]]:
        at = [table.c[name] for name in key]
        query = sa.select(*at, table.c.seat, table.c.attempts).where(
            table.c.run == run_id, table.c.attempts != "[]", table.c.n > after
        )
        last: tuple[Any, ...] | None = before
        while last is not None:
            with self._reading() as connection:
                next_ones = query.where(sa.tuple_(*at) > last).order_by(*at).limit(_PAGE)
                page = connection.execute(next_ones).all()
            hidden = self._withheld(run_id)
            yield from ((row.seat, row.attempts) for row in page if row.ordinal not in hidden)
            last = tuple(page[-1][: len(at)]) if page else None

    def calls(self, run_id: int, ordinal: int | None = None, *, after: int = 0) -> Iterator[CallRow]:
        """Yield the recorded calls of a run's players in order, or only one episode's; in every episode only
        those of exchanges after `after`."""
        key, before = (calls.c.ordinal, calls.c.n, calls.c.path, calls.c.call), (-1, -1, "", -1)
        where, hidden = [calls.c.run == run_id, calls.c.n > after], self._withheld(run_id)
        for row in self._pages(calls, key, before, [*where, *_only(calls, ordinal)]):
            if row.ordinal not in hidden:
                yield CallRow(row.ordinal, row.n, row.path, row.call, self._body(row))

    def judge_calls(self, run_id: int, grader: str | None = None) -> Iterator[CallRow]:
        """Yield the recorded calls of a run's judges in order, or only those of one grader."""
        table = judge_calls
        key = (table.c.ordinal, table.c.grader, table.c.version, table.c.call)
        where = [table.c.run == run_id, *([] if grader is None else [table.c.grader == grader])]
        hidden = self._withheld(run_id)
        for row in self._pages(table, key, (-1, "", "", -1), where):
            if row.ordinal not in hidden:
                yield CallRow(row.ordinal, 0, "", row.call, self._body(row), row.grader, row.version)

    def _body(self, row: sa.Row[Any]) -> dict[str, Any]:
        try:
            body: dict[str, Any] = json.loads(row.body)
        except damage.UNREADABLE:
            raise damage.unreadable_row(self.label) from None
        return body

    def _pages(
        self,
        table: sa.Table,
        key: tuple[sa.Column[Any], ...],
        before: tuple[Any, ...],
        where: Sequence[sa.ColumnElement[bool]],
    ) -> Iterator[Any]:
        """Yield a table's rows in the order of the key, page by page, from after `before`."""
        last: tuple[Any, ...] | None = before
        while last is not None:
            query = sa.select(table).where(*where, sa.tuple_(*key) > last).order_by(*key).limit(_PAGE)
            with self._reading() as connection:
                page = connection.execute(query).all()
            yield from page
            last = tuple(page[-1]._mapping[column] for column in key) if page else None

    def graders(self, run_id: int) -> dict[tuple[str, str], int]:
        """The number of episodes judged by each (grader, version), sorted by name."""
        by = (judgements.c.grader, judgements.c.version)
        query = sa.select(*by, sa.func.count().label("episodes")).where(judgements.c.run == run_id)
        with self._reading() as connection:
            rows = connection.execute(query.group_by(*by)).all()
        return {(row.grader, row.version): row.episodes for row in sorted(rows)}

    def one_judgement(self, run_id: int, grader: str) -> dict[str, Any] | None:
        """The judgement of one episode by a grader whose name begins with `grader`, if there is any."""
        named = judgements.c.grader.startswith(grader, autoescape=True)
        query = sa.select(judgements).where(judgements.c.run == run_id, named).limit(1)
        with self._reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else self._body(row)

    @property
    def engine(self) -> Engine:
        """The database engine, for data stored beside the runs, such as memories."""
        return self._engine

    def connected(self) -> AbstractContextManager[Connection]:
        """A read transaction for a custom query."""
        return self._reading()

    def as_far_as_readable(self, read: Callable[[], T]) -> T:
        """Call `read` and return what it does; damaged episodes are left out of all it reads, each with a
        warning.

        `read` is called again for each run in which some are found, so it must begin anew each time.
        """
        while True:
            try:
                return read()
            except Damaged as result:
                if result.run_id in self._lost:
                    raise
                self._lost[result.run_id] = frozenset(result.lost)
                name, _ = self._run(result.run_id)
                for ordinal, why in result.lost.items():
                    damage.LOG.warning("%s:%d cannot be read and is left out: %s", name, ordinal, why)

    def _withheld(self, run_id: int) -> Container[int]:
        """The ordinals of a run that are not shown; see `osler.store.permitted_store`."""
        return ()

    def left_out(self, run_id: int) -> int:
        """The number of ended episodes of a run that are not shown."""
        return 0

    def _whole(
        self, connection: Connection, run_id: int, page: Sequence[EpisodeRow], earlier: bool
    ) -> list[Record]:
        """Ended episodes with what belongs to them, as they are: not checked."""
        ordinals = [episode.ordinal for episode in page]
        rows = queries.exchanges_of_each(connection, run_id, ordinals)
        inner = queries.inner_of_each(connection, run_id, ordinals)
        judged = queries.judgements_of_each(connection, run_id, ordinals, earlier=earlier)
        return [
            (one, trace_of(rows.get(at, ()), one.outcome, inner.get(at, ())), judged.get(at, ()))
            for at, one in zip(ordinals, page, strict=True)
        ]

    def _found(self, run_id: int, lost: frozenset[int], earlier: bool) -> Iterator[Record]:
        """Yield the ended episodes of a damaged run, each read by itself, but those that are lost."""
        hidden = self._withheld(run_id)
        for ordinal in range(self._run(run_id)[1]):
            if ordinal not in lost and ordinal not in hidden:
                yield from self._single(run_id, ordinal, earlier)

    def _single(self, run_id: int, ordinal: int, earlier: bool) -> list[Record]:
        with self._reading() as connection:
            row = queries.episode(connection, run_id, ordinal)
            result = [] if row is None else self._whole(connection, run_id, [row], earlier)
            return [damage.checked(one) for one in result]

    def _run(self, run_id: int) -> tuple[str, int]:
        """The name of a run and the number of its planned episodes."""
        with self._reading() as connection:
            row = connection.execute(sa.select(runs.c.name, runs.c.planned).where(runs.c.id == run_id)).one()
            return str(row.name), int(row.planned)

    @contextmanager
    def _examined(self, run_id: int) -> Iterator[None]:
        """Find the damaged episodes where reading fails. Raises Damaged if others are sound."""
        try:
            yield
        except BadStore as error:
            (name, planned), lost, sound = self._run(run_id), dict[int, str](), 0
            for ordinal in range(planned):
                try:
                    sound += len(self._single(run_id, ordinal, earlier=True))
                except BadStore as why:
                    cause = why.__cause__
                    lost[ordinal] = str(cause) if type(cause) is ValueError else why.what
            if lost and sound:
                raise Damaged(name, run_id, lost, self.label) from error
            raise

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            with self._readable_errors(), self._engine.begin() as connection:
                yield connection
        except damage.UNREADABLE as error:
            raise damage.unreadable_row(self.label) from error

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            what, hint = explain(error)
            raise BadStore(what, where=self.label, hint=hint) from error


def _only(table: sa.Table, ordinal: int | None) -> list[sa.ColumnElement[bool]]:
    return [] if ordinal is None else [table.c.ordinal == ordinal]


def _without(hidden: Container[int], page: list[EpisodeRow]) -> list[EpisodeRow]:
    return [row for row in page if row.ordinal not in hidden] if hidden else page
