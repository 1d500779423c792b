"""Scores in a narrow table, and an index of episodes for lists: lists of 100,000 episodes stay quick."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from osler.store.schema import LISTED
from osler.store.schema_base import Words
from osler.store.scores import add, rows_of

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_PAGE = 1000
_JUDGEMENTS = sa.table(
    "judgements",
    *(sa.column(name, sa.Integer) for name in ("run", "ordinal")),
    *(sa.column(name, Words) for name in ("grader", "version", "body")),
    sa.column("judged", sa.Double),
)


def upgrade() -> None:
    """Create the table and the index, and copy the scores of all judgements, the latest of a grader last."""
    op.create_table(
        "scores",
        sa.Column("run", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("grader", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("ordinal", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("value", sa.Double, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("episodes_listed", "episodes", [*LISTED])
    _copy(op.get_bind())


def _copy(connection: sa.Connection) -> None:
    key = (_JUDGEMENTS.c.run, _JUDGEMENTS.c.ordinal)
    after: tuple[int, int] | None = (-1, -1)
    while after is not None:
        fresh = sa.select(*key).distinct().where(sa.tuple_(*key) > after).order_by(*key).limit(_PAGE)
        page = [tuple(row) for row in connection.execute(fresh)]
        if page:
            judged = sa.select(_JUDGEMENTS).where(sa.tuple_(*key) > after, sa.tuple_(*key) <= page[-1])
            rows = sorted(connection.execute(judged), key=lambda row: (row.judged or 0.0, row.version))
            latest = {(row.run, row.ordinal, row.grader): row.body for row in rows}
            add(connection, (one for where, body in latest.items() for one in rows_of(*where, body)))
        after = page[-1] if page else None


def downgrade() -> None:
    """Not supported."""
    raise NotImplementedError("a store is never downgraded to an older schema")
