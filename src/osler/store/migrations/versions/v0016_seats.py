"""Several people in one encounter: a sitting is a seat of a run, and a room's groups have seats to choose."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the seat part of a sitting's key, and create the table of seats."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("practice_pkey", "practice")
        op.create_primary_key("practice_pkey", "practice", ["run", "seat"])
    else:  # SQLite cannot change a key in place.
        op.drop_index("practice_owner", "practice")
        op.drop_index("practice_room", "practice")
        op.rename_table("practice", "practice_0015")
        op.create_table(
            "practice",
            sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
            sa.Column("seat", sa.Text, primary_key=True),
            sa.Column("id", sa.Text, nullable=False, unique=True),
            sa.Column("code", sa.Text, nullable=False, unique=True),
            sa.Column("ordinal", sa.Integer, nullable=False),
            sa.Column("owner", sa.Text, nullable=False),
            sa.Column("room", sa.Text, nullable=False),
            sa.Column("protocol", sa.Text, nullable=False),
            sa.Column("title", sa.Text, nullable=False),
            sa.Column("distressing", sa.Integer, nullable=False),
            sa.Column("stopped", sa.Text, nullable=False),
            sa.Column("more", sa.Text, nullable=False),
            sqlite_with_rowid=False,
        )
        op.execute(
            "INSERT INTO practice SELECT run, seat, id, code, ordinal, owner, room, protocol, title,"
            " distressing, stopped, more FROM practice_0015"
        )
        op.drop_table("practice_0015")
        op.create_index("practice_owner", "practice", ["owner"])
        op.create_index("practice_room", "practice", ["room"])
    op.create_table(
        "room_seats",
        sa.Column("room", sa.Text, sa.ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("group", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seat", sa.Text, primary_key=True),
        sa.Column("member", sa.Text, sa.ForeignKey("room_members.id", ondelete="CASCADE"), nullable=False),
        sa.UniqueConstraint("room", "member"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
