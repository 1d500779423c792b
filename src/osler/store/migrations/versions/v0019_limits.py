"""Rates and budgets that the workers of a run share."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables of rates and budgets."""
    op.create_table(
        "budgets",
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("sitting", sa.Integer, primary_key=True, autoincrement=False),
        *(
            sa.Column(name, sa.Double, nullable=False)
            for name in ("tokens_held", "tokens_spent", "money_held", "money_spent")
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rate_limits",
        sa.Column("account", sa.Text, primary_key=True),
        *(
            sa.Column(name, sa.Double, nullable=False)
            for name in ("requests_until", "tokens_until", "factor", "since")
        ),
        sa.Column("epoch", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
