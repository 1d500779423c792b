"""Memory persistence in the store's database.

A card's row never changes: its id is the hash of its body. A snapshot is a list of card ids with their
mutable counts; its hash is over that list. A memory's log is append-only: it records the snapshot after each
step, and its last line is the memory's current state. A retrieval is the list of cards an episode was given.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from pydantic import ValidationError
from pydantic_core import from_json
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import IntegrityError

from osler.errors import BadInput, BadStore
from osler.memory.card import COUNTS, Card
from osler.memory.collection import Memory, memory_of, snapshot_hash, state_lines, with_state
from osler.memory.exclusion import Retrieval
from osler.models.types import encodable

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}")
_AT_ONCE: Final = 500
_TRIES: Final = 100  # a try fails only if another process committed its step, so there is progress
_FORGOTTEN: Final = b""
"""The body of a card deleted at a person's wish. Its id stays in the snapshots, which leave it out."""
_WRITES: Final = {"osler_writes": True}  # the store's engine then opens a write transaction

metadata = sa.MetaData()
"""The tables of memory; a migration of the store creates them."""

_CARDS: Final = sa.Table(
    "memory_cards",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),  # zlib of the card's JSON without its counts
)

_SNAPSHOTS: Final = sa.Table(
    "memory_snapshots",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("cards", sa.Integer, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),  # zlib of `state_lines`
)

_LOG: Final = sa.Table(
    "memory_log",
    metadata,
    sa.Column("memory", sa.Text, primary_key=True),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("snapshot", sa.Text, sa.ForeignKey("memory_snapshots.hash"), nullable=False),
    sa.Column("capacity", sa.Integer),
    sa.Column("why", sa.Text, nullable=False),
)

