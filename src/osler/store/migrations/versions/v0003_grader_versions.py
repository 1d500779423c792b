"""Judgements of one grader's versions stand beside each other; the last one made counts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Put the version into the key, and write down when a judgement was made (unknown for older ones)."""
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("judgements", sa.Column("judged", sa.Double))
        op.drop_constraint("judgements_pkey", "judgements")
        op.create_primary_key("judgements_pkey", "judgements", ["run", "ordinal", "grader", "version"])
        return
    # SQLite changes no key in place.
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
    """Never taken back."""
    raise NotImplementedError("a store is never taken back to an older schema")
