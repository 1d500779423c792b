"""Passes: who was let into a shared server, by what, and what for. Only digests of the secrets are kept.

A link is one row. A visitor has a row for each source of rights: the link or the room by which they came. The
visitor's id stays the same while the secret in the browser's cookie changes.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import sqlalchemy as sa

from osler.store.schema import passes, practice, rooms
from osler.store.store import Store

_LINK: Final = "link:"
_ROOM: Final = "room:"


class Pass(NamedTuple):
    """One source of one visitor's rights, or a link, whose `visitor` and `source` are empty. Times are
    seconds since 1970."""

    digest: str
    source: str
    visitor: str
    rights: frozenset[str]
    until: float
    since: float

    @property
    def link(self) -> str:
        """The digest of the link by which the rights came; empty if they came otherwise."""
        return self.source.removeprefix(_LINK) if self.source.startswith(_LINK) else ""

    @property
    def room(self) -> str:
        """The id of the room by which the rights came; empty if they came otherwise."""
        return self.source.removeprefix(_ROOM) if self.source.startswith(_ROOM) else ""


class Holder(NamedTuple):
    """A visitor's id with the union of the rights it holds now. `renewed` says that its secret was replaced,
    or is its first."""

    visitor: str
    rights: frozenset[str]
    renewed: bool = False


class Belongings(NamedTuple):
    """The numbers of sittings and rooms that belong to a visitor."""

    sittings: int = 0
    rooms: int = 0


def by_link(digest: str) -> str:
    """The source of rights that came by a link."""
    return _LINK + digest


def by_room(room: str) -> str:
    """The source of rights that came by a room's code."""
    return _ROOM + room


class Passes:
    """The passes in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add_link(self, digest: str, rights: Collection[str], until: float) -> None:
        """Keep a link; what has expired is removed."""
        with self._alone() as connection:
            _remove_expired(connection)
            row = Pass(digest, "", "", frozenset(rights), until, _now())
            connection.execute(sa.insert(passes).values(_row(row)))

    def link(self, digest: str) -> Pass | None:
        """The link with this digest, or `None` if there is none, or it has expired or was revoked."""
        result = self._valid(sa.and_(passes.c.digest == digest, passes.c.source == ""))
        return result[0] if result else None

    def of_secret(self, digest: str) -> Holder | None:
        """The visitor whose secret has this digest."""
        return _holder(self._valid(passes.c.digest == digest))

    def visitor_of(self, digest: str) -> str | None:
        """The id of the visitor whose secret has this digest, though its rights may have expired."""
        query = sa.select(passes.c.visitor).where(passes.c.digest == digest)
        with self._store.connected() as connection:
            result: str | None = connection.execute(query).scalar()
        return result

    def of_visitor(self, visitor: str) -> Holder | None:
        """The visitor with this id."""
        return _holder(self._valid(passes.c.visitor == visitor))

    def valid(self) -> list[Pass]:
        """Every link and every visitor's sources of rights that have not expired, the oldest first."""
        passes = self._valid(sa.true())
        return sorted(passes, key=lambda one: (one.since, one.digest, one.source))

    def grant(
        self, visitor: str, rights: Collection[str], until: float, *, source: str, digest: str
    ) -> Holder | None:
        """Give a visitor rights by a source; one that is not known becomes a new visitor. If its rights grow,
        `digest` is that of its secret from now on, and the earlier secret is void. `None` if the rights come
        by a link that was revoked."""
        with self._alone() as connection:
            _remove_expired(connection)
            if source.startswith(_LINK) and not _of(connection, passes.c.digest == source[len(_LINK) :]):
                return None
            held = _of(connection, passes.c.visitor == visitor) if visitor else []
            name = visitor if held else secrets.token_hex(20)
            before = _holder(held)
            grown = before is None or not before.rights.issuperset(rights)
            same = next((one for one in held if one.source == source), None)
            own = held[0].digest if held else digest
            joint = _union([same] if same else []).union(rights)
            row = Pass(own, source, name, joint, until, same.since if same else _now())
            if same:
                connection.execute(_delete(same))
            connection.execute(sa.insert(passes).values(_row(row)))
            if grown and held:
                renewed = sa.update(passes).where(passes.c.visitor == name).values(digest=digest)
                connection.execute(renewed)
            rest = [one for one in held if one is not same]
            return Holder(name, _union([*rest, row]), grown)

    def revoke_link(self, digest: str) -> None:
        """Remove a link, and the rights that came by it; who came in by it stays the same visitor."""
        with self._alone() as connection:
            connection.execute(sa.delete(passes).where(passes.c.digest == digest, passes.c.source == ""))
            came = passes.c.source == by_link(digest)
            connection.execute(sa.update(passes).where(came).values(rights=""))

    def end(self, visitor: str) -> None:
        """Remove a visitor with its rights and its secret, as when it signs out. What belongs to it stays."""
        with self._alone() as connection:
            connection.execute(sa.delete(passes).where(passes.c.visitor == visitor))

    def revoke_visitor(self, visitor: str) -> None:
        """Remove a visitor, and close the rooms that belong to it, which nobody is left to hold."""
        own = sa.and_(rooms.c.owner == visitor, rooms.c.closed.is_(None))
        with self._alone() as connection:
            connection.execute(sa.delete(passes).where(passes.c.visitor == visitor))
            connection.execute(sa.update(rooms).where(own).values(closed=_now()))

    def belongings(self) -> dict[str, Belongings]:
        """The belongings of each visitor who has any, by the visitor's id."""
        with self._store.connected() as connection:
            sittings, opened = (
                dict[str, int](
                    (row.owner, row.number)
                    for row in connection.execute(
                        sa.select(table.c.owner, sa.func.count().label("number")).group_by(table.c.owner)
                    )
                )
                for table in (practice, rooms)
            )
        return {
            owner: Belongings(sittings.get(owner, 0), opened.get(owner, 0)) for owner in {*sittings, *opened}
        }

    def _valid(self, where: sa.ColumnElement[bool]) -> list[Pass]:
        with self._store.connected() as connection:
            return _of(connection, sa.and_(where, passes.c.until > _now()))

    @contextmanager
    def _alone(self) -> Iterator[sa.Connection]:
        """A transaction beside which nobody else writes passes, as with SQLite always: two requests of one
        browser come one after the other, and nobody comes in by a link while it is revoked."""
        with self._store.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text("LOCK TABLE passes IN SHARE ROW EXCLUSIVE MODE"))
            yield connection


def _of(connection: sa.Connection, where: sa.ColumnElement[bool]) -> list[Pass]:
    return [_pass(row) for row in connection.execute(sa.select(passes).where(where))]


def _remove_expired(connection: sa.Connection) -> None:
    connection.execute(sa.delete(passes).where(passes.c.until <= _now()))


def _delete(one: Pass) -> sa.Delete:
    return sa.delete(passes).where(passes.c.digest == one.digest, passes.c.source == one.source)


def _holder(held: Collection[Pass]) -> Holder | None:
    return Holder(next(iter(held)).visitor, _union(held)) if held else None


def _union(held: Iterable[Pass]) -> frozenset[str]:
    return frozenset[str]().union(*(one.rights for one in held))


def _row(one: Pass) -> dict[str, str | float]:
    return {**one._asdict(), "rights": " ".join(sorted(one.rights))}


def _pass(row: sa.Row[tuple[object, ...]]) -> Pass:
    values = row._asdict()
    return Pass(**{**values, "rights": frozenset(values["rights"].split())})


def _now() -> float:
    return time.time()
