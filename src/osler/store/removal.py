"""Deleting a run with all that is its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from osler.errors import BadInput
from osler.store import partitions, pictures
from osler.store.connect import WRITES
from osler.store.leases import refuse_while_played
from osler.store.schema import (
    asked,
    budgets,
    calls,
    cases,
    deletions,
    episodes,
    judge_calls,
    judgements,
    listed_cases,
    permissions,
    practice,
    run_cases,
    run_pictures,
    runs,
    scores,
    search_lines,
    workers,
)

_TABLES: Final = (
    *(search_lines, scores, judge_calls, judgements, calls, asked, episodes),
    *(run_cases, listed_cases, run_pictures, practice, workers, budgets, permissions, deletions),
)
"""The tables of a run, in the order of deletion, but for the largest: what refers to others goes before them,
and what is locked below is deleted from in the order of the locks. Rows of `leases` and `episode_counts` go
by themselves."""


def delete_run(
    engine: Engine, label: str, name: str, first: Callable[[Connection], None] | None = None
) -> None:
    """Delete a run, and the cases and image files that no other run uses; see `Store.delete_run`."""
    with engine.connect() as connection:
        run_id = connection.execute(sa.select(runs.c.id).where(runs.c.name == name)).scalar()
        if run_id is None:
            raise BadInput(f"there is no run {name!r}", hint="give its full name")
        own = partitions.held(connection, run_id)
    writing = engine.execution_options(**{WRITES: True})
    with writing.begin() as connection:
        _delete(connection, label, run_id, own, first)
    if own:
        partitions.sweep(engine, run_id)
    with writing.begin() as connection:
        if connection.dialect.name == "postgresql":
            # An uncommitted use of a case by another run would not be visible otherwise.
            tables = "cases, run_cases, listed_cases, pictures, run_pictures"
            connection.execute(sa.text(f"LOCK TABLE {tables} IN SHARE ROW EXCLUSIVE MODE"))
        pictures.forget_unused(connection)
        connection.execute(sa.delete(cases).where(cases.c.hash.not_in(sa.select(run_cases.c.hash))))


def _delete(
    connection: Connection,
    label: str,
    run_id: int,
    own: tuple[str, ...],
    first: Callable[[Connection], None] | None,
) -> None:
    if first is not None and connection.dialect.name == "postgresql":
        # What is deleted is then what `first` has seen, or the database refuses.
        connection.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
    frozen = partitions.freeze(connection, own)  # before `first` reads: emptying them does not look at rows
    if first is not None:
        first(connection)
    # On PostgreSQL the lock makes a writer of this run wait, and then find that it no longer exists.
    locked = sa.select(runs.c.id).where(runs.c.id == run_id).with_for_update()
    if connection.execute(locked).scalar() is None:
        raise BadInput("the run no longer exists", where=label)
    refuse_while_played(connection, label, run_id)
    for table in _TABLES:
        connection.execute(sa.delete(table).where(table.c.run == run_id))
    if not (frozen and partitions.empty(connection, own)):
        for table in partitions.EMPTIED:
            connection.execute(sa.delete(table).where(table.c.run == run_id))
    connection.execute(sa.delete(runs).where(runs.c.id == run_id))
