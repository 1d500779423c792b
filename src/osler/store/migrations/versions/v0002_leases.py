"""Several processes per run: registered workers, and the leases of their episodes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "sittings",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("host", "machine")),
        sa.Column("pid", sa.BigInteger, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("expires", sa.Double, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("sittings_run", "sittings", ["run"])
    op.create_table(
        "leases",
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("first", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("sitting", sa.Integer, sa.ForeignKey("sittings.id", ondelete="CASCADE"), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("leases_sitting", "leases", ["sitting"])


def downgrade() -> None:
    """Not supported. Leases are useless once no one plays, but nothing needs this."""
    raise NotImplementedError("a store is never downgraded to an older schema")
