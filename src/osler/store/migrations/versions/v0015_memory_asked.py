"""What models were asked for memories, vectors and summaries, by the hash of the question."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "memory_asked",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
