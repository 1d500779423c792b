"""Lossless storage of text that databases reject.

PostgreSQL rejects NUL, and neither database accepts lone surrogates. Such text is stored as ASCII with
escapes behind a marker, and restored exactly when read. So is text that begins with the marker itself.
"""

from __future__ import annotations

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


class Words(TypeDecorator[str]):
    """A text column that accepts any Python string."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else original(value)
