"""The store: runs, episodes and their records, in SQLite or PostgreSQL.

Everything that may be long is read in pages, each a separate transaction that starts where the last one
ended, so memory use is constant and writers are not blocked.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from osler.core.trace import ExchangeRow, InnerRow, Trace, trace_of
from osler.errors import BadInput, BadStore
from osler.store import damage
from osler.store import queries as reading
from osler.store.connect import WRITES, address, explain, label_of, open_engine
from osler.store.damage import Damaged
from osler.store.leases import Leases, played_runs, refuse_while_played
from osler.store.records import (
    CallRow,
    EpisodeRow,
    Judgement,
    KeptPart,
    Ordinals,
    RunInfo,
    RunStatus,
    pending,
)
from osler.store.schema import (
    calls,
    cases,
    episodes,
    exchanges,
    inner_exchanges,
    judge_calls,
    judgements,
    run_cases,
    runs,
    sittings,
)
from osler.store.writer import Writer

T = TypeVar("T")
Record = tuple[EpisodeRow, Trace, tuple[Judgement, ...]]

_PAGE: Final = 500  # rows without their exchanges
_BLOCK: Final = 64  # episodes with their exchanges
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_KEY: Final = re.compile(r"[0-9a-f]{1,32}")


class _NameTaken(BadInput):
    """The name is already taken by another run."""


def open_store(url: str | os.PathLike[str] | None = None, *, create: bool = True) -> Store:
    """Open a store, migrate it if needed, and create it if it does not exist and `create` is true.

    `url` is a database URL or the path of an SQLite file; `None` means OSLER_STORE, else `osler.db` in the
    current folder. Raises `BadStore` with the problem and a hint.
    """
    found = address(url)
    return Store(open_engine(found, create=create), label_of(found))


class Store:
    """An open store. `label` is its address without password, safe for messages and manifests."""

    def __init__(self, engine: Engine, label: str) -> None:
        self._engine, self.label = engine, label
        self._writing_engine = engine.execution_options(**{WRITES: True})
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

    def begin_run(
        self, name: str | None, manifest: dict[str, Any], planned: int, kept: KeptPart | None = None
    ) -> RunInfo:
        """Record a new run, with a generated name if none is given. Every episode starts with `kept`."""
        if name is None:
            while True:  # two runs begun in the same second may draw the same name
                with suppress(_NameTaken):
                    made_up = f"r-{_utc(time.time()):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
                    return self.begin_run(made_up, manifest, planned, kept)
        now = time.time()
        if not _NAME.fullmatch(name) or name == "last":
            raise BadInput(
                f"{name!r} cannot be the name of a run",
                hint="use letters, digits, '.', '_', '-'; begin with a letter or digit; not 'last'",
            )
        row = {"name": name, "created_at": now, "status": "running", "planned": planned}
        insert = sa.insert(runs).values(**row, manifest=json.dumps(manifest, sort_keys=True))
        with self._writing() as connection:
            try:
                run_id = connection.execute(insert.returning(runs.c.id)).scalar_one()
            except IntegrityError:
                raise _NameTaken(
                    f"there is already a run {name!r}", hint="choose another name, or resume it"
                ) from None
            if kept:
                reading.keep(connection, run_id, planned, kept)
        return RunInfo(name, run_id, "running", planned, 0, manifest, _utc(now))

    def note(self, run_id: int, **entries: Any) -> RunInfo:
        """Add entries to a run's manifest; those that are both there and given as tables are joined."""
        with self._writing() as connection:
            where = runs.c.id == run_id
            held = connection.execute(sa.select(runs.c.manifest).where(where).with_for_update()).scalar()
            if held is None:
                raise BadInput("the run no longer exists", where=self.label)
            manifest: dict[str, Any] = json.loads(held)
            for name, entry in entries.items():
                there = manifest.get(name)
                manifest[name] = {**there, **entry} if isinstance(there, dict) else entry
            written = json.dumps(manifest, sort_keys=True)
            connection.execute(sa.update(runs).where(where).values(manifest=written))
        return self.info(run_id)

    def runs(self) -> list[RunInfo]:
        """Every run, newest first."""
        return self._runs()

    def run(self, name: str) -> RunInfo:
        """The run with this name or unambiguous prefix of a name, or the newest one for `last`."""
        with self._reading() as connection:
            names = connection.execute(sa.select(runs.c.name).order_by(runs.c.id.desc())).scalars().all()
        return self._one_run(runs.c.name == _choose(name, names))

    def info(self, run_id: int) -> RunInfo:
        """The run with this id."""
        return self._one_run(runs.c.id == run_id)

    def delete_run(self, name: str) -> None:
        """Delete a run (by its full name) with all its rows, and the cases that no other run uses. What a
        memory learned from it stays.

        Raises BadInput while it is being played.
        """
        with self._writing() as connection:
            # On PostgreSQL the lock makes a writer of this run wait, and then find that it no longer exists.
            found = sa.select(runs.c.id).where(runs.c.name == name).with_for_update()
            run_id = connection.execute(found).scalar()
            if run_id is None:
                raise BadInput(f"there is no run {name!r}", hint="give its full name")
            refuse_while_played(connection, self.label, run_id)
            for table in (
                judge_calls,
                judgements,
                calls,
                inner_exchanges,
                exchanges,
                episodes,
                run_cases,
                sittings,
            ):
                connection.execute(sa.delete(table).where(table.c.run == run_id))
            connection.execute(sa.delete(runs).where(runs.c.id == run_id))
        with self._writing() as connection:
            if connection.dialect.name == "postgresql":
                # An uncommitted use of a case by another run would not be visible otherwise.
                connection.execute(sa.text("LOCK TABLE cases, run_cases IN SHARE ROW EXCLUSIVE MODE"))
            connection.execute(sa.delete(cases).where(cases.c.hash.not_in(sa.select(run_cases.c.hash))))

    def case(self, case_hash: str) -> str | None:
        """The JSON text of a case, or `None`."""
        with self._reading() as connection:
            body = connection.execute(sa.select(cases.c.body).where(cases.c.hash == case_hash)).scalar()
            return None if body is None else zlib.decompress(body).decode("utf-8", "surrogatepass")

    def recorded(self, run_id: int, ordinal: int) -> list[ExchangeRow]:
        """The exchanges of one episode that are committed, in order, whether it has ended or not."""
        with self._reading() as connection:
            return reading.exchanges_of(connection, run_id, ordinal)

    def recorded_inner(self, run_id: int, ordinal: int) -> list[InnerRow]:
        """The inner exchanges of one episode that are committed, in order, whether it has ended or not."""
        with self._reading() as connection:
            return reading.inner_of_each(connection, run_id, [ordinal]).get(ordinal, [])

    def trace(self, run_id: int, ordinal: int) -> Trace:
        """One episode's trace; the outcome of one that has not ended is `pending`."""
        return self.record(run_id, ordinal)[1]

    def record(self, run_id: int, ordinal: int, *, earlier: bool = False) -> Record:
        """One episode's row, trace and judgements, as `judgements` gives them. One that has not ended is
        `pending` and has no key yet."""
        with self._reading() as connection:
            row = reading.episode(connection, run_id, ordinal)
            played = reading.exchanges_of(connection, run_id, ordinal)
            inner = reading.inner_of_each(connection, run_id, [ordinal]).get(ordinal, [])
            judged = reading.judgements_of_each(connection, run_id, [ordinal], earlier=earlier)
            if row is None and not played and not inner:
                raise BadInput(f"the run has no episode {ordinal}", where=self.label)
            row = row or pending(ordinal, len(played))
            found = row, trace_of(played, row.outcome, inner), judged.get(ordinal, ())
            damage.check(found)
        return found

    def find_episode(self, wanted: str) -> tuple[int, int]:
        """(run id, ordinal) for an episode's key, a prefix of one, or RUN:ORDINAL.

        If several runs hold the key, the newest run's episode.
        """
        name, colon, number = wanted.rpartition(":")
        if colon:
            return self._by_number(name, number)
        if not _KEY.fullmatch(wanted.lower()):
            raise BadInput(
                f"{wanted!r} does not name an episode", hint="give RUN:ORDINAL, or an episode's key or prefix"
            )
        return self._by_key(wanted.lower())

    def forget(self, run_id: int, ordinal: int, *, after: int = 0) -> None:
        """Delete the records of one episode after its exchange `after`, so that it is replayed from there.

        Raises BadInput while the run is being played.
        """
        with self._writing() as connection:
            refuse_while_played(connection, self.label, run_id)
            for table in (judge_calls, judgements, calls, inner_exchanges, exchanges, episodes):
                here = sa.and_(table.c.run == run_id, table.c.ordinal == ordinal)
                if table in (exchanges, inner_exchanges, calls):
                    here = sa.and_(here, table.c.n > after)
                connection.execute(sa.delete(table).where(here))

    def done(self, run_id: int) -> Ordinals:
        """The ordinals of the episodes that have ended."""
        with self._reading() as connection:
            return reading.done(connection, run_id)

    def partial(self, run_id: int) -> set[int]:
        """The ordinals of the episodes that have begun but not ended."""
        with self._reading() as connection:
            return reading.partial(connection, run_id)

    def episodes(self, run_id: int) -> Iterator[EpisodeRow]:
        """Yield the ended episodes in order of ordinal."""
        if run_id in self._lost:
            yield from (row for row, _, _ in self.records(run_id))
            return
        after: int | None = -1
        while after is not None:
            with self._examined(run_id), self._reading() as connection:
                page = reading.episodes_after(connection, run_id, after, _PAGE)
            yield from page
            after = page[-1].ordinal if page else None

    def traces(self, run_id: int) -> Iterator[tuple[EpisodeRow, Trace]]:
        """Yield the ended episodes with their traces, in order of ordinal."""
        return ((episode, trace) for episode, trace, _ in self.records(run_id))

    def records(self, run_id: int, *, earlier: bool = False) -> Iterator[Record]:
        """Yield ended episodes with traces and judgements (as `judgements` does), in order of ordinal."""
        if run_id in self._lost:
            yield from self._found(run_id, self._lost[run_id], earlier)
            return
        after: int | None = -1
        while after is not None:
            with self._examined(run_id), self._reading() as connection:
                page = reading.episodes_after(connection, run_id, after, _BLOCK)
                found = self._whole(connection, run_id, page, earlier)
            yield from found
            after = page[-1].ordinal if page else None

    def judgements(self, run_id: int, *, earlier: bool = False) -> Iterator[Judgement]:
        """Yield each grader's latest judgement of every episode, by ordinal and grader; with `earlier` also
        those of its other versions, the latest last."""
        if run_id in self._lost:
            yield from (one for _, _, judged in self.records(run_id, earlier=earlier) for one in judged)
            return
        after: int | None = -1
        while after is not None:
            with self._examined(run_id), self._reading() as connection:
                page = reading.done_after(connection, run_id, after, _PAGE)
                judged = reading.judgements_of_each(connection, run_id, page, earlier=earlier)
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
            yield from ((row.seat, row.attempts) for row in page)
            last = tuple(page[-1][: len(at)]) if page else None

    def calls(self, run_id: int, ordinal: int | None = None, *, after: int = 0) -> Iterator[CallRow]:
        """Yield the recorded calls of a run's players in order, or only one episode's; in every episode only
        those of exchanges after `after`."""
        key, before = (calls.c.ordinal, calls.c.n, calls.c.path, calls.c.call), (-1, -1, "", -1)
        where = [calls.c.run == run_id, calls.c.n > after]
        for row in self._pages(calls, key, before, [*where, *_only(calls, ordinal)]):
            yield CallRow(row.ordinal, row.n, row.path, row.call, json.loads(row.body))

    def judge_calls(self, run_id: int, grader: str | None = None) -> Iterator[CallRow]:
        """Yield the recorded calls of a run's judges in order, or only those of one grader."""
        table = judge_calls
        key = (table.c.ordinal, table.c.grader, table.c.version, table.c.call)
        where = [table.c.run == run_id, *([] if grader is None else [table.c.grader == grader])]
        for row in self._pages(table, key, (-1, "", "", -1), where):
            yield CallRow(row.ordinal, 0, "", row.call, json.loads(row.body), row.grader, row.version)

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

    def put_judgements(
        self,
        run_id: int,
        rows: Iterable[tuple[int, str, str, str]],
        asked: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Write judgements (ordinal, grader, version, body) of ended episodes, atomically; `asked` are the
        calls to a model that the only one of them took.

        Only an earlier judgement of the same episode by the same version of a grader is replaced.
        """
        dialect = sqlite if self._engine.dialect.name == "sqlite" else postgresql
        insert = dialect.insert(judgements)
        fresh = {"body": insert.excluded.body, "judged": insert.excluded.judged}
        key = ["run", "ordinal", "grader", "version"]
        upsert = insert.on_conflict_do_update(index_elements=key, set_=fresh)
        now = time.time()
        records = [{"run": run_id, "judged": now, **Judgement(*row)._asdict()} for row in rows]
        if not records:
            return
        with self._writing() as connection:
            try:
                connection.execute(upsert, records)
                if asked:
                    self._put_judge_calls(connection, records[0], asked)
            except IntegrityError:
                raise BadInput("only ended episodes can be judged", where=self.label) from None

    def _put_judge_calls(
        self, connection: Connection, judged: dict[str, Any], asked: Sequence[dict[str, Any]]
    ) -> None:
        whole = {name: judged[name] for name in ("run", "ordinal", "grader", "version")}
        here = [judge_calls.c[name] == value for name, value in whole.items()]
        connection.execute(sa.delete(judge_calls).where(*here))
        rows = [{**whole, "call": at, "body": json.dumps(one)} for at, one in enumerate(asked, start=1)]
        connection.execute(sa.insert(judge_calls), rows)

    @contextmanager
    def claims(self, run_id: int) -> Iterator[Leases]:
        """A context manager for a worker's lease on the run; always given up on exit."""
        claims = Leases(self._engine, self.label, run_id)
        try:
            yield claims
        finally:
            claims.abandon()

    def check_unplayed(self, run_id: int) -> None:
        """Raise BadInput, naming the workers, if the run is being played."""
        with self._writing() as connection:
            refuse_while_played(connection, self.label, run_id)

    def writer(self, run_id: int, token: int | None = None, *, keep_prompts: bool = False) -> Writer:
        """The writer for a run while it is played; with a `token`, only as long as that lease is valid. With
        `keep_prompts`, the messages of every call are stored, too."""
        return Writer(self._engine, self.label, run_id, token, keep_prompts=keep_prompts)

    @property
    def engine(self) -> Engine:
        """The database engine, for data stored beside the runs, such as memories."""
        return self._engine

    def connected(self) -> AbstractContextManager[Connection]:
        """A read transaction for a custom query."""
        return self._reading()

    def as_far_as_readable(self, read: Callable[[], T]) -> T:
        """What `read` returns; episodes that are damaged are left out of all it reads, with a warning each.

        `read` is called again for each run in which some are found, so it must begin anew each time.
        """
        while True:
            try:
                return read()
            except Damaged as found:
                if found.run_id in self._lost:
                    raise
                self._lost[found.run_id] = frozenset(found.lost)
                name = self.info(found.run_id).name
                for ordinal, why in found.lost.items():
                    damage.LOG.warning("%s:%d cannot be read and is left out: %s", name, ordinal, why)

    def _whole(
        self, connection: Connection, run_id: int, page: Sequence[EpisodeRow], earlier: bool
    ) -> list[Record]:
        """Ended episodes with what belongs to them. Raises ValueError if one is damaged."""
        ordinals = [episode.ordinal for episode in page]
        rows = reading.exchanges_of_each(connection, run_id, ordinals)
        inner = reading.inner_of_each(connection, run_id, ordinals)
        judged = reading.judgements_of_each(connection, run_id, ordinals, earlier=earlier)
        found = [
            (one, trace_of(rows.get(at, ()), one.outcome, inner.get(at, ())), judged.get(at, ()))
            for at, one in zip(ordinals, page, strict=True)
        ]
        for record in found:
            damage.check(record)
        return found

    def _found(self, run_id: int, lost: frozenset[int], earlier: bool) -> Iterator[Record]:
        """Yield the ended episodes of a damaged run, each read by itself, but those that are lost."""
        for ordinal in range(self.info(run_id).planned):
            if ordinal not in lost:
                yield from self._single(run_id, ordinal, earlier)

    def _single(self, run_id: int, ordinal: int, earlier: bool) -> list[Record]:
        with self._reading() as connection:
            row = reading.episode(connection, run_id, ordinal)
            return [] if row is None else self._whole(connection, run_id, [row], earlier)

    @contextmanager
    def _examined(self, run_id: int) -> Iterator[None]:
        """Where reading fails, find out which episodes are damaged. Raises Damaged if others are not."""
        try:
            yield
        except BadStore as error:
            run, lost, sound = self.info(run_id), dict[int, str](), 0
            for ordinal in range(run.planned):
                try:
                    sound += len(self._single(run_id, ordinal, earlier=True))
                except BadStore as why:
                    cause = why.__cause__
                    lost[ordinal] = str(cause) if type(cause) is ValueError else why.what
            if lost and sound:
                raise Damaged(run.name, run_id, lost, self.label) from error
            raise

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            with self._readable_errors(), self._engine.begin() as connection:
                yield connection
        except damage.UNREADABLE as error:
            raise damage.unreadable_row(self.label) from error

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._readable_errors(), self._writing_engine.begin() as connection:
            yield connection

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            what, hint = explain(error)
            raise BadStore(what, where=self.label, hint=hint) from error

    def _one_run(self, where: sa.ColumnElement[bool]) -> RunInfo:
        found = self._runs(where)
        if not found:
            raise BadInput("the run no longer exists", where=self.label)
        return found[0]

    def _runs(self, *where: sa.ColumnElement[bool]) -> list[RunInfo]:
        ended = sa.select(sa.func.count()).select_from(episodes).where(episodes.c.run == runs.c.id)
        query = sa.select(runs, ended.scalar_subquery().label("done")).where(*where)
        with self._reading() as connection:
            rows = connection.execute(query.order_by(runs.c.id.desc())).all()
            played = played_runs(connection, self.label)
        found = []
        for r in rows:
            # Its worker may have died without setting the status.
            deserted = r.status == "running" and r.id not in played
            status: RunStatus = "interrupted" if deserted else r.status
            try:
                manifest = json.loads(r.manifest)
                found.append(RunInfo(r.name, r.id, status, r.planned, r.done, manifest, _utc(r.created_at)))
            except damage.UNREADABLE:
                damage.LOG.warning("run %r cannot be read and is left out: its row is damaged", r.name)
        return found

    def _by_number(self, name: str, number: str) -> tuple[int, int]:
        if not (number.isascii() and number.isdecimal() and len(number) <= 10):
            raise BadInput(f"{number!r} is not the number of an episode", hint="write RUN:ORDINAL")
        run_id, ordinal = self.run(name).id, min(int(number), reading.MAX_ORDINAL)
        self.trace(run_id, ordinal)
        return run_id, ordinal

    def _by_key(self, beginning: str) -> tuple[int, int]:
        # "g" sorts after every hex digit, so this is the range of keys with that beginning.
        matches = sa.and_(episodes.c.key >= beginning, episodes.c.key < beginning + "g")
        keys = sa.select(episodes.c.key).where(matches).distinct().order_by(episodes.c.key).limit(4)
        newest = sa.select(episodes.c.run, episodes.c.ordinal).where(matches)
        newest = newest.order_by(episodes.c.run.desc(), episodes.c.ordinal).limit(1)
        with self._reading() as connection:
            found = connection.execute(keys).scalars().all()
            if len(found) > 1:
                raise BadInput(
                    f"several episodes begin with {beginning!r}", hint=f"give more of {', '.join(found)}"
                )
            row = connection.execute(newest).first()
        if row is None:
            raise BadInput(f"no episode's key begins with {beginning!r}", where=self.label)
        return row.run, row.ordinal


def _only(table: sa.Table, ordinal: int | None) -> list[sa.ColumnElement[bool]]:
    return [] if ordinal is None else [table.c.ordinal == ordinal]


def _choose(name: str, names: Sequence[str]) -> str:
    """Resolve a name, prefix or `last` among `names`, newest first."""
    if not names:
        raise BadInput("the store has no runs yet")
    if name == "last":
        return names[0]
    matches = [name] if name in names else [one for one in names if name and one.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise BadInput(f"several runs begin with {name!r}", hint=f"one of {', '.join(matches[:5])}")
    near = difflib.get_close_matches(name[:100], names, n=3, cutoff=0.5) or names[:3]
    raise BadInput(f"there is no run {name!r}", hint=f"did you mean {', '.join(near)}?")


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
