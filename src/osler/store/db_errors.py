"""Plain-language explanations of database errors, each with a hint."""

from __future__ import annotations

from typing import Final

from sqlalchemy.exc import DBAPIError

_SETTING: Final = "OSLER_STORE"
_REFUSED: Final = "FATAL:"  # the prefix of PostgreSQL's reason for rejecting a client
_KNOWN: Final = (
    ("is locked", "another program is writing to it", "try again when that has finished"),
    ("not a database", "this is not an Osler store", f"name another file in {_SETTING}"),
    ("unable to open", "the file cannot be opened", "check that its folder exists and is writable"),
    ("readonly", "the store is read-only", "check the permissions of the file and its folder"),
    ("malformed", "the file is damaged", f"restore a copy, or name another file in {_SETTING}"),
    ("is full", "the disk is full", "free some space; recorded data is safe"),
    ("no space left", "the server's disk is full", "free some space; recorded data is safe"),
    ("disk i/o error", "the disk cannot be read or written", "check the disk; recorded data is safe"),
    ("foreign key", "the run was deleted in the meantime", "start another run"),
    ("connection", "the database server does not answer", f"check that it is running, and {_SETTING}"),
)


def explain(error: BaseException) -> tuple[str, str]:
    """(problem, hint) for a SQLAlchemy exception; reveals no statement and no values."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    text = str(cause).strip() or type(cause).__name__
    if _REFUSED in text:
        reason = text.split(_REFUSED, 1)[1].strip().splitlines()[0]
        return f"the database server refuses: {reason}", f"check {_SETTING}"
    for sign, what, mend in _KNOWN:
        if sign in text.lower():
            return what, mend
    return f"the database says: {text.splitlines()[0]}", ""
