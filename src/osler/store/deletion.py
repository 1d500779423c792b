"""Deletion of a person's words: from an episode, from every branch that copied it, and from memories.

What stays is a tombstone: that an episode was played and deleted, and when. Its row stays with the status
`deleted`, unscored, so that figures count it and it is not played again; a case or a number is nobody's
words. An encounter that had not ended may be begun anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from osler.errors import BadInput, BadStore, Status
from osler.memory.sql_memory import forget_cards
from osler.store.leases import refuse_while_played
from osler.store.permissions import BRANCH_OF, deleted_in, parent_of, people_of
from osler.store.practice import scrub
from osler.store.records import RunInfo
from osler.store.schema import deletions, episodes, metadata, runs
from osler.store.search_index import forget_deleted
from osler.store.size import compact
from osler.store.store import Store

AT_WISH: Final = "deleted at the person's wish"
_STAY: Final = frozenset({"episodes", "deletions", "practice"})
WORDS: Final = tuple(
    table
    for table in reversed(metadata.sorted_tables)
    if {"run", "ordinal"} <= {*table.columns.keys()} and table.name not in _STAY
)
"""The tables that hold what belongs to an episode, those first that refer to others."""


class Deleted(NamedTuple):
    """The deleted: (run's name, ordinal) of each episode, branches included, and the number of cards of
    memories. `erased`: the words are gone from the store's file, too; otherwise traces may remain in it until
    nobody else uses it (SQLite), or until the server cleans its tables (PostgreSQL)."""

    episodes: tuple[tuple[str, int], ...]
    cards: int
    erased: bool


def delete_words(store: Store, run_id: int, ordinals: Iterable[int]) -> Deleted:
    """Delete everything that was said in some episodes of a run, wherever the store holds it: exchanges,
    calls to models, judgements, permissions, the branches that begin with them, and cards of memories.

    Raises BadInput, and deletes nothing, for an episode in which nobody's words are, that was deleted
    before or that was not played, and while one of the runs is being played.
    """
    run, wanted = store.info(run_id), sorted(set(ordinals))
    if not people_of(store, run):
        what = "nobody's own words are in it: it was played by programs"
        raise BadInput(what, where=run.name, hint=f"osler runs delete {run.name} deletes the whole run")
    places = [(run, ordinal) for ordinal in wanted]
    for branch, ordinal in _branches(store, run, frozenset(wanted)):
        places.append((branch, ordinal))
    with store.writing() as connection:
        _overwrite(connection, on=True)
        try:
            each = {place.id: place for place, _ in places}
            for place_id in sorted(each):
                refuse_while_played(connection, store.label, place_id)
            for place, ordinal in places:
                _delete(connection, place, ordinal, wanted=place.id == run_id)
            for place in each.values():
                _delete_said(connection, place)
            cards = _delete_cards(connection, places)
            forget_deleted(connection)
        finally:
            _overwrite(connection, on=False)
    return Deleted(tuple((one.name, ordinal) for one, ordinal in places), cards, _erase(store))


def copies_of(store: Store, run_id: int, ordinals: Iterable[int]) -> list[tuple[int, int]]:
    """(run's id, ordinal) of the episodes of other runs that begin with a copy of these, and are deleted with
    them."""
    branches = _branches(store, store.info(run_id), frozenset(ordinals))
    return [(branch.id, ordinal) for branch, ordinal in branches]


def deleted_episodes(store: Store, run_id: int) -> dict[int, float]:
    """When the words of which episodes of a run were deleted, by ordinal, in seconds since 1970, UTC."""
    with store.connected() as connection:
        return deleted_in(connection, run_id)


def spoken_in(store: Store, run_id: int) -> set[int]:
    """The episodes of a run that were played, in part or whole, and whose words are there."""
    return {*store.done(run_id), *store.partial(run_id)} - deleted_episodes(store, run_id).keys()


def _branches(store: Store, run: RunInfo, ordinals: frozenset[int]) -> list[tuple[RunInfo, int]]:
    """The episodes of other runs that begin with a copy of these, in order of their runs."""
    with store.connected() as connection:
        query = sa.select(runs.c.id).where(runs.c.id > run.id, runs.c.manifest.contains(f'"{BRANCH_OF}"'))
        later = [store.info(one) for one in connection.execute(query.order_by(runs.c.id)).scalars()]
    copies: dict[int, frozenset[int]] = {run.id: ordinals}
    for one in later:
        parent = parent_of(store, one)
        if parent is not None and parent[1] in copies.get(parent[0], ()):
            copies[one.id] = frozenset(range(one.planned))
    gone = {one.id: deleted_episodes(store, one.id) for one in later}
    return [
        (one, ordinal)
        for one in later
        for ordinal in sorted(copies.get(one.id, ()))
        if ordinal not in gone[one.id]
    ]


def _delete(connection: Connection, run: RunInfo, ordinal: int, *, wanted: bool) -> None:
    """Delete an episode's words and leave its tombstone; a branch that was not played on is left alone."""
    before = deleted_in(connection, run.id).get(ordinal)
    count = sum(
        connection.execute(sa.delete(table).where(table.c.run == run.id, table.c.ordinal == ordinal)).rowcount
        for table in WORDS
    )
    scrubbed = {"status": Status.DELETED.value, "reason": AT_WISH, "tail": "[]", "exchanges": 0}
    here = (episodes.c.run == run.id, episodes.c.ordinal == ordinal, episodes.c.status != Status.DELETED)
    count += connection.execute(sa.update(episodes).where(*here).values(scrubbed)).rowcount
    count += scrub(connection, run.id, ordinal)
    if not count and wanted:
        where = f"{run.name}:{ordinal}"
        if before is not None:
            day = time.strftime("%Y-%m-%d", time.gmtime(before))
            raise BadInput(f"it was deleted already, on {day}", where=where)
        raise BadInput("nothing was said in it: it was not played", where=where)
    if count:
        dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
        insert = dialect.insert(deletions).values(run=run.id, ordinal=ordinal, deleted=time.time())
        fresh = {"deleted": insert.excluded.deleted}
        connection.execute(insert.on_conflict_do_update(index_elements=["run", "ordinal"], set_=fresh))


def _delete_said(connection: Connection, run: RunInfo) -> None:
    """Take the words that a branch was told to say out of its configuration, once no episode is left."""
    configuration: dict[str, Any] = run.manifest.get("configuration") or {}
    if configuration.get("say") and len(deleted_in(connection, run.id)) >= run.planned:
        manifest = {**run.manifest, "configuration": {**configuration, "say": None}}
        written = json.dumps(manifest, sort_keys=True)
        connection.execute(sa.update(runs).where(runs.c.id == run.id).values(manifest=written))


def _delete_cards(connection: Connection, places: Sequence[tuple[RunInfo, int]]) -> int:
    of_runs: dict[int, set[int]] = {}
    names = {run.id: run.name for run, _ in places}
    for run, ordinal in places:
        of_runs.setdefault(run.id, set()).add(ordinal)
    episodes_of = set[tuple[str, str]]()
    for run_id, ordinals in of_runs.items():
        query = sa.select(episodes.c.ordinal, episodes.c.key).where(episodes.c.run == run_id)
        episodes_of |= {
            (names[run_id], row.key) for row in connection.execute(query) if row.ordinal in ordinals
        }
    return forget_cards(connection, episodes_of)


def _overwrite(connection: Connection, *, on: bool) -> None:
    """Let SQLite overwrite what it deletes, or not; a server decides for itself."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA secure_delete={'ON' if on else 'OFF'}")


def _erase(store: Store) -> bool:
    """Rewrite the store's file, so that nothing deleted is left in it; whether that was done."""
    if store.engine.dialect.name != "sqlite":
        return False
    try:
        return compact(store)
    except BadStore:  # others use it
        return False
