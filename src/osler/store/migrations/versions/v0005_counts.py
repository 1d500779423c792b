"""What a protocol counts beyond turns, tests and cost."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; episodes that are there have their counts in the columns they had."""
    op.add_column("episodes", sa.Column("counts", sa.Text))


def downgrade() -> None:
    """Never taken back."""
    raise NotImplementedError("a store is never taken back to an older schema")
