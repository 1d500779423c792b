"""What people permit to be done with their words, and tombstones of what was deleted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables; people in older episodes permit practice alone."""
    op.create_table(
        "permissions",
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seat", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("uses", "pseudonym", "consent")),
        sa.Column("given", sa.Double, nullable=False),
        sa.Column("expires", sa.Double),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "deletions",
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("deleted", sa.Double, nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
