"""Judgements by several versions of a grader are kept side by side; the latest counts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the version to the key, and the time of a judgement (unknown for older ones)."""
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("judgements", sa.Column("judged", sa.Double))
        op.drop_constraint("judgements_pkey", "judgements")
        op.create_primary_key("judgements_pkey", "judgements", ["run", "ordinal", "grader", "version"])
        return
    # SQLite cannot change a key in place.
    op.rename_table("judgements", "judgements_0002")
    op.create_table(
        "judgements",
        sa.Column("run", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("grader", sa.Text, primary_key=True),
        sa.Column("version", sa.Text, primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("judged", sa.Double),
        sa.ForeignKeyConstraint(["run", "ordinal"], ["episodes.run", "episodes.ordinal"]),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO judgements SELECT run, ordinal, grader, version, body, NULL FROM judgements_0002")
    op.drop_table("judgements_0002")


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
