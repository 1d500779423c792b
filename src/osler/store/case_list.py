"""The cases of a run in the order of their source: written when it begins, for machines without its files."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from itertools import islice
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from osler.store.damage import unreadable_row
from osler.store.records import RunInfo
from osler.store.schema import cases, listed_cases, run_cases
from osler.store.store import Store

NOTED: Final = "cases_listed"
"""The manifest's entry of a whole list: its length and its fingerprint."""
AT_ONCE: Final = 500


class ListedCase(NamedTuple):
    """A case: its place in the source, from 0, its content hash, and its JSON text."""

    place: int
    hash: str
    body: str


def write(store: Store, run_id: int, listed: Iterable[ListedCase]) -> RunInfo:
    """Write a run's list, in short transactions; that it is whole is noted in the manifest last."""
    each, hashes = iter(listed), dict[int, str]()
    while batch := list(islice(each, AT_ONCE)):
        with store.writing() as connection:
            _keep(connection, run_id, batch)
        hashes.update({one.place: one.hash for one in batch})
    return store.note(run_id, **{NOTED: {"cases": len(hashes), "fingerprint": _fingerprint(hashes)}})


def read(store: Store, run: RunInfo) -> dict[int, str]:
    """The content hashes of a run's cases by their places in the source, in order; empty where no whole list
    was written or the run came back from an archive. Raises BadStore for another list than was written."""
    if (noted := run.manifest.get(NOTED)) is None:
        return {}
    query = sa.select(listed_cases.c.place, listed_cases.c.hash).where(listed_cases.c.run == run.id)
    with store.connected() as connection:
        rows = connection.execute(query.order_by(listed_cases.c.place)).all()
    hashes = dict[int, str]((row.place, row.hash) for row in rows)
    if not hashes:  # an archive has left it behind
        return {}
    if _fingerprint(hashes) != noted["fingerprint"]:
        raise unreadable_row(store.label)
    return hashes


def _keep(connection: Connection, run_id: int, batch: Iterable[ListedCase]) -> None:
    insert: Any = (sqlite if connection.dialect.name == "sqlite" else postgresql).insert
    # In the order of the hashes, as a writer of episodes does it: two of them cannot deadlock.
    batches = sorted(batch, key=lambda one: one.hash)
    bodies = {one.hash: zlib.compress(one.body.encode("utf-8", "surrogatepass"), 1) for one in batches}
    rows: dict[sa.Table, list[dict[str, object]]] = {
        cases: [{"hash": hash, "body": body} for hash, body in bodies.items()],
        run_cases: [{"hash": hash, "run": run_id} for hash in bodies],
        listed_cases: [{"run": run_id, "place": one.place, "hash": one.hash} for one in batches],
    }
    for table, values in rows.items():
        connection.execute(insert(table).on_conflict_do_nothing(), values)


def _fingerprint(hashes: Mapping[int, str]) -> str:
    """32 hex digits over a list of cases, in its order."""
    digest = blake2b(digest_size=16)
    for place, result in hashes.items():
        digest.update(f"{place}\0{result}\0".encode())
    return digest.hexdigest()
