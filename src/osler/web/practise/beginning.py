"""Writing an encounter that people sit down to: its run, their sittings, and what they permit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from osler.core.config import Config
from osler.core.events import Seat
from osler.core.permitted import Permission
from osler.core.role import PERSON
from osler.core.source import Source
from osler.errors import Stale
from osler.players.admission import check_config
from osler.players.external import Desk
from osler.runs import run as runs
from osler.runs.batch import chosen
from osler.runs.cached_source import placed
from osler.runs.seating import open_cast
from osler.store import practice
from osler.store.permissions import grant, permissions_of
from osler.store.practice import PersonSitting
from osler.store.records import KeptPart, RunInfo
from osler.web.house import House
from osler.web.naming import PLAYED_HERE
from osler.web.practise.encounter import Sitter

NOWHERE: Final[Any] = Desk()
"""The channel for checking a cast; `runs.sit` seats people at a desk of its own."""
LEFT: Final = "This seat was left to a built-in player, who went on from here."
Written = tuple[RunInfo, int]
"""A run, and the number of its one episode."""


def begun_run(
    house: House,
    config: Config,
    seats: Sequence[Seat],
    source: Source[Any] | None,
    part: KeptPart | None,
    about: Mapping[str, Any],
) -> Written:
    """A new run for one encounter with people in these seats. Raises NotAllowed for players that a server
    does not play."""
    config = config.seated(dict.fromkeys(seats, PERSON))
    check_config(config, PLAYED_HERE)
    cast = open_cast(config, house.models, channel=NOWHERE).without_budget()
    cases = source or house.source(cast.config)
    noted = {**cast.about, "practice": {"seat": seats[0]}, **about}
    run = runs.begin(cast.config, house.store, cast.more, cases, part, noted)
    index, _ = next(chosen(placed(cases, cast.config), cast.config))
    return run, index * cast.config.repeats


class Label(NamedTuple):
    """The label of an encounter's sittings, beside its record; `more` are entries such as the case."""

    title: str
    room: str = ""
    distressing: bool = False
    more: Mapping[str, Any] = MappingProxyType({})


def seated(
    house: House,
    written: Written,
    protocol: str,
    people: Sequence[Sitter],
    label: Label,
    consent: str | None,
) -> list[PersonSitting]:
    """The sittings of these people in a run, recorded with what they permit. `label` is what they share."""
    run, ordinal = written
    peoples = [
        PersonSitting(
            id=practice.new_id(),
            code=practice.new_code(),
            run=run.id,
            ordinal=ordinal,
            owner=one.owner,
            room=label.room,
            protocol=protocol,
            seat=one.seat,
            title=label.title,
            distressing=label.distressing,
            stopped="",
            more={**label.more, **one.more},
        )
        for one in people
    ]
    practice.put(house.store, *peoples)
    for one in people:
        _grant(house, written, one.seat, one.permits, consent)
    return peoples


def moved(
    house: House,
    sitting: PersonSitting,
    config: Config,
    source: Source[Any],
    part: KeptPart,
    about: Mapping[str, Any],
    more: Mapping[str, Any],
    consent: str | None,
) -> tuple[list[PersonSitting], dict[Seat, Any]]:
    """Move an encounter to a new run of this configuration, with the people who still sit in it.

    Returns all its sittings, and the replies that were given after the part that is kept: of seats that were
    asked at the same time as one that has not answered. Raises Stale if it was moved meanwhile.
    """
    store = house.store
    there = practice.sittings_of_run(store, sitting.run)
    if all(one.id != sitting.id or one.stopped == LEFT for one in there):
        raise Stale("somebody else's seat was handed over at the same time", hint="try again")
    permits = permissions_of(store, sitting.run, sitting.ordinal)
    stay = [one for one in there if config.insides().get(one.seat) == PERSON]
    written = run, ordinal = begun_run(house, config, [one.seat for one in stay], source, part, about)
    for one in stay:
        _grant(house, written, one.seat, permits.get(one.seat, Permission()), consent)
    to = {"run": run.id, "ordinal": ordinal, "stopped": "", "more": more}
    changed = practice.change_all(store, {one.id: to if one in stay else {"stopped": LEFT} for one in there})
    rows = store.recorded(sitting.run, sitting.ordinal)
    return changed, {row.seat: json.loads(row.reply) for row in rows if row.n > part.at}


def _grant(house: House, written: Written, seat: Seat, permits: Permission, consent: str | None) -> None:
    run, ordinal = written
    grant(
        house.store,
        run.id,
        [ordinal],
        permits.uses,
        seats=[seat],
        expires=permits.expires,
        pseudonym=permits.pseudonym,
        consent=consent,
    )
