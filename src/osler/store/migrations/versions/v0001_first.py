"""The first schema: cases, runs, episodes, exchanges, judgements."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

HEX = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "cases",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("planned", sa.Integer, nullable=False),
        sa.Column("manifest", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "run_cases",
        sa.Column("hash", sa.Text, sa.ForeignKey("cases.hash"), primary_key=True),
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
    _create_episodes()
    op.create_table(
        "exchanges",
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("seat", "request")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("events", "reply", "attempts")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "judgements",
        sa.Column("run", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("grader", sa.Text, primary_key=True),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["run", "ordinal"], ["episodes.run", "episodes.ordinal"]),
        sqlite_with_rowid=False,
    )


def _create_episodes() -> None:
    op.create_table(
        "episodes",
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key", HEX, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("case_hash", "case_id", "status", "reason")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("turns", "tests", "minutes", "cost")),
        sa.Column("exchanges", sa.Integer, nullable=False),
        sa.Column("tail", sa.Text, nullable=False),
        sa.Column("started", sa.Double),
        sa.Column("ended", sa.Double),
        sqlite_with_rowid=False,
    )
    op.create_index("episodes_key", "episodes", ["key"])


def downgrade() -> None:
    """Not supported: this is the first schema."""
    raise NotImplementedError("a store is never downgraded to an older schema")
