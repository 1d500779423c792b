"""One process plays a run at a time: a lock that the system, or the server, frees with the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Engine

try:
    import fcntl
except ImportError:  # where there is none, nothing is held
    fcntl = None  # type: ignore[assignment]

_OURS = 0x05_1E_12  # so that our advisory locks are not somebody else's


@contextmanager
def holding(engine: Engine, run_id: int) -> Iterator[bool]:
    """Whether this process now holds the run; it is let go at the end."""
    if engine.dialect.name != "sqlite":
        with engine.connect() as connection:
            key = {"ours": _OURS, "run": run_id}
            yield bool(connection.scalar(sa.text("select pg_try_advisory_lock(:ours, :run)"), key))
            connection.execute(sa.text("select pg_advisory_unlock(:ours, :run)"), key)
        return
    # One file a store, one byte of it a run.
    with Path(f"{engine.url.database}-lock").open("w") as file:
        if fcntl is None:
            yield True
            return
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, run_id)
        except OSError:
            yield False
        else:
            yield True
