"""Large runs get partitions of their own on PostgreSQL: what was there becomes the default partition, as it
is. Nothing changes on SQLite."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_TABLES: Final = ("inner_exchanges", "exchanges", "judgements")  # locked by 0020
_NAMED: Final = sa.text(
    "SELECT conname, contype = 'f', pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE conrelid = to_regclass(:table) AND contype IN ('p', 'f')"
)


def upgrade() -> None:
    """Put a partitioned table of the same name above each of the three. No row is read, copied or checked."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    for table in _TABLES:
        kept = f"{table}_default"
        named = connection.execute(_NAMED, {"table": table}).all()
        connection.exec_driver_sql(f"ALTER TABLE {table} RENAME TO {kept}")
        for name, _, _ in named:
            connection.exec_driver_sql(
                f"ALTER TABLE {kept} RENAME CONSTRAINT {name} TO {name.replace(table, kept, 1)}"
            )
        connection.exec_driver_sql(
            f"CREATE TABLE {table} (LIKE {kept} INCLUDING ALL) PARTITION BY LIST (run)"
        )
        for name, refers, definition in named:
            if refers:  # a key is among what LIKE includes
                connection.exec_driver_sql(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
        connection.exec_driver_sql(f"ALTER TABLE {table} ATTACH PARTITION {kept} DEFAULT")


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
