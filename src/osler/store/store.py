"""The store: runs, episodes and their records, in SQLite or PostgreSQL."""

from __future__ import annotations

import json
import os
import re
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import IntegrityError

from osler.core.pictures import ImageFile
from osler.core.trace import AskedRow, ExchangeRow, InnerRow, Trace, trace_of
from osler.errors import BadInput
from osler.models.budget import Amounts
from osler.models.config import Endpoint
from osler.store import damage, naming, partitions, pictures, removal
from osler.store import queries as reading
from osler.store.budgets import SharedBudget
from osler.store.connect import WRITES, address, label_of, open_engine
from osler.store.damage import Record as Record
from osler.store.leases import Leases, Worker, live_workers, played_runs, refuse_while_played
from osler.store.rates import SharedBucket
from osler.store.reader import Reader
from osler.store.records import (
    EpisodeRow,
    Judgement,
    KeptPart,
    Ordinals,
    RunInfo,
    RunStatus,
    pending,
)
from osler.store.schema import (
    asked,
    calls,
    cases,
    episodes,
    exchanges,
    inner_exchanges,
    judge_calls,
    judgements,
    run_cases,
    runs,
    search_lines,
)
from osler.store.scores import forget as forget_scores
from osler.store.scores import replace as replace_scores
from osler.store.writer import Also, Committed, Writer

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class _NameTaken(BadInput):
    """The name is already taken by another run."""


def open_store(url: str | os.PathLike[str] | None = None, *, create: bool = True) -> Store:
    """Open a store, migrate it if needed, and create it if it does not exist and `create` is true.

    `url` is a database URL or the path of an SQLite file; `None` means OSLER_STORE, else `osler.db` in the
    current folder. Raises `BadStore` with the problem and a hint.

        >>> run = osler.run(limit=1, store="osler.db")
        >>> with osler.open_store("osler.db") as store:
        ...     [info.name for info in store.runs()] == [run.name]
        True
    """
    result = address(url)
    return Store(open_engine(result, create=create), label_of(result))


