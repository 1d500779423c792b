"""Permissions in a store: what the people of an episode permit to be done with their words.

A room, a screen or an export asks here before it reads: `refuse_unless` and `permitted` for one episode,
`osler.store.permitted_store.for_reader` for whole runs. Whose words an episode holds follows from its run's
manifest (`osler.core.permitted`), so a run without people costs no query beyond its own row. A branch also
holds the words of the people in the part it keeps, and asks what they permit where they said it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from osler.core.permitted import (
    MEANING,
    PRACTICE,
    USES,
    NotPermitted,
    Permission,
    Use,
    kept_people,
    people_in,
    together,
)
from osler.core.permitted import permission as checked
from osler.errors import BadInput
from osler.store.records import RunInfo
from osler.store.schema import deletions, episodes, permissions, runs
from osler.store.store import Store

BRANCH_OF = "branch_of"
_AT_ONCE: Final = 500
"""The number of runs that one statement looks up."""


class Place(NamedTuple):
    """A seat of an episode of the run with id `run`."""

    run: int
    ordinal: int
    seat: str


class People(NamedTuple):
    """The people whose words the episodes of a run hold: in `own` seats, and in the part that a branch keeps,
    at the places where they spoke. `unknown`: a kept part came from a run that is no longer there, so nobody
    can be asked any more."""

    own: tuple[str, ...] = ()
    kept: tuple[Place, ...] = ()
    unknown: bool = False

    def __bool__(self) -> bool:
        return bool(self.own or self.kept or self.unknown)


class _Run(NamedTuple):
    """The row of a run without its counts, which take longer the more episodes there are."""

    id: int
    name: str
    manifest: Mapping[str, Any]
    began: float


def people_of(store: Store, run: RunInfo) -> People:
    """The people whose words the episodes of a run hold."""
    return people_of_each(store, [run])[run.id]


def people_of_each(store: Store, several: Iterable[RunInfo]) -> dict[int, People]:
    """As `people_of`, of several runs by id: with a query for each generation of branches, none without."""
    each = [_Run(one.id, one.name, one.manifest, one.created_at.timestamp()) for one in several]
    parents = _Parents(store)
    parents.read(_origins(one.manifest for one in each))
    return {one.id: _people(one, parents) for one in each}


def _people(run: _Run, parents: _Parents) -> People:
    own = people_in(run.manifest)
    if not run.manifest.get(BRANCH_OF):
        return People(own, (), bool(kept_people(run.manifest)))
    places, unknown = _kept(run, parents)
    return People(own, tuple(dict.fromkeys(places)), unknown)


def _kept(run: _Run, parents: _Parents) -> tuple[list[Place], bool]:
    result, unknown = list[Place](), False
    at, origin = _kept_count(run.manifest), run.manifest.get(BRANCH_OF)
    while origin and at:
        parent = parents.of(origin, run.began)
        if parent is None:
            unknown = unknown or bool(kept_people(run.manifest))
            origin = origin.get("earlier")
            continue
        before = _kept_count(parent.manifest)
        if at > before:
            seats = people_in(parent.manifest)
            result += [Place(parent.id, int(origin["ordinal"]), seat) for seat in seats]
        at, origin, run = min(at, before), parent.manifest.get(BRANCH_OF), parent
    return result, unknown


def _kept_count(manifest: Mapping[str, Any]) -> int:
    """Return the number of exchanges that a branch keeps of its parent; 0 for any other run."""
    branch = (manifest.get("configuration") or {}).get("branch") or {}
    return int(branch.get("at", 0))


def parent_of(store: Store, branch: RunInfo) -> tuple[int, int] | None:
    """(run's id, ordinal) of the nearest episode that a branch begins with, of those still there; `None` if
    there is none, or the branch keeps nothing."""
    origin = branch.manifest.get(BRANCH_OF) if _kept_count(branch.manifest) else None
    parents = _Parents(store)
    while origin:
        if (parent := parents.of(origin, branch.created_at.timestamp())) is not None:
            return parent.id, int(origin["ordinal"])
        origin = origin.get("earlier")
    return None


class _Parents:
    """The runs that branches begin with, read generation by generation."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[int | str, _Run | None] = {}

    def of(self, origin: Mapping[str, Any], began: float) -> _Run | None:
        """The run that a branch begun then comes from, `None` if it is no longer there."""
        if _key(origin) not in self._known:
            self.read([_key(origin)])
        result = self._known[_key(origin)]
        # A run begun later under the same name is another one.
        return result if result is not None and result.began <= began else None

    def read(self, keys: Iterable[int | str]) -> None:
        """Look up runs by id or name, and those that they come from."""
        wanted = set(keys) - self._known.keys()
        while wanted:
            self._known |= dict.fromkeys(wanted)
            runs = list[_Run]()
            listed = sorted(wanted, key=str)
            with self._store.connected() as connection:
                for at in range(0, len(listed), _AT_ONCE):
                    runs += _runs(connection, listed[at : at + _AT_ONCE])
            for one in runs:
                self._known |= {key: one for key in (one.id, one.name) if key in wanted}
            wanted = set(_origins(one.manifest for one in runs)) - self._known.keys()


def _origins(manifests: Iterable[Mapping[str, Any]]) -> Iterator[int | str]:
    for manifest in manifests:
        origin = manifest.get(BRANCH_OF) if _kept_count(manifest) else None
        while origin:
            yield _key(origin)
            origin = origin.get("earlier")


def _key(origin: Mapping[str, Any]) -> int | str:
    return int(origin["id"]) if "id" in origin else str(origin.get("run"))


def _runs(connection: Connection, keys: Iterable[int | str]) -> list[_Run]:
    """The runs with these ids or names."""
    wanted = list(keys)
    query = sa.select(runs.c.id, runs.c.name, runs.c.manifest, runs.c.created_at).where(
        sa.or_(
            runs.c.id.in_([one for one in wanted if isinstance(one, int)]),
            runs.c.name.in_([one for one in wanted if isinstance(one, str)]),
        )
    )
    return [
        _Run(row.id, row.name, json.loads(row.manifest), row.created_at) for row in connection.execute(query)
    ]


def _there(store: Store, run_id: int) -> _Run:
    with store.connected() as connection:
        runs = _runs(connection, [run_id])
    if not runs:
        raise BadInput("the run no longer exists", where=store.label)
    return runs[0]


def permissions_of(store: Store, run_id: int, ordinal: int) -> dict[str, Permission]:
    """The permission of each person in a seat of the episode's own run, by seat; empty without people.

    An expired permission is returned as it was given: `Permission.at` says what is left of it.
    """
    return permissions_in(store, run_id, [ordinal]).get(ordinal, {})


def permissions_in(store: Store, run_id: int, ordinals: Iterable[int]) -> dict[int, dict[str, Permission]]:
    """As `permissions_of`, for several episodes of a run, by ordinal."""
    own, wanted = people_in(_there(store, run_id).manifest), list(ordinals)
    if not own:
        return {}
    with store.connected() as connection:
        rows = _rows(connection, run_id, wanted[0] if len(wanted) == 1 else None)
    return {at: {seat: rows.get((at, seat), Permission()) for seat in own} for at in wanted}


def permitted(store: Store, run_id: int, ordinal: int, *, now: float | None = None) -> frozenset[Use]:
    """The uses that every person whose words the episode holds permits now; all uses if it holds nobody's."""
    now = time.time() if now is None else now
    return together((one for _, one in _asked(store, run_id, ordinal)), now)


def refuse_unless(store: Store, run_id: int, use: Use, ordinal: int, *, now: float | None = None) -> None:
    """Raise NotPermitted, in words, if somebody whose words the episode holds does not permit the use now."""
    now = time.time() if now is None else now
    for place, one in refusing(store, run_id, use, ordinal, now=now):
        raise not_permitted(store, run_id, use, ordinal, place, one, now)


def refusing(
    store: Store, run_id: int, use: Use, ordinal: int, *, now: float | None = None
) -> list[tuple[Place | None, Permission]]:
    """The places of an episode whose people do not permit a use now, with what they permit; `None` stands for
    those of whom nobody can be asked any more."""
    now = time.time() if now is None else now
    return [(place, one) for place, one in _asked(store, run_id, ordinal) if not one.allows(use, now)]


def not_permitted(
    store: Store, run_id: int, use: Use, ordinal: int, place: Place | None, permission: Permission, now: float
) -> NotPermitted:
    """The refusal: which seat's words, which use is missing, and how it could be granted. It names nobody."""
    name = _there(store, run_id).name
    if place is None:
        return NotPermitted(
            f"it holds the words of a person whose own run is gone, so nobody can permit {use}",
            where=f"{name}:{ordinal}",
            hint="it can be played on, shown to whoever played it, and deleted",
        )
    spoken = _there(store, place.run).name
    now_only = ", ".join(one for one in USES if one in permission.at(now))
    until = " --until DATE" if use == "share" else ""
    return NotPermitted(
        f"the person who played {place.seat} permits {now_only}; this needs {use}: {MEANING[use]}",
        where=f"{name}:{ordinal}",
        hint=f"if they agree: osler permit {spoken}:{place.ordinal} --uses {use}{until}",
    )


def _asked(store: Store, run_id: int, ordinal: int) -> list[tuple[Place | None, Permission]]:
    people = _people(_there(store, run_id), _Parents(store))
    if not people:
        return []
    places = [*(Place(run_id, ordinal, seat) for seat in people.own), *people.kept]
    pairs: list[tuple[Place | None, Permission]] = []
    with store.connected() as connection:
        if ordinal in deleted_in(connection, run_id):
            return []
        for place in places:
            rows = _rows(connection, place.run, place.ordinal)
            pairs.append((place, rows.get((place.ordinal, place.seat), Permission())))
    return [*pairs, (None, Permission())] if people.unknown else pairs


class Withheld:
    """The ordinals of a run whose people do not permit a use: all but those `allowed`. Of these the `deleted`
    hold no words any more."""

    def __init__(self, allowed: frozenset[int], deleted: frozenset[int] = frozenset()) -> None:
        self.allowed, self.deleted = allowed, deleted

    def __contains__(self, ordinal: object) -> bool:
        return ordinal not in self.allowed


def withheld(store: Store, run_id: int, use: Use, *, now: float | None = None) -> Withheld | None:
    """The episodes of a run that may not be used so now; `None` if the run holds nobody's words.

    An episode whose words were deleted is not withheld: it holds none.
    """
    people = _people(_there(store, run_id), _Parents(store))
    if not people:
        return None
    now = time.time() if now is None else now
    with store.connected() as connection:
        gone = frozenset(deleted_in(connection, run_id))
        kept = [_rows(connection, one.run, one.ordinal).get(one[1:], Permission()) for one in people.kept]
        if people.unknown or not all(one.allows(use, now) for one in kept):
            return Withheld(gone, gone)
        if not people.own:
            return None
        held = permissions.c
        granted = sa.select(held.ordinal).where(
            held.run == run_id, held.seat.in_(people.own), *_granted(use, now)
        )
        everybody = granted.group_by(held.ordinal).having(sa.func.count() == len(people.own))
        return Withheld(gone.union(connection.execute(everybody).scalars()), gone)


def runs_with(store: Store, use: Use, *, now: float | None = None) -> frozenset[int]:
    """The ids of the runs in which somebody permits a use now."""
    query = sa.select(permissions.c.run).where(*_granted(use, time.time() if now is None else now))
    with store.connected() as connection:
        return frozenset(connection.execute(query.distinct()).scalars())


def _granted(use: Use, now: float) -> tuple[sa.ColumnElement[bool], ...]:
    held = permissions.c
    return held.uses.contains(use), sa.or_(held.expires.is_(None), held.expires > now)


def grant(
    store: Store,
    run_id: int,
    ordinals: Iterable[int],
    uses: Iterable[str],
    *,
    seats: Iterable[str] = (),
    expires: float | None = None,
    pseudonym: str | None = None,
    consent: str | None = None,
    now: float | None = None,
) -> dict[str, Permission]:
    """Record what the people in `seats` (without any, in every person's seat) permit for these episodes from
    now on: these uses and practice, in place of what they permitted before. Returns it by seat.

    `consent` is the text they agreed to, by default ours; without a `pseudonym` an earlier one stays. Raises
    BadInput if nobody sits there, for an episode that the run does not have or that was deleted, and as
    `osler.core.permitted.permission` does.
    """
    run, at = store.info(run_id), time.time() if now is None else now
    own, wanted, places = people_in(run.manifest), tuple(seats), sorted(set(ordinals))
    if not own:
        raise BadInput("nobody's own words are in it, so there is nothing to permit", where=run.name)
    for seat in wanted:
        if seat not in own:
            raise BadInput(f"no person sits as {seat}", where=run.name, hint=f"one of {', '.join(own)}")
    for ordinal in places:
        if not run.may_have(ordinal):
            raise BadInput(f"the run has no episode {ordinal}", where=run.name)
    permission = checked(uses, now=at, expires=expires, pseudonym=pseudonym or "", consent=consent)
    dialect = sqlite if store.engine.dialect.name == "sqlite" else postgresql
    insert = dialect.insert(permissions)
    names = ("uses", "consent", "given", "expires", *(() if pseudonym is None else ("pseudonym",)))
    fresh = {name: insert.excluded[name] for name in names}
    row = {
        "uses": " ".join(use for use in USES if use in permission.uses),
        **{name: getattr(permission, name) for name in ("pseudonym", "consent", "given", "expires")},
    }
    rows = [
        {"run": run_id, "ordinal": ordinal, "seat": seat, **row}
        for ordinal in places
        for seat in wanted or own
    ]
    with store.writing() as connection:
        if lost := deleted_in(connection, run_id).keys() & set(places):
            what = "the words were deleted, so there is nothing to permit"
            raise BadInput(what, where=f"{run.name}:{min(lost)}")
        if rows:
            upsert = insert.on_conflict_do_update(index_elements=["run", "ordinal", "seat"], set_=fresh)
            connection.execute(upsert, rows)
    return dict.fromkeys(wanted or own, permission)


def withdraw(
    store: Store, run_id: int, ordinals: Iterable[int], *, seats: Iterable[str] = (), now: float | None = None
) -> dict[str, Permission]:
    """Take back every permission but practice; a pseudonym stays. Raises BadInput as `grant` does."""
    return grant(store, run_id, ordinals, PRACTICE, seats=seats, now=now)


def deleted_in(connection: Connection, run_id: int) -> dict[int, float]:
    """When the words of which episodes of a run were deleted, by ordinal, in seconds since 1970, UTC."""
    query = sa.select(deletions.c.ordinal, deletions.c.deleted).where(deletions.c.run == run_id)
    return {row.ordinal: row.deleted for row in connection.execute(query)}


def count_withheld(connection: Connection, run_id: int, hidden: Withheld) -> tuple[int, int]:
    """The number of ended episodes of a run that are withheld, and of all."""
    ended = connection.execute(sa.select(episodes.c.ordinal).where(episodes.c.run == run_id)).scalars().all()
    return sum(one in hidden for one in ended), len(ended)


def _rows(
    connection: Connection, run_id: int, ordinal: int | None = None
) -> dict[tuple[int, str], Permission]:
    table = permissions.c
    query = sa.select(permissions).where(table.run == run_id)
    if ordinal is not None:
        query = query.where(table.ordinal == ordinal)
    return {
        (row.ordinal, row.seat): Permission(
            frozenset(use for use in USES if use in row.uses.split()),
            row.pseudonym,
            row.consent,
            row.given,
            row.expires,
        )
        for row in connection.execute(query)
    }
