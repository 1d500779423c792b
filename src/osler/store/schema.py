"""The database tables after the newest migration, one schema for SQLite and PostgreSQL.

A run has episodes, numbered by ordinal; an episode has exchanges, numbered by n, and judgements; an exchange
has inner exchanges if a composite player asked another player inside it. A question that waits for a model or
a person stands in `asked` until it is answered. Calls to models are kept beside the
exchanges and judgements they were made for. The content of an episode is kept
apart from its timing: only `started`, `ended`, `judged` and `created_at` (seconds since 1970, UTC) are
wall-clock times, and no export contains them. While a run is played, each process that plays it is registered
as a worker (`sittings`) and leases blocks of its episodes (`leases`). What workers may ask of endpoints and
spend together is in `rate_limits` and `budgets`.

Texts that databases reject are stored without loss: PostgreSQL rejects NUL, and neither database accepts lone
surrogates. Such a text is stored as ASCII with escapes behind a marker, and restored exactly when read; so is
one that begins with the marker itself.

The memory tables are in the same database and are defined in `osler.memory.sql_memory`. They belong to no
run: what was learned from a run stays when the run is deleted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

# Defined here so that an up-to-date store opens without importing alembic (a third of a second).
HEAD: Final = "0019"
VERSION_TABLE: Final = "alembic_version"
_MARK: Final = "\ue000"  # a private-use character: used by no language


def storable(text: str) -> str:
    """Encode text so that both databases can store it; nearly always the text itself."""
    if "\0" not in text and (text.isascii() or (text[0] != _MARK and _encodes(text))):
        return text
    return _MARK + text.encode("unicode_escape").decode("ascii")


def original(text: str) -> str:
    """Decode text: the inverse of `storable`."""
    if text.isascii() or text[0] != _MARK:
        return text
    return text[1:].encode("ascii").decode("unicode_escape")


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _restored(text: str | None) -> str | None:
    return text if text is None or text.isascii() else original(text)


class Words(TypeDecorator[str]):
    """A text column that accepts any Python string."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else original(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[str | None], str | None]:
        """The reader of values: `process_result_value`, in one call in place of three."""
        return _restored


metadata = sa.MetaData()

# Ordered by code point on both databases, so that a prefix is a range of the index.
_HEX = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def _run() -> sa.Column[int]:
    return sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False)


def _numbers(*names: str) -> list[sa.Column[float]]:
    return [sa.Column(name, sa.Double, nullable=False) for name in names]


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
    _run(),
    sqlite_with_rowid=False,
)

# The cases of a run in the order of their source, where the run may be played on machines without its files.
listed_cases = sa.Table(
    "listed_cases",
    metadata,
    _run(),
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
    _run(),
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
    _run(),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("key", _HEX, nullable=False),
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

exchanges = sa.Table(
    "exchanges",
    metadata,
    _run(),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.Text, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("events", Words, nullable=False),
    sa.Column("reply", Words, nullable=False),
    sa.Column("attempts", Words, nullable=False),
    sqlite_with_rowid=False,
)

# The questions that are open now: nothing of an ended episode.
asked = sa.Table(
    "asked",
    metadata,
    _run(),
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
    _run(),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("path", sa.Text, primary_key=True),
    sa.Column("seat", sa.Text, nullable=False),
    sa.Column("player", Words, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("events", Words, nullable=False),
    sa.Column("reply", Words, nullable=False),
    sa.Column("attempts", Words, nullable=False),
    sqlite_with_rowid=False,
)

judgements = sa.Table(
    "judgements",
    metadata,
    sa.Column("run", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("grader", Words, primary_key=True),
    sa.Column("version", Words, primary_key=True),
    sa.Column("body", Words, nullable=False),
    sa.Column("judged", sa.Double),  # unknown if judged by an older Osler
    sa.ForeignKeyConstraint(["run", "ordinal"], ["episodes.run", "episodes.ordinal"]),
    sqlite_with_rowid=False,
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
    _run(),
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
    sqlite_with_rowid=False,
)

# The seats that people have taken in the browser; see `osler.store.practice`.
practice = sa.Table(
    "practice",
    metadata,
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False),
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

sittings = sa.Table(
    "sittings",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),  # the fencing token
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), nullable=False),
    sa.Column("host", Words, nullable=False),
    sa.Column("machine", Words, nullable=False),
    sa.Column("pid", sa.BigInteger, nullable=False),
    sa.Column("started", sa.Text, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),  # seconds since 1970, UTC
    sa.Column("since", sa.Double),  # the same; NULL where an earlier version has taken the place
    sa.Index("sittings_run", "run"),
    sqlite_autoincrement=True,  # tokens are not reused
)

# The ordinals from first to last are played by the worker `sitting`; leases of a run do not overlap.
leases = sa.Table(
    "leases",
    metadata,
    _run(),
    sa.Column("first", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("last", sa.Integer, nullable=False),
    sa.Column("sitting", sa.Integer, sa.ForeignKey("sittings.id", ondelete="CASCADE"), nullable=False),
    sa.Index("leases_sitting", "sitting"),
    sqlite_with_rowid=False,
)

# What the workers of a run spend together. `held` is what one has reserved since it took its place, `spent`
# what it has spent of that. The row of sitting 0 holds what had been recorded before the first of them began.
budgets = sa.Table(
    "budgets",
    metadata,
    _run(),
    sa.Column("sitting", sa.Integer, primary_key=True, autoincrement=False),
    *_numbers("tokens_held", "tokens_spent", "money_held", "money_spent"),
    sqlite_with_rowid=False,
)

# The rates of endpoints, shared by all that use the store: `osler.models.rates.State`, since 1970, UTC.
rate_limits = sa.Table(
    "rate_limits",
    metadata,
    sa.Column("account", sa.Text, primary_key=True),  # `Endpoint.account`
    *_numbers("requests_until", "tokens_until", "factor", "since"),
    sa.Column("epoch", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)

# Who was let into a shared server by a link, or has such a link: digests of the secrets, never these.
passes = sa.Table(
    "passes",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("rights", sa.Text, nullable=False),  # separated by spaces
    sa.Column("until", sa.Double, nullable=False),  # seconds since 1970, UTC
    sqlite_with_rowid=False,
)

# What the person in a seat of an episode permits; without a row, practice alone.
permissions = sa.Table(
    "permissions",
    metadata,
    _run(),
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
    _run(),
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
