"""Counts of what each learner of a room has begun, may begin again, and has deleted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table and the column. Encounters that were begun before are not counted."""
    op.add_column("room_members", sa.Column("deleted", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "room_begun",
        sa.Column("member", sa.Text, sa.ForeignKey("room_members.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("case", sa.Text, primary_key=True),
        sa.Column("begun", sa.Integer, nullable=False),
        sa.Column("again", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
