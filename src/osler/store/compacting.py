"""Return the space of deleted rows to the disk (VACUUM)."""

from __future__ import annotations

from osler.store.store import Store


def compact(store: Store) -> None:
    """Compact an SQLite store's file; while it works, this needs as much disk space again.

    PostgreSQL does this by itself, so nothing is done there. Raises BadStore if others use the file.
    """
    with store.connected() as connection:
        if connection.dialect.name == "sqlite":
            # VACUUM cannot run inside a transaction, and one has begun.
            for statement in ("COMMIT", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                connection.exec_driver_sql(statement)