class Store(Reader):
    """An open store. `label` is its address without password, safe for messages and manifests."""

    def __init__(self, engine: Engine, label: str) -> None:
        super().__init__(engine, label)
        self._writing_engine = engine.execution_options(**{WRITES: True})
        self._listeners: list[Callable[[Committed], None]] = []

    def begin_run(
        self,
        name: str | None,
        manifest: dict[str, Any],
        planned: int,
        kept: KeptPart | None = None,
        shown: Mapping[str, ImageFile] = {},
    ) -> RunInfo:
        """Record a new run, with a generated name if none is given, and the image files of its cases. Every
        episode starts with `kept`."""
        if name is None:
            while True:  # two runs begun in the same second may draw the same name
                with suppress(_NameTaken):
                    made_up = f"r-{_utc(time.time()):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
                    return self.begin_run(made_up, manifest, planned, kept, shown)
        now = time.time()
        if not _NAME.fullmatch(name) or name == "last":
            raise BadInput(
                f"{name!r} cannot be the name of a run",
                hint="use letters, digits, '.', '_', '-'; begin with a letter or digit; not 'last'",
            )
        row = {"name": name, "created_at": now, "status": "running", "planned": planned}
        insert = sa.insert(runs).values(**row, manifest=json.dumps(manifest, sort_keys=True))
        with partitions.begun(self._engine, planned) as number, self._writing() as connection:
            try:
                run_id = connection.execute(insert.values(number).returning(runs.c.id)).scalar_one()
            except IntegrityError:
                raise _NameTaken(
                    f"there is already a run {name!r}", hint="choose another name, or resume it"
                ) from None
            if kept:
                reading.keep(connection, run_id, planned, kept)
            pictures.keep(connection, run_id, shown)
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
            chosen = naming.run_named(name, names)
        return self._one_run(runs.c.name == chosen)

    def info(self, run_id: int) -> RunInfo:
        """The run with this id."""
        return self._one_run(runs.c.id == run_id)

    def delete_run(self, name: str, *, first: Callable[[Connection], None] | None = None) -> None:
        """Delete a run (by its full name) with all its rows, and the cases that no other run uses. What a
        memory learned from it stays.

        `first` is called in the same transaction; if it raises, nothing is deleted, nor is it if another
        process changes a row of the run in the meantime. Raises BadInput while the run is being played.
        """
        with self._readable_errors():
            removal.delete_run(self._engine, self.label, name, first)

    def picture(self, sha256: str) -> bytes | None:
        """The bytes of an image file, or `None`."""
        with self._reading() as connection:
            return pictures.body_of(connection, sha256)

    def pictures(self, run_id: int) -> dict[str, ImageFile]:
        """The image files of a run's cases by the names that their source gives them."""
        with self._reading() as connection:
            result = pictures.of_run(connection, run_id)
        return {name: one.lies_at(partial(self.picture, one.sha256)) for name, one in result.items()}

    def case(self, case_hash: str) -> str | None:
        """The JSON text of a case, or `None`."""
        with self._reading() as connection:
            body = connection.execute(sa.select(cases.c.body).where(cases.c.hash == case_hash)).scalar()
            return None if body is None else zlib.decompress(body).decode("utf-8", "surrogatepass")

    def case_of_episode(self, run_id: int, ordinal: int) -> str:
        """The content hash of an ended episode's case; empty for one that has not ended."""
        with self._reading() as connection:
            row = reading.episode(connection, run_id, ordinal)
            return "" if row is None else row.case_hash

    def only_case(self, run_id: int) -> str:
        """The content hash of the case that a run plays. Raises BadInput if it plays none yet, or several."""
        with self._reading() as connection:
            rows = connection.execute(sa.select(run_cases.c.hash).where(run_cases.c.run == run_id)).scalars()
            hashes = list(rows)
        if len(hashes) != 1:
            raise BadInput("the run does not play one case", where=self.label)
        return str(hashes[0])

    def recorded(self, run_id: int, ordinal: int) -> list[ExchangeRow]:
        """The exchanges of one episode that are committed, in order, whether it has ended or not."""
        with self._reading() as connection:
            return reading.exchanges_of(connection, run_id, ordinal)

    def recorded_inner(self, run_id: int, ordinal: int) -> list[InnerRow]:
        """The inner exchanges of one episode that are committed, in order, whether it has ended or not."""
        with self._reading() as connection:
            return reading.inner_of_each(connection, run_id, [ordinal]).get(ordinal, [])

    def ended(self, run_id: int, ordinal: int) -> EpisodeRow | None:
        """One episode that has ended, or `None`."""
        with self._reading() as connection:
            return reading.episode(connection, run_id, ordinal)

    def asked(self, run_id: int, ordinal: int) -> list[AskedRow]:
        """The questions of one episode that wait for a model or a person, in order; none once it has
        ended."""
        with self._reading() as connection:
            return reading.asked_of(connection, run_id, ordinal)

    def trace(self, run_id: int, ordinal: int) -> Trace:
        """One episode's trace; the outcome of one that has not ended is `pending`."""
        return self.record(run_id, ordinal)[1]

    def record(self, run_id: int, ordinal: int, *, earlier: bool = False) -> Record:
        """One episode's row, trace and judgements, as `judgements` gives them. One that has not ended is
        `pending` and has no key yet."""
        with self._reading() as connection:
            row = reading.episode(connection, run_id, ordinal)
            rows = reading.exchanges_of(connection, run_id, ordinal)
            inner = reading.inner_of_each(connection, run_id, [ordinal]).get(ordinal, [])
            judged = reading.judgements_of_each(connection, run_id, [ordinal], earlier=earlier)
            if row or rows or inner:
                row = row or pending(ordinal, len(rows))
                result = row, trace_of(rows, row.outcome, inner), judged.get(ordinal, ())
                damage.check(result)
                return result
        raise self.no_episode(run_id, ordinal, self.label)

    def no_episode(self, run_id: int, ordinal: int, where: str) -> BadInput:
        """The error for an episode that a run does not have, which says which ones it has."""
        has = self.done(run_id).stretches()
        hint = f"its ended episodes are {has}" if has else "no episode of it has ended yet"
        return BadInput(f"the run has no episode {ordinal}", where=where, hint=hint)

    def find_episode(self, wanted: str) -> tuple[int, int]:
        """(run id, ordinal) for an episode's key, a prefix of one, or RUN:ORDINAL.

        If several runs hold the key, the newest run's episode.
        """
        name, colon, number = wanted.rpartition(":")
        if colon:
            return self._by_number(name, number)
        with self._reading() as connection:
            return naming.episode_by_key(connection, wanted, self.label)

    def forget(self, run_id: int, ordinal: int, *, after: int = 0) -> None:
        """Delete the records of one episode after its exchange `after`, so that it is replayed from there.

        Raises BadInput while the run is being played.
        """
        with self._writing() as connection:
            refuse_while_played(connection, self.label, run_id)
            forget_scores(connection, run_id, ordinal)
            tables = (
                search_lines,
                judge_calls,
                judgements,
                calls,
                asked,
                inner_exchanges,
                exchanges,
                episodes,
            )
            for table in tables:
                here = sa.and_(table.c.run == run_id, table.c.ordinal == ordinal)
                if table in (exchanges, inner_exchanges, calls, asked):
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
                replace_scores(
                    connection, run_id, ((one["ordinal"], one["grader"], one["body"]) for one in records)
                )
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

    def workers(self, run_id: int | None = None) -> list[tuple[int, Worker]]:
        """The live workers, each with its run's id: of one run, or of all."""
        with self._reading() as connection:
            return live_workers(connection, self.label, run_id)

    def check_unplayed(self, run_id: int) -> None:
        """Raise BadInput, naming the workers, if the run is being played."""
        with self._writing() as connection:
            refuse_while_played(connection, self.label, run_id)

    def writer(
        self, run_id: int, token: int | None = None, *, keep_prompts: bool = False, also: Also | None = None
    ) -> Writer:
        """The writer for a run while it is played; with a `token`, only as long as that lease is valid. With
        `keep_prompts`, the messages of every call are stored, too; `also` is done in every commit."""
        listeners = self._listeners
        return Writer(
            self._engine, self.label, run_id, token, keep_prompts=keep_prompts, also=also, listeners=listeners
        )

    def shared_bucket(self, endpoint: Endpoint) -> SharedBucket:
        """The bucket of an endpoint's rates, shared by all that use this store."""
        return SharedBucket(self._engine, self.label, endpoint)

    def shared_budget(self, run_id: int, token: int, recorded: Callable[[], Amounts]) -> SharedBudget:
        """The budget of a run, shared by its workers, for the one with this lease; see `SharedBudget`."""
        return SharedBudget(self._engine, self.label, run_id, token, recorded)

    def listen(self, heard: Callable[[Committed], None]) -> Callable[[], None]:
        """Call `heard` after every commit of what is played through this store, in whatever thread commits.
        Returns a function that ends this."""
        self._listeners.append(heard)
        return lambda: self._listeners.remove(heard)

    def writing(self) -> AbstractContextManager[Connection]:
        """A write transaction for a custom statement."""
        return self._writing()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._readable_errors(), self._writing_engine.begin() as connection:
            yield connection

    def _one_run(self, where: sa.ColumnElement[bool]) -> RunInfo:
        runs = self._runs(where)
        if not runs:
            raise BadInput("the run no longer exists", where=self.label)
        return runs[0]

    def _runs(self, *where: sa.ColumnElement[bool]) -> list[RunInfo]:
        query = sa.select(runs, reading.ended_of(runs.c.id).label("done")).where(*where)
        with self._reading() as connection:
            rows = connection.execute(query.order_by(runs.c.id.desc())).all()
            running = [row.id for row in rows if row.status == "running"]
            played = played_runs(connection, self.label, running)
        result = []
        for r in rows:
            # Its worker may have died without setting the status.
            deserted = r.status == "running" and r.id not in played
            status: RunStatus = "interrupted" if deserted else r.status
            try:
                manifest = json.loads(r.manifest)
                result.append(RunInfo(r.name, r.id, status, r.planned, r.done, manifest, _utc(r.created_at)))
            except damage.UNREADABLE:
                damage.LOG.warning("run %r cannot be read and is left out: its row is damaged", r.name)
        return result

    def _by_number(self, name: str, number: str) -> tuple[int, int]:
        if not (number.isascii() and number.isdecimal() and len(number) <= 10):
            raise BadInput(f"{number!r} is not the number of an episode", hint="write RUN:NUMBER")
        run_id, ordinal = self.run(name).id, min(int(number), reading.MAX_ORDINAL)
        self.trace(run_id, ordinal)
        return run_id, ordinal


def _utc(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
