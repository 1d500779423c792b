"""Inner exchanges of composite players, and memories beside the runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the five tables."""
    op.create_table(
        "inner_exchanges",
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("path", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("seat", "player", "request")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("events", "reply", "attempts")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "memory_cards",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "memory_snapshots",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("cards", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "memory_log",
        sa.Column("memory", sa.Text, primary_key=True),
        sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("snapshot", sa.Text, sa.ForeignKey("memory_snapshots.hash"), nullable=False),
        sa.Column("capacity", sa.Integer),
        sa.Column("why", sa.Text, nullable=False),
    )
    op.create_table(
        "memory_retrievals",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("episode", sa.Text, primary_key=True),
        sa.Column("snapshot", sa.Text, sa.ForeignKey("memory_snapshots.hash"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("cards", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
