"""A run's cases in order, for machines that do not have its files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of listed cases."""
    op.create_table(
        "listed_cases",
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("hash", sa.Text, sa.ForeignKey("cases.hash"), nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
