"""The database tables, one schema for SQLite and PostgreSQL.

A run has episodes, numbered by ordinal; an episode has exchanges, numbered by n, and judgements; an exchange
has inner exchanges if a composite player asked another player inside it. A question that waits for a model or
a person stands in `asked` until it is answered. Calls to models are kept beside the
exchanges and judgements they were made for. The content of an episode is kept
apart from its timing: only `started`, `ended`, `judged` and `created_at` (seconds since 1970, UTC) are
wall-clock times, and no export contains them. While a run is played, each process that plays it is registered
as a worker (`workers`) and leases blocks of its episodes (`leases`). What workers may ask of endpoints and
spend together is in `rate_limits` and `budgets`.

The tables of people are defined in `osler.store.schema_people`, and how texts are stored in
`osler.store.schema_base`.

The memory tables are in the same database and are defined in `osler.memory.sql_memory`. They belong to no
run: what was learned from a run stays when the run is deleted. `osler.store.creation` makes all of them.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from osler.store.schema_base import HEX, Words, numbers, run_column
from osler.store.schema_base import metadata as metadata
from osler.store.schema_base import original as original
from osler.store.schema_base import storable as storable
from osler.store.schema_people import deletions as deletions
from osler.store.schema_people import house_secrets as house_secrets
from osler.store.schema_people import passes as passes
from osler.store.schema_people import permissions as permissions
from osler.store.schema_people import practice as practice
from osler.store.schema_people import room_begun as room_begun
from osler.store.schema_people import room_members as room_members
from osler.store.schema_people import room_seats as room_seats
from osler.store.schema_people import rooms as rooms

FIRST: Final = "0100"
"""The schema of the first release. Lower numbers are those of stores that were made before it."""
HEAD: Final = "0100"
"""The newest migration. It is named here so that an up-to-date store opens without importing alembic, which
takes a third of a second."""
VERSION_TABLE: Final = "alembic_version"

cases = sa.Table(
    "cases",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("body", sa.LargeBinary, nullable=False),  # zlib of the case's JSON
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("created_at", sa.Double, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("planned", sa.Integer, nullable=False),
    sa.Column("manifest", sa.Text, nullable=False),
    sqlite_autoincrement=True,  # ids of deleted runs are not reused
)

# The runs that need each case: written with the case, long before its first episode ends.
run_cases = sa.Table(
    "run_cases",
    metadata,
    sa.Column("hash", sa.Text, sa.ForeignKey("cases.hash"), primary_key=True),
    run_column(),
    sqlite_with_rowid=False,
)

# The cases of a run in the order of their source, where the run may be played on machines without its files.
listed_cases = sa.Table(
    "listed_cases",
    metadata,
    run_column(),
    sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),  # in the source, from 0
    sa.Column("hash", sa.Text, sa.ForeignKey("cases.hash"), nullable=False),
    sqlite_with_rowid=False,
)

# The image files of cases, without metadata, as `osler.pictures.files` makes them.
pictures = sa.Table(
    "pictures",
    metadata,
    sa.Column("sha256", sa.Text, primary_key=True),
    sa.Column("media_type", sa.Text, nullable=False),
    sa.Column("width", sa.Integer, nullable=False),
    sa.Column("height", sa.Integer, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
)

# The image files that a run's cases show, written when it begins; `name` is what its source calls the file.
run_pictures = sa.Table(
    "run_pictures",
    metadata,
    run_column(),
    sa.Column("name", Words, primary_key=True),
    sa.Column("sha256", sa.Text, sa.ForeignKey("pictures.sha256"), nullable=False),
    sa.Index("run_pictures_sha256", "sha256"),
    sqlite_with_rowid=False,
)

LISTED: Final = (
    "run",
    "status",
    "ordinal",
    "case_id",
    "minutes",
    "turns",
    "tests",
    "cost",
    "exchanges",
    "key",
)
"""The columns of the index for lists of episodes."""

episodes = sa.Table(
    "episodes",
    metadata,
    run_column(),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("key", HEX, nullable=False),
    sa.Column("case_hash", sa.Text, nullable=False),
    sa.Column("case_id", Words, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("reason", Words, nullable=False),
    sa.Column("turns", sa.BigInteger, nullable=False),
    sa.Column("tests", sa.BigInteger, nullable=False),
    sa.Column("minutes", sa.BigInteger, nullable=False),
    sa.Column("cost", sa.BigInteger, nullable=False),
    sa.Column("exchanges", sa.Integer, nullable=False),
    sa.Column("tail", Words, nullable=False),
    sa.Column("started", sa.Double),
    sa.Column("ended", sa.Double),
    sa.Column("counts", Words),  # a JSON object, if a protocol counts more than turns, tests and cost
    sa.Index("episodes_key", "key"),
    # Holds all that lists are sorted and filtered by, so that the wide rows need not be read for that.
    sa.Index("episodes_listed", *LISTED),
    sqlite_with_rowid=False,
)

# How many episodes of a run have ended: the sum of its rows. Triggers on `episodes` keep it, whoever
# writes or deletes; sessions write to different rows ("shards"), so that none waits for another.
episode_counts = sa.Table(
    "episode_counts",
    metadata,
    sa.Column(
        "run", sa.Integer, sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    ),
    sa.Column("shard", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("ended", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)

_BY_RUN: Final = "LIST (run)"  # how PostgreSQL is to partition a table

# Partitioned by run: see `osler.store.partitions`.
exchanges = sa.Table(
    "exchanges",
    metadata,
    run_column(),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.Text, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("events", Words, nullable=False),
    sa.Column("reply", Words, nullable=False),
    sa.Column("attempts", Words, nullable=False),
    postgresql_partition_by=_BY_RUN,
    sqlite_with_rowid=False,
)

# The questions that are open now: nothing of an ended episode.
asked = sa.Table(
    "asked",
    metadata,
    run_column(),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.Text, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("events", Words, nullable=False),
    sa.Column("since", sa.Double, nullable=False),  # seconds since 1970, UTC
    sqlite_with_rowid=False,
)

inner_exchanges = sa.Table(
    "inner_exchanges",
    metadata,
    run_column(),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("path", sa.Text, primary_key=True),
    sa.Column("seat", sa.Text, nullable=False),
    sa.Column("player", Words, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("events", Words, nullable=False),
    sa.Column("reply", Words, nullable=False),
    sa.Column("attempts", Words, nullable=False),
    postgresql_partition_by=_BY_RUN,
    sqlite_with_rowid=False,
)

# With a row number: SQLite gives every row of more than 4 kB a page of its own where there is none.
judgements = sa.Table(
    "judgements",
    metadata,
    sa.Column("run", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("grader", Words, primary_key=True),
    sa.Column("version", Words, primary_key=True),
    sa.Column("body", Words, nullable=False),
    sa.Column("judged", sa.Double),  # seconds since 1970, UTC
    sa.ForeignKeyConstraint(["run", "ordinal"], ["episodes.run", "episodes.ordinal"]),
    postgresql_partition_by=_BY_RUN,
)

# The numbers among the scores of each grader's latest judgement, copied from its body to sort and filter by.
scores = sa.Table(
    "scores",
    metadata,
    sa.Column("run", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("grader", Words, primary_key=True),
    sa.Column("name", Words, primary_key=True),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("value", sa.Double, nullable=False),
    sqlite_with_rowid=False,
)

# The calls of an exchange, or of the inner one at `path`, in order. They tell how an answer was got, with
# timings, and are no part of the episode: its export does not hold them.
calls = sa.Table(
    "calls",
    metadata,
    run_column(),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("path", sa.Text, primary_key=True),  # empty for the exchange itself
    sa.Column("call", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("body", sa.Text, nullable=False),  # a JSON object in ASCII
    sqlite_with_rowid=False,
)

# The same for a judgement.
judge_calls = sa.Table(
    "judge_calls",
    metadata,
    sa.Column("run", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("grader", Words, primary_key=True),
    sa.Column("version", Words, primary_key=True),
    sa.Column("call", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(["run", "ordinal"], ["episodes.run", "episodes.ordinal"]),
)

# The words of the lines of ended episodes that were searched since, in order and between spaces; the row at
# (0, 0) says that an episode was read. See `osler.store.search_index`; on SQLite triggers keep the FTS5 table
# `search_words` beside it.
search_lines = sa.Table(
    "search_lines",
    metadata,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.Column("n", sa.Integer, nullable=False),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("seat", sa.Text, nullable=False),
    sa.Column("words", sa.Text, nullable=False),
    sa.Index("search_lines_place", "run", "ordinal", "n", "place", unique=True),
)

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),  # the fencing token
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), nullable=False),
    sa.Column("host", Words, nullable=False),
    sa.Column("machine", Words, nullable=False),
    sa.Column("pid", sa.BigInteger, nullable=False),
    sa.Column("started", sa.Text, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),  # seconds since 1970, UTC
    sa.Column("since", sa.Double),  # the same: when it took its place
    sa.Index("sittings_run", "run"),
    sqlite_autoincrement=True,  # tokens are not reused
)

# The ordinals from first to last are played by the `worker`; leases of a run do not overlap.
leases = sa.Table(
    "leases",
    metadata,
    run_column(),
    sa.Column("first", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("last", sa.Integer, nullable=False),
    sa.Column("worker", sa.Integer, sa.ForeignKey("workers.id", ondelete="CASCADE"), nullable=False),
    sa.Index("leases_worker", "worker"),
    sqlite_with_rowid=False,
)

# What the workers of a run spend together. `held` is what one has reserved since it took its place, `spent`
# what it has spent of that. The row of sitting 0 holds what had been recorded before the first of them began.
budgets = sa.Table(
    "budgets",
    metadata,
    run_column(),
    sa.Column("worker", sa.Integer, primary_key=True, autoincrement=False),
    *numbers("tokens_held", "tokens_spent", "money_held", "money_spent"),
    sqlite_with_rowid=False,
)

# The rates of endpoints, shared by all that use the store: `osler.models.rates.State`, since 1970, UTC.
rate_limits = sa.Table(
    "rate_limits",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),  # `Endpoint.account`
    *numbers("requests_until", "tokens_until", "factor", "since"),
    sa.Column("epoch", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)

PARTITIONED: Final = (inner_exchanges, exchanges, judgements)
"""The tables that have partitions on PostgreSQL: one by default, and those of `osler.store.partitions`."""
