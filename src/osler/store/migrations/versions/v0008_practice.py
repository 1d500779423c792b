"""The seats that people have taken in the browser, and the keys of the server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "practice",
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("code", sa.Text, nullable=False, unique=True),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("room", sa.Text, nullable=False),
        sa.Column("protocol", sa.Text, nullable=False),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("distressing", sa.Integer, nullable=False),
        sa.Column("stopped", sa.Text, nullable=False),
        sa.Column("more", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("practice_owner", "practice", ["owner"])
    op.create_index("practice_room", "practice", ["room"])
    op.create_table(
        "house_secrets",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Not supported."""
