"""Seats that people have taken: which run a sitting is, whose it is, and what stands beside its record.

The record itself is the run's. Here stand the things that no seat is told and no judge reads: the owner's
secret (hashed), the room, the code to go on with on another device, a clock in wall time, and the learner's
own readings of pictures.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from osler.errors import BadInput
from osler.store.schema import house_secrets, practice, room_members
from osler.store.store import Store

_LETTERS: Final = "23456789abcdefghjkmnpqrstuvwxyz"  # none that is easily taken for another
DELETED: Final = "deleted"
"""The entry of `more` of a sitting whose words were deleted: all else that stood there is gone with them."""
EARLIER: Final = "earlier_runs"
"""The entry of `more` with the ids of the runs that a sitting has left."""
CODE: Final = 10
"""The length of a code, about 50 bits: it is read aloud or typed, and guesses are limited by the server."""


class PersonSitting(NamedTuple):
    """One sitting of a person: a seat of a run, in which several people may sit. `id` is secret to its owner;
    `ordinal` is the episode of the run. `stopped` is why a teacher stopped it, empty if none did."""

    id: str
    code: str
    run: int
    ordinal: int
    owner: str
    room: str
    protocol: str
    seat: str
    title: str
    distressing: bool
    stopped: str
    more: Mapping[str, Any]


def new_id() -> str:
    """A fresh secret id: 144 random bits."""
    return secrets.token_urlsafe(18)


def new_code() -> str:
    """A fresh code to go on with on another device."""
    return "".join(secrets.choice(_LETTERS) for _ in range(CODE))


def put(store: Store, *sittings: PersonSitting) -> None:
    """Record the sittings of an encounter, all or none."""
    with store.writing() as connection:
        rows = [one._asdict() | {"more": json.dumps(dict(one.more))} for one in sittings]
        connection.execute(sa.insert(practice), rows)


def sitting(store: Store, id: str) -> PersonSitting | None:
    """The sitting with this id, or `None`."""
    return _one(store, practice.c.id == id)


def sitting_by_code(store: Store, code: str) -> PersonSitting | None:
    """The sitting with this code, or `None`."""
    return _one(store, practice.c.code == code.strip().lower())


def sittings_of_run(store: Store, run_id: int) -> list[PersonSitting]:
    """The sittings of a run, by seat; none if no person of this server plays it."""
    return sorted(_all(store, practice.c.run == run_id), key=lambda one: one.seat)


def sittings_of(store: Store, owner: str) -> list[PersonSitting]:
    """The sittings of one owner, newest first."""
    return _all(store, practice.c.owner == owner)


def sittings_in(store: Store, room: str) -> list[PersonSitting]:
    """The sittings of one room, newest first."""
    return _all(store, practice.c.room == room)


def change(store: Store, id: str, **fields: Any) -> PersonSitting:
    """Change fields of a sitting. Those of `more` are joined with what stands there. Raises BadInput."""
    return change_all(store, {id: fields})[0]


def change_all(store: Store, changes: Mapping[str, Mapping[str, Any]]) -> list[PersonSitting]:
    """Change fields of several sittings, by id, all or none; as `change`."""
    changed = []
    with store.writing() as connection:
        for id, fields in changes.items():
            row = connection.execute(sa.select(practice).where(practice.c.id == id).with_for_update()).first()
            if row is None:
                raise BadInput("there is no such sitting", where=id[:6])
            result = _taken(row)
            joined = {**fields, "more": {**result.more, **fields.get("more", {})}}
            result = result._replace(**joined)
            written = {**joined, "more": json.dumps(joined["more"])}
            connection.execute(sa.update(practice).where(practice.c.id == id).values(**written))
            changed.append(result)
    return changed


def scrub(connection: Connection, run: int, ordinal: int) -> int:
    """Leave of the sittings of an episode only that they were deleted: nobody's, in no room, without a code.
    A room counts how many its learners deleted. Returns how many there were."""
    query = sa.select(practice.c.id, practice.c.room, practice.c.owner).where(
        practice.c.run == run, practice.c.ordinal == ordinal, practice.c.code.not_like(f"{DELETED}:%")
    )
    rows = connection.execute(query).all()
    for id, room, owner in rows:
        who = sa.and_(room_members.c.room == room, room_members.c.visitor == owner)
        connection.execute(sa.update(room_members).where(who).values(deleted=room_members.c.deleted + 1))
        bare = {"owner": "", "room": "", "stopped": "", "more": json.dumps({DELETED: True})}
        code = f"{DELETED}:{secrets.token_hex(8)}"
        connection.execute(sa.update(practice).where(practice.c.id == id).values(**bare, code=code))
    return len(rows)


def secret(store: Store, name: str) -> bytes:
    """A secret of this store that never leaves the server: made at the first call."""
    with store.writing() as connection:
        result = connection.execute(
            sa.select(house_secrets.c.value).where(house_secrets.c.name == name)
        ).scalar()
        if result is None:
            result = secrets.token_hex(32)
            connection.execute(sa.insert(house_secrets).values(name=name, value=result))
    return bytes.fromhex(str(result))


def _one(store: Store, where: sa.ColumnElement[bool]) -> PersonSitting | None:
    return next(iter(_all(store, where)), None)


def _all(store: Store, where: sa.ColumnElement[bool]) -> list[PersonSitting]:
    query = sa.select(practice).where(where).order_by(practice.c.run.desc())
    with store.connected() as connection:
        return [_taken(row) for row in connection.execute(query)]


def _taken(row: sa.Row[Any]) -> PersonSitting:
    values = dict(row._mapping)
    return PersonSitting(
        **{**values, "distressing": bool(values["distressing"]), "more": json.loads(values["more"])}
    )
