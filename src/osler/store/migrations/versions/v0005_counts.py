"""A protocol's counts beyond turns, tests and cost."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; existing episodes keep their counts in the columns they have."""
    op.add_column("episodes", sa.Column("counts", sa.Text))


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
