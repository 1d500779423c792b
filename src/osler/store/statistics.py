"""PostgreSQL's own statistics, from which it plans queries: renewed where they no longer fit the tables.

Its autovacuum does that a minute after a large run, or never where it is switched off; without them a page
of a large run takes ten times as long.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from osler.store.schema import episodes, exchanges, judgements, scores
from osler.store.store import Store

_LISTED: Final = (episodes, exchanges, judgements, scores)
# What is told of a partition is said of the table that it belongs to.
_STALE: Final = sa.text(
    "SELECT coalesce(whole.relname, each.relname) FROM pg_stat_user_tables AS each"
    " LEFT JOIN pg_inherits ON inhrelid = relid LEFT JOIN pg_class AS whole ON whole.oid = inhparent"
    " WHERE schemaname = current_schema()"
    " AND n_mod_since_analyze > 1000 + n_live_tup / 10"  # some more than autovacuum allows
)


def renew_statistics(store: Store) -> list[str]:
    """Analyze the tables that have changed by more than a tenth since that was last done; their names. Does
    nothing on SQLite, whose plans for our queries need no statistics."""
    with store.connected() as connection:
        if connection.dialect.name != "postgresql":
            return []
        changed = set(connection.scalars(_STALE))
    stale = [table.name for table in _LISTED if table.name in changed]
    if stale:
        with store.writing() as connection:
            connection.execute(sa.text("ANALYZE " + ", ".join(stale)))
    return stale
