"""Sittings of people: the runs whose seat under test a person took, and which person that was.

A person is known by the place in a room, else by the pseudonym, else as the visitor of the browser. Whoever
gave none of these is taken for one and the same person, so that nobody is counted twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from osler.core.permitted import PEOPLE, READERS, people_in, players_in
from osler.core.protocol import Protocol
from osler.core.role import PERSON
from osler.errors import BadInput
from osler.judging.scores import UNSCORED
from osler.runs.run import protocol_of
from osler.store import practice
from osler.store.permissions import permissions_in, permitted
from osler.store.records import RunInfo
from osler.store.rooms import CODE_LENGTH, LETTERS, Rooms
from osler.store.store import Store
from osler.studies.rating.human_anchor import Sat

NOBODY_NAMED: Final = "-"
"""Stands for everybody who gave neither name nor place."""
_CODE: Final = re.compile(rf"[{LETTERS}]{{{CODE_LENGTH}}}")


class Sitting(NamedTuple):
    """One episode of a run in which a person took the seat under test. `person` tells people apart and names
    nobody; it is for counting alone, and is never printed."""

    run: RunInfo
    ordinal: int
    person: str


def by_person(run: RunInfo, protocol: Protocol) -> bool:
    """Whether a person took the seat under test. What sits behind `external` counts only if its run lists it
    among the people."""
    seat = protocol.under_test
    if PERSON in players_in(str(run.manifest["configuration"].get(seat, ""))):
        return True
    return isinstance(run.manifest.get(PEOPLE), list) and seat in people_in(run.manifest)


def runs_of_people(store: Store, names: Sequence[str] = ()) -> list[RunInfo]:
    """The runs that people sat, those named, or in the rooms named by their codes; without names, all in the
    store. Raises BadInput for a name that is neither, and for a run that no person sat."""
    if not names:
        return [run for run in reversed(store.runs()) if _sat(run)]
    result: dict[int, RunInfo] = {}
    for name in names:
        if (inside := _room(store, name)) is not None:
            result |= {run.id: run for run in inside}
            continue
        run = store.run(name)
        if not _sat(run):
            seat = protocol_of(run).under_test
            hint = "name what a person played, or the code of a room"
            raise BadInput(f"no person sat as its {seat}", where=run.name, hint=hint)
        result[run.id] = run
    return list(result.values())


def sittings_of(store: Store, run: RunInfo, ordinals: Sequence[int]) -> Iterator[Sitting]:
    """The sittings of a run, each with its person."""
    seat = protocol_of(run).under_test
    there = sorted(practice.sittings_of_run(store, run.id), key=lambda one: one.seat != seat)
    sitting = there[0] if there else None
    permissions = permissions_in(store, run.id, ordinals)
    for ordinal in ordinals:
        permission = _of_seat(permissions.get(ordinal, {}), seat)
        pseudonym = " ".join(permission.pseudonym.casefold().split()) if permission else ""
        if sitting is not None and sitting.owner and (sitting.room or not pseudonym):
            who = f"visitor {sitting.owner}"
        else:
            who = f"called {pseudonym}" if pseudonym else NOBODY_NAMED
        yield Sitting(run, ordinal, who)


def sat_beside(store: Store, runs: Sequence[RunInfo]) -> Sat:
    """Count the people who sat cases of these runs themselves and permit research, and those cases."""
    people, cases = set[str](), set[str]()
    if not runs or not (others := [run for run in runs_of_people(store) if _like(run, runs)]):
        return Sat()
    played = {row.case_hash for run in runs for row in store.episodes(run.id)}
    for run in others:
        rows = {row.ordinal: row for row in store.episodes(run.id) if row.status not in UNSCORED}
        for one in sittings_of(store, run, list(rows)):
            case = rows[one.ordinal].case_hash
            if case in played and READERS["comparison"] in permitted(store, run.id, one.ordinal):
                people.add(one.person)
                cases.add(case)
    return Sat(len(people), len(cases))


def _like(run: RunInfo, runs: Sequence[RunInfo]) -> bool:
    """Whether a run is another one of the same protocol."""
    return protocol_of(run) is protocol_of(runs[0]) and run.id not in {one.id for one in runs}


def _of_seat(given: Mapping[str, Any], seat: str) -> Any:
    return given.get(seat) or next(iter(given.values()), None)


def _room(store: Store, name: str) -> list[RunInfo] | None:
    """The runs of a room's sittings under test, oldest first; `None` if no room has this code."""
    code = "".join(letter for letter in name[:40].upper() if letter.isalnum())
    row = Rooms(store).by_code(code) if _CODE.fullmatch(code) else None
    if row is None:
        return None
    runs = [store.info(one.run) for one in practice.sittings_in(store, row.id)]
    return [run for run in reversed(runs) if _sat(run)]


def _sat(run: RunInfo) -> bool:
    try:
        return by_person(run, protocol_of(run))
    except BadInput:  # of a protocol that is not installed here
        return False
