"""What a database's complaint means and how to mend it, in words a reader can use."""

from __future__ import annotations

from typing import Final

from sqlalchemy.exc import DBAPIError

_SETTING: Final = "OSLER_STORE"
_REFUSED: Final = "FATAL:"  # how PostgreSQL begins its reason for turning a client away
_KNOWN: Final = (
    ("is locked", "another program is writing to it", "try again when that has finished"),
    ("not a database", "this is not an Osler store", f"name another file in {_SETTING}"),
    ("unable to open", "the file cannot be opened", "check that its folder exists and may be written"),
    ("readonly", "the store may only be read", "check the permissions of the file and its folder"),
    ("malformed", "the file is damaged", f"restore a copy, or name another file in {_SETTING}"),
    ("is full", "the disk is full", "free some space; what was recorded is safe"),
    ("no space left", "the server's disk is full", "free some space; what was recorded is safe"),
    ("disk i/o error", "the disk cannot be read or written", "check the disk; what was recorded is safe"),
    ("foreign key", "the run was deleted meanwhile", "begin another run"),
    ("connection", "the database server does not answer", f"check that it runs, and {_SETTING}"),
)


def explain(error: BaseException) -> tuple[str, str]:
    """(what is wrong, how to mend it) of an exception of SQLAlchemy; no statement, no values."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    text = str(cause).strip() or type(cause).__name__
    if _REFUSED in text:
        reason = text.split(_REFUSED, 1)[1].strip().splitlines()[0]
        return f"the database server refuses: {reason}", f"check {_SETTING}"
    for sign, what, mend in _KNOWN:
        if sign in text.lower():
            return what, mend
    return f"the database says: {text.splitlines()[0]}", ""
