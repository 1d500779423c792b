"""The tables of people: the seats they take, what they permit and have deleted, rooms, and who was let in."""

from __future__ import annotations

import sqlalchemy as sa

from osler.store.schema_base import Words, metadata, run_column

# The seats that people have taken in the browser; see `osler.store.practice`.
practice = sa.Table(
    "practice",
    metadata,
    run_column(),
    sa.Column("seat", sa.Text, primary_key=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("code", sa.Text, nullable=False, unique=True),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("room", sa.Text, nullable=False),
    sa.Column("protocol", sa.Text, nullable=False),
    sa.Column("title", Words, nullable=False),
    sa.Column("distressing", sa.Integer, nullable=False),
    sa.Column("stopped", Words, nullable=False),
    sa.Column("more", Words, nullable=False),  # a JSON object: clock, readings, pseudonym
    sa.Index("practice_owner", "owner"),
    sa.Index("practice_room", "room"),
    sqlite_with_rowid=False,
)

# Random keys of this store's server, by what they are for.
house_secrets = sa.Table(
    "house_secrets",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

# Who was let into a shared server, and the links that let in: digests of the secrets, never these. A link has
# neither source nor visitor; a visitor has a row for each source of rights.
passes = sa.Table(
    "passes",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("source", sa.Text, primary_key=True),  # link:DIGEST or room:ID
    sa.Column("visitor", sa.Text, nullable=False),  # stays the same while the secret changes
    sa.Column("rights", sa.Text, nullable=False),  # separated by spaces; none once the link is revoked
    sa.Column("until", sa.Double, nullable=False),  # seconds since 1970, UTC
    sa.Column("since", sa.Double),  # the same
    sa.Index("passes_visitor", "visitor"),
    sqlite_with_rowid=False,
)

# What the person in a seat of an episode permits; without a row, practice alone.
permissions = sa.Table(
    "permissions",
    metadata,
    run_column(),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seat", Words, primary_key=True),
    sa.Column("uses", sa.Text, nullable=False),  # separated by spaces
    sa.Column("pseudonym", Words, nullable=False),
    sa.Column("consent", sa.Text, nullable=False),  # the version of the text that was agreed to
    sa.Column("given", sa.Double, nullable=False),
    sa.Column("expires", sa.Double),
    sqlite_with_rowid=False,
)

# Tombstones: the episodes whose words were deleted at a person's wish, and when.
deletions = sa.Table(
    "deletions",
    metadata,
    run_column(),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("deleted", sa.Double, nullable=False),
    sqlite_with_rowid=False,
)

# A teacher's rooms, and who joined them. `owner` and `visitor` are ids of visitors.
rooms = sa.Table(
    "rooms",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("code", sa.Text, nullable=False, unique=True),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("expires", sa.Double),
    sa.Column("closed", sa.Double),
    sa.Column("plan", Words, nullable=False),  # a JSON object
    sa.Index("rooms_owner", "owner"),
    sqlite_with_rowid=False,
)

room_members = sa.Table(
    "room_members",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("room", sa.Text, sa.ForeignKey("rooms.id", ondelete="CASCADE"), nullable=False),
    sa.Column("visitor", sa.Text, nullable=False),
    sa.Column("joined", sa.Double, nullable=False),
    sa.Column("pseudonym", Words, nullable=False),
    sa.Column("uses", sa.Text, nullable=False),  # words with blanks between
    sa.Column("extra", sa.Integer, nullable=False),  # per cent more time
    sa.Column("deleted", sa.Integer, nullable=False, server_default="0"),  # encounters
    sa.UniqueConstraint("room", "visitor"),
    sqlite_with_rowid=False,
)

room_begun = sa.Table(
    "room_begun",
    metadata,
    sa.Column("member", sa.Text, sa.ForeignKey("room_members.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("case", sa.Text, primary_key=True),  # the room's own id of the case
    sa.Column("begun", sa.Integer, nullable=False),  # encounters, those deleted since too
    sa.Column("again", sa.Integer, nullable=False),  # how many of them the teacher has let begin again
    sqlite_with_rowid=False,
)

# The seats of a room's groups, each with the learner who chose it.
room_seats = sa.Table(
    "room_seats",
    metadata,
    sa.Column("room", sa.Text, sa.ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("group", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.Text, primary_key=True),
    sa.Column("member", sa.Text, sa.ForeignKey("room_members.id", ondelete="CASCADE"), nullable=False),
    sa.UniqueConstraint("room", "member"),
    sqlite_with_rowid=False,
)
