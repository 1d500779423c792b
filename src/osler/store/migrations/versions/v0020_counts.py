"""Counters of ended episodes, kept by triggers, in place of counting them each time."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

# An update and not an upsert: how a trigger's upsert ends would depend on the statement that fired it.
_ADD: Final = """
INSERT INTO episode_counts SELECT NEW.run, 0, 0
WHERE NOT EXISTS (SELECT 1 FROM episode_counts WHERE run = NEW.run AND shard = 0);
UPDATE episode_counts SET ended = ended + 1 WHERE run = NEW.run AND shard = 0;
"""
_TAKE: Final = "UPDATE episode_counts SET ended = ended - 1 WHERE run = OLD.run AND shard = 0;"
_SQLITE: Final = (
    f"CREATE TRIGGER episodes_counted_in AFTER INSERT ON episodes BEGIN {_ADD} END",
    f"CREATE TRIGGER episodes_counted_out AFTER DELETE ON episodes BEGIN {_TAKE} END",
    f"CREATE TRIGGER episodes_counted_over AFTER UPDATE OF run ON episodes BEGIN {_TAKE} {_ADD} END",
)

# All that this and the next migration change, in the order in which writers lock it: one that is at work is
# then waited for, and goes on afterwards.
_LOCKS: Final = (
    "LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE",
    "LOCK TABLE inner_exchanges, exchanges IN ACCESS EXCLUSIVE MODE",
    "LOCK TABLE episodes IN SHARE ROW EXCLUSIVE MODE",
    "LOCK TABLE judgements IN ACCESS EXCLUSIVE MODE",
)

# One row of the counter for each statement, however many episodes it writes, and that of this session: those
# that commit at the same time would otherwise wait for each other. The schema is named since it need not be
# on the search path of whoever writes.
_POSTGRESQL: Final = (
    """
CREATE FUNCTION count_episodes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  add CONSTANT text := 'INSERT INTO ' || quote_ident(TG_TABLE_SCHEMA) || '.episode_counts AS held'
    ' SELECT run, mod(pg_backend_pid(), 32), sum(by) FROM (';
  up CONSTANT text := ') AS each GROUP BY run ORDER BY run'
    ' ON CONFLICT (run, shard) DO UPDATE SET ended = held.ended + excluded.ended';
BEGIN
  IF TG_OP = 'INSERT' THEN
    EXECUTE add || 'SELECT run, 1 AS by FROM fresh' || up;
  ELSIF TG_OP = 'DELETE' THEN
    EXECUTE add || 'SELECT run, -1 AS by FROM gone' || up;
  ELSE
    EXECUTE add || 'SELECT run, 1 AS by FROM fresh UNION ALL SELECT run, -1 FROM gone' || up;
  END IF;
  RETURN NULL;
END
$$""",
    "CREATE TRIGGER episodes_counted_in AFTER INSERT ON episodes"
    " REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION count_episodes()",
    "CREATE TRIGGER episodes_counted_out AFTER DELETE ON episodes"
    " REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_episodes()",
    "CREATE TRIGGER episodes_counted_over AFTER UPDATE ON episodes"
    " REFERENCING OLD TABLE AS gone NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION count_episodes()",
)


def upgrade() -> None:
    """Create table and triggers, and then count: from the triggers on, nobody writes until this commits."""
    connection = op.get_bind()
    on_server = connection.dialect.name == "postgresql"
    for statement in _LOCKS if on_server else ():
        connection.exec_driver_sql(statement)
    op.create_table(
        "episode_counts",
        sa.Column(
            "run",
            sa.Integer,
            sa.ForeignKey("runs.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("shard", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("ended", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    for statement in _POSTGRESQL if on_server else _SQLITE:
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql(
        "INSERT INTO episode_counts SELECT run, 0, count(*) FROM episodes GROUP BY run"
    )


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
