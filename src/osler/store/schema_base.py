"""Column types and columns of the database tables, with texts stored without loss on both databases.

Texts that databases reject are stored without loss: PostgreSQL rejects NUL, and neither database accepts lone
surrogates. Such a text is stored as ASCII with escapes behind a marker, and restored exactly when read; so is
one that begins with the marker itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

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
HEX = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def run_column() -> sa.Column[int]:
    """The column `run`, first of a key."""
    return sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), primary_key=True, autoincrement=False)


def numbers(*names: str) -> list[sa.Column[float]]:
    """Columns of numbers that are never missing."""
    return [sa.Column(name, sa.Double, nullable=False) for name in names]
