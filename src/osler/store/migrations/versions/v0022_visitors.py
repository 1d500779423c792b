"""A visitor's id apart from the secret in its cookie, and the link or room by which its rights came."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_EARLIER = sa.text("SELECT digest, rights, until FROM passes")


def upgrade() -> None:
    """Make the source part of a pass's key. What was let in before keeps its digest as the visitor's id,
    which owns its sittings and rooms."""
    earlier = op.get_bind().execute(_EARLIER).all()
    op.drop_table("passes")  # SQLite cannot change a key in place, and there are few rows
    made = op.create_table(
        "passes",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("source", sa.Text, primary_key=True),
        sa.Column("visitor", sa.Text, nullable=False),
        sa.Column("rights", sa.Text, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
        sa.Column("since", sa.Double),
        sqlite_with_rowid=False,
    )
    op.create_index("passes_visitor", "passes", ["visitor"])
    op.bulk_insert(made, [{**row._asdict(), "source": "", "visitor": row.digest} for row in earlier])


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
