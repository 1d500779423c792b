"""The database tables of memory, created by a migration of the store next to the store's own.

A card's row never changes: its id is the hash of its body. A snapshot is a list of card ids with their
mutable counts; its hash is over that list. A memory's log is append-only: it records the snapshot after each
step, and its last line is the memory's current state. A retrieval is the list of cards an episode was given.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

cards = sa.Table(
    "memory_cards",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),  # zlib of the card's JSON without its counts
)

snapshots = sa.Table(
    "memory_snapshots",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("cards", sa.Integer, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),  # zlib of `collection.state_lines`
)

log = sa.Table(
    "memory_log",
    metadata,
    sa.Column("memory", sa.Text, primary_key=True),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("snapshot", sa.Text, sa.ForeignKey("memory_snapshots.hash"), nullable=False),
    sa.Column("capacity", sa.Integer),
    sa.Column("why", sa.Text, nullable=False),
)

retrievals = sa.Table(
    "memory_retrievals",
    metadata,
    sa.Column("run", sa.Text, primary_key=True),
    sa.Column("episode", sa.Text, primary_key=True),
    sa.Column("snapshot", sa.Text, sa.ForeignKey("memory_snapshots.hash"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("cards", sa.Text, nullable=False),  # ids, best first, separated by spaces
)
