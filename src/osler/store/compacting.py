"""Give the room of what was deleted back to the disk."""

from __future__ import annotations

from osler.store.store import Store


def compact(store: Store) -> None:
    """Rewrite an SQLite store's file without its gaps, which takes as much room again while it works.

    A server does this by itself, so nothing is done there. Raises BadStore where others use the file.
    """
    with store.connected() as connection:
        if connection.dialect.name == "sqlite":
            # It cannot be done inside a transaction, and one has begun.
            for statement in ("COMMIT", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                connection.exec_driver_sql(statement)
