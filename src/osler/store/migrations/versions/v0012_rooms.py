"""Rooms that a teacher opens, and the learners who joined them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "rooms",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("code", sa.Text, nullable=False, unique=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("expires", sa.Double),
        sa.Column("closed", sa.Double),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Index("rooms_owner", "owner"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "room_members",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("room", sa.Text, sa.ForeignKey("rooms.id", ondelete="CASCADE"), nullable=False),
        sa.Column("visitor", sa.Text, nullable=False),
        sa.Column("joined", sa.Double, nullable=False),
        sa.Column("pseudonym", sa.Text, nullable=False),
        sa.Column("uses", sa.Text, nullable=False),
        sa.Column("extra", sa.Integer, nullable=False),
        sa.UniqueConstraint("room", "visitor"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
