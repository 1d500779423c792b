"""Passes: who was let into a shared server, and what for. Only digests of the secrets are kept."""

from __future__ import annotations

import time

import sqlalchemy as sa

from osler.store.schema import passes
from osler.store.store import Store


class Passes:
    """The passes in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def put(self, digest: str, rights: str, until: float) -> None:
        """Keep a pass, replacing an earlier one of the same digest; those that have expired are removed."""
        row = {"digest": digest, "rights": rights, "until": until}
        with self._store._writing() as connection:
            gone = (passes.c.digest == digest) | (passes.c.until < time.time())
            connection.execute(sa.delete(passes).where(gone))
            connection.execute(sa.insert(passes).values(row))

    def get(self, digest: str) -> tuple[str, float] | None:
        """The rights of a pass and the time until which it holds (seconds since 1970), or `None`."""
        query = sa.select(passes.c.rights, passes.c.until).where(passes.c.digest == digest)
        with self._store._reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else (row.rights, row.until)
