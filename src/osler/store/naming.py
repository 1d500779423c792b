"""Runs and episodes by what a person writes: a name, its beginning, `last`, or the beginning of a key."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from osler.errors import BadInput
from osler.store.schema import episodes

_KEY: Final = re.compile(r"[0-9a-f]{1,32}")


def run_named(name: str, names: Sequence[str]) -> str:
    """Resolve a name, prefix or `last` among `names`, newest first. Raises BadInput."""
    if not names:
        raise BadInput("the store has no runs yet")
    if name == "last":
        return names[0]
    matches = [name] if name in names else [one for one in names if name and one.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise BadInput(f"several runs begin with {name!r}", hint=f"one of {', '.join(matches[:5])}")
    near = difflib.get_close_matches(name[:100], names, n=3, cutoff=0.5) or names[:3]
    raise BadInput(f"there is no run {name!r}", hint=f"did you mean {', '.join(near)}?")


def episode_by_key(connection: sa.Connection, wanted: str, where: str) -> tuple[int, int]:
    """(run id, ordinal) of the newest episode with this key or prefix of one. Raises BadInput, also where
    the keys that begin so are several."""
    beginning = wanted.lower()
    if not _KEY.fullmatch(beginning):
        raise BadInput(
            f"{wanted!r} does not name an episode", hint="give RUN:NUMBER, or an episode's key or prefix"
        )
    # "g" sorts after every hex digit, so this is the range of keys with that beginning.
    matches = sa.and_(episodes.c.key >= beginning, episodes.c.key < beginning + "g")
    keys = sa.select(episodes.c.key).where(matches).distinct().order_by(episodes.c.key).limit(4)
    newest = sa.select(episodes.c.run, episodes.c.ordinal).where(matches)
    newest = newest.order_by(episodes.c.run.desc(), episodes.c.ordinal).limit(1)
    rows = connection.execute(keys).scalars().all()
    if len(rows) > 1:
        raise BadInput(f"several episodes begin with {beginning!r}", hint=f"give more of {', '.join(rows)}")
    row = connection.execute(newest).first()
    if row is None:
        raise BadInput(f"no episode's key begins with {beginning!r}", where=where)
    return row.run, row.ordinal
