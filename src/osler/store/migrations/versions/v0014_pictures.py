"""Image files of cases, by their hash, and which run shows which under the name its source gives."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables; no earlier run has image files."""
    op.create_table(
        "pictures",
        sa.Column("sha256", sa.Text, primary_key=True),
        sa.Column("media_type", sa.Text, nullable=False),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "run_pictures",
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("sha256", sa.Text, sa.ForeignKey("pictures.sha256"), nullable=False),
        sa.Index("run_pictures_sha256", "sha256"),
        sqlite_with_rowid=False,
    )
