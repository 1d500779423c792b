"""The tables of memory, as a migration of the store makes them. They stand beside the store's own.

A card's row never changes: its id is the hash of its body. A snapshot is a list of card ids with the counts
that change; its hash is taken of that list. A memory's log says which snapshot it was at, step after step;
it only grows, and its last line is where the memory stands. A retrieval is what an episode was given.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

cards = sa.Table(
    "memory_cards",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),  # zlib of the card's JSON, counts left out
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
    sa.Column("cards", sa.Text, nullable=False),  # ids, best first, between spaces
)