_RETRIEVALS: Final = sa.Table(
    "memory_retrievals",
    metadata,
    sa.Column("run", sa.Text, primary_key=True),
    sa.Column("episode", sa.Text, primary_key=True),
    sa.Column("snapshot", sa.Text, sa.ForeignKey("memory_snapshots.hash"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("cards", sa.Text, nullable=False),  # ids, best first, separated by spaces
)


_ASKED: Final = sa.Table(
    "memory_asked",
    metadata,
    sa.Column("key", sa.Text, primary_key=True),  # the hash of a model, its settings and what it was asked
    sa.Column("body", sa.LargeBinary, nullable=False),  # a vector of 32-bit numbers, or a text
)


class Step(NamedTuple):
    """One line of a memory's log: its number `n` from 0, the snapshot then current, and why."""

    n: int
    snapshot: str
    capacity: int | None
    why: str


class SqlKeeper:
    """Memories by name and their snapshots by hash, append-only, in a database with the tables above."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(**_WRITES)
        self._reading = engine
        self._saved: set[str] = set()  # cards are never deleted, so these exist

    def save(self, name: str, memory: Memory, why: str = "") -> str:
        """Save a memory's state as its newest snapshot and return the hash. Nothing is added if it is already
        the newest.

        Several processes may save concurrently; each step gets its own number.
        """
        if not _NAME.fullmatch(name):
            raise BadInput(f"{name!r} is not a valid memory name", hint="use letters, digits and . _ : / -")
        held = self.freeze(memory)
        self._step(name, held, memory.capacity, why)
        return held

    def freeze(self, memory: Memory) -> str:
        """Save a snapshot that is no step of any memory, and return its hash."""
        lines = state_lines(memory.cards.values())
        held = snapshot_hash(lines)
        kept = {"hash": held, "cards": len(memory.cards), "body": zlib.compress(lines.encode())}
        with self._engine.begin() as connection:
            new = [card for card in memory.cards.values() if card.id not in self._saved]
            _add(connection, _CARDS, ({"id": card.id, "body": _body(card)} for card in new))
            _add(connection, _SNAPSHOTS, [kept])
        self._saved.update(memory.cards)
        return held

    def load(self, snapshot: str, capacity: int | None = None) -> Memory:
        """Load the memory of a snapshot. Raises BadInput if there is none. Raises BadStore if
        the stored data do not match their hash."""
        table = _SNAPSHOTS.c
        with self._reading.connect() as connection:
            body = connection.execute(sa.select(table.body).where(table.hash == snapshot)).scalar()
            if body is None:
                raise BadInput(f"there is no snapshot {snapshot!r}")
            lines = zlib.decompress(body).decode()
            if snapshot_hash(lines) != snapshot:
                raise BadStore(f"snapshot {snapshot} was changed after it was written")
            states = [line.split(" ") for line in lines.split("\n") if line]
            bodies = _bodies(connection, [state[0] for state in states])
        held = (state for state in states if bodies.get(state[0]) != _FORGOTTEN)
        return memory_of((_card(state, bodies) for state in held), capacity)

    def names(self) -> list[str]:
        """The names of all memories, sorted."""
        table = _LOG.c
        with self._reading.connect() as connection:
            return list(
                connection.execute(sa.select(table.memory).distinct().order_by(table.memory)).scalars()
            )

    def snapshots(self, begins: str) -> list[str]:
        """The snapshots whose hash has this prefix, sorted."""
        table = _SNAPSHOTS.c
        wanted = sa.select(table.hash).where(table.hash.startswith(begins, autoescape=True))
        with self._reading.connect() as connection:
            return list(connection.execute(wanted.order_by(table.hash)).scalars())

    def size(self, snapshot: str) -> int:
        """The number of cards in a snapshot; 0 if it does not exist."""
        table = _SNAPSHOTS.c
        with self._reading.connect() as connection:
            result = connection.execute(sa.select(table.cards).where(table.hash == snapshot)).scalar()
        return int(result or 0)

    def steps(self, name: str) -> Sequence[Step]:
        """A memory's log, oldest first; empty for an unknown name."""
        table = _LOG.c
        wanted = sa.select(table.n, table.snapshot, table.capacity, table.why)
        with self._reading.connect() as connection:
            rows = connection.execute(wanted.where(table.memory == name).order_by(table.n)).all()
        return [Step(*row) for row in rows]

    def roll_back(self, name: str, snapshot: str) -> Memory:
        """Roll back to an earlier snapshot of this memory, as a new step. Raises BadInput if it never was at
        that snapshot."""
        then = next((step for step in reversed(self.steps(name)) if step.snapshot == snapshot), None)
        if then is None:
            raise BadInput(f"the memory {name!r} was never at snapshot {snapshot!r}", hint="see its log")
        memory = self.load(snapshot, then.capacity)
        self._step(name, snapshot, then.capacity, f"rolled back to step {then.n}")
        return memory

    def record(self, run: str, retrievals: Iterable[Retrieval]) -> None:
        """Record the cards that a run's episodes were given; an episode already recorded is unchanged."""
        rows = (
            {
                "run": run,
                "episode": each.episode,
                "snapshot": each.snapshot,
                "position": each.position,
                "cards": " ".join(each.cards),
            }
            for each in retrievals
        )
        with self._engine.begin() as connection:
            _add(connection, _RETRIEVALS, rows)

    def retrieved(self, run: str) -> Iterator[Retrieval]:
        """The retrievals of a run's episodes, in order of their keys."""
        table = _RETRIEVALS.c
        wanted = sa.select(table.episode, table.snapshot, table.position, table.cards).where(table.run == run)
        with self._reading.connect() as connection:
            for episode, snapshot, position, cards in connection.execute(wanted.order_by(table.episode)):
                yield Retrieval(episode, snapshot, position, tuple(cards.split()))

    def _step(self, name: str, snapshot: str, capacity: int | None, why: str) -> None:
        table = _LOG.c
        last = (
            sa.select(table.n, table.snapshot).where(table.memory == name).order_by(table.n.desc()).limit(1)
        )
        for _ in range(_TRIES):
            try:
                with self._engine.begin() as connection:
                    newest = connection.execute(last).first()
                    if newest and newest.snapshot == snapshot:
                        return
                    values = {"memory": name, "n": newest.n + 1 if newest else 0, "snapshot": snapshot}
                    connection.execute(sa.insert(_LOG), {**values, "capacity": capacity, "why": _shown(why)})
                    return
            except IntegrityError:
                continue  # another process took this number
        raise BadStore(f"too many processes are writing to the memory {name!r} at once", hint="try again")


class SqlAnswers:
    """Models' answers for a memory, vectors and summaries, by the hash of what they were asked: kept, so
    that nothing is asked twice and whoever resumes goes on with the same answers."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine.execution_options(**_WRITES)
        self._reading = engine

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The answers there are, by key."""
        with self._reading.connect() as connection:
            return _bodies(connection, keys, _ASKED)

    def put(self, rows: Iterable[tuple[str, bytes]]) -> None:
        """Keep answers by key; one that is kept already stays."""
        with self._engine.begin() as connection:
            _add(connection, _ASKED, ({"key": key, "body": body} for key, body in rows))


def forget_cards(connection: Connection, episodes: Set[tuple[str, str]]) -> int:
    """Delete what the cards of some episodes say, given as (run's name, episode's key), from every snapshot,
    in the connection's transaction; return how many. All that models were asked for memories goes too: a
    vector holds something of the words it was made of, and does not say whose they were."""
    runs = {run for run, _ in episodes}
    if runs:
        connection.execute(sa.delete(_ASKED))
    last, count = "", 0
    while runs:
        query = sa.select(_CARDS).where(_CARDS.c.id > last).order_by(_CARDS.c.id).limit(_AT_ONCE)
        page = connection.execute(query).all()
        if not page:
            break
        last = page[-1].id
        origins = ((row.id, _origin(row.body)) for row in page if row.body != _FORGOTTEN)
        result = [name for name, origin in origins if origin in episodes]
        if result:
            forgotten = sa.update(_CARDS).where(_CARDS.c.id.in_(result)).values(body=_FORGOTTEN)
            count += connection.execute(forgotten).rowcount
    return count


def _origin(body: bytes) -> tuple[str, str] | None:
    try:
        origin = from_json(zlib.decompress(body))["origin"]
        return str(origin["run"]), str(origin["episode"])
    except (zlib.error, ValueError, LookupError, TypeError):
        return None  # a damaged card says nothing


def _add(
    connection: Connection, table: sa.Table, rows: Iterable[Mapping[str, Any]]
) -> None:  # values of any column
    """Insert rows; existing ones are left unchanged."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    insert = dialect.insert(table).on_conflict_do_nothing()
    left = iter(rows)
    while some := list(islice(left, _AT_ONCE)):
        connection.execute(insert, some)


def _shown(text: str) -> str:
    """Text that both databases accept: PostgreSQL rejects NUL, and both reject lone surrogates."""
    return encodable(text).replace("\0", "\ufffd")


def _bodies(connection: Connection, ids: Sequence[str], table: sa.Table = _CARDS) -> dict[str, bytes]:
    key, body = next(iter(table.primary_key)), table.c.body
    bodies: dict[str, bytes] = {}
    for begin in range(0, len(ids), _AT_ONCE):
        wanted = sa.select(key, body).where(key.in_(ids[begin : begin + _AT_ONCE]))
        bodies.update((row[0], row[1]) for row in connection.execute(wanted))
    return bodies


def _body(card: Card) -> bytes:
    return zlib.compress(card.model_dump_json(exclude=set(COUNTS)).encode())


def _card(state: Sequence[str], bodies: Mapping[str, bytes]) -> Card:
    name, uses, helped, harmed, life = state
    body = bodies.get(name)
    if body is None:
        raise BadStore(f"card {name} of a snapshot is missing")
    try:
        card = Card.model_validate_json(zlib.decompress(body))
    except (ValidationError, zlib.error):
        raise BadStore(f"card {name} cannot be read", hint="use the version of Osler that wrote it") from None
    if card.id != name:
        raise BadStore(f"card {name} was changed after it was written")
    return with_state(card, int(uses), int(helped), int(harmed), "retired" if life == "retired" else "active")
