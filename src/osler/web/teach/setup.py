"""Opening a room: its cases are found, its models take a real turn, and what was set up is checked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from osler.core.permitted import permission
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.core.role import EXTERNAL, PERSON
from osler.errors import BadInput
from osler.models.config import Config as Endpoints
from osler.runs.real_turns import JUDGE
from osler.store.rooms import Rooms
from osler.text.hostile import safe
from osler.web.house import House
from osler.web.naming import check_players
from osler.web.practise.reception import configured
from osler.web.practise.schemas import SitDown
from osler.web.practise.shelf import ShelfOf, seats_of
from osler.web.rights import Visitor
from osler.web.teach.disclosure import MODEL
from osler.web.teach.group_setup import TUTOR, check_group, compared
from osler.web.teach.room import HOUR_S, KeptCase, KeptRoom, Opened, opened
from osler.web.teach.schemas import NewRoom, RoomCase, RoomPlan, TryModel
from osler.web.teach.trials import tried

MOST_ROOMS: Final = 200
MARKS: Final = ("rules", "person")


def open_room(house: House, shelf: ShelfOf, visitor: Visitor, wanted: NewRoom) -> Opened:
    """Open a room. Call in a thread: the first time the library is read, and models take their turns.

    Raises BadInput for what cannot be played, and for a model that failed its turn, with what it said.
    """
    tutors = [name for name in compared(wanted) if name != PERSON]
    check_players([*wanted.players.values(), *tutors], visitor)
    rooms = Rooms(house.store)
    if len(rooms.of(visitor.id)) >= MOST_ROOMS:
        raise BadInput("you have very many rooms", hint="this server keeps them all; use one again")
    plan = RoomPlan.model_validate(wanted.model_dump(exclude={"hours"}))
    plan = plan.model_copy(update={"name": _one_line(plan.name), "asks": _asked(plan)})
    cases = tuple(_found(shelf, plan, given, number) for number, given in enumerate(plan.cases, start=1))
    endpoints = house.models.endpoints() if _models(plan) else Endpoints()
    _check_marks(plan, cases)
    check_money(plan, endpoints)
    trials = tuple(tried(one, house.models) for one in _turns(plan, cases))
    for trial in trials:
        if not trial.ok:
            said = f"; it said: {trial.said}" if trial.said else ""
            raise BadInput(
                f"{trial.model} could not take one turn as {trial.seat}: {trial.what}{said}",
                where=trial.host,
                hint=trial.mend or "choose a built-in player, or another model",
            )
    kept = KeptRoom(plan=plan, cases=cases, trials=trials)
    expires = time.time() + wanted.hours * HOUR_S
    return opened(rooms.open(visitor.id, kept.model_dump_json(), expires))


def _one_line(text: str) -> str:
    line = " ".join(safe(text).split())
    if not line:
        raise BadInput("the room has no name", where="name", hint="give it a name that learners recognize")
    return line


def _asked(plan: RoomPlan) -> list[str]:
    """The uses asked for. Raises BadInput for `share` without an end."""
    permission(plan.asks, now=time.time(), expires=plan.share_until, consent=plan.consent or None)
    return ["practice", *(use for use in dict.fromkeys(plan.asks) if use != "practice")]


def _found(shelf: ShelfOf, plan: RoomPlan, given: RoomCase, number: int) -> KeptCase:
    """A case as it is kept. Raises BadInput for a seat or a player that there is not."""
    found = shelf.find(given.protocol, given.case)
    protocol = found.protocol
    seat = given.seat or seats_of(protocol)[0]
    if seat not in seats_of(protocol):
        raise BadInput(f"no person sits as {seat!r}", where=found.title, hint=", ".join(seats_of(protocol)))
    group = plan.group
    if group is not None:
        check_group(plan, group, protocol, found.title)
        seat = group.seats[0]
    people = tuple(group.seats) if group else (seat,)
    players = {
        name: player for name, player in plan.players.items() if _has(protocol, name) and name not in people
    }
    for name, player in players.items():
        if player.partition("+")[0] in (PERSON, EXTERNAL):
            raise BadInput("a room's other seats are played here", where=name, hint="baseline or model:NAME")
    wanted = SitDown(
        protocol=protocol.name, case=given.case, persona=plan.persona, players=players, seat=seat
    )
    config = configured(protocol, found, wanted, people, group.students if group else 0)
    label = found.label
    return KeptCase(
        id=f"c{number}",
        protocol=protocol.name,
        of=found.case.id,
        seat=seat,
        title=found.title,
        complaint=label.complaint if label else "",
        minutes=label.minutes if label else 15,
        distressing=found.distressing,
        real=str(getattr(found.case, "title", None) or found.case.id),
        players=config.players(),
    )


def _has(protocol: Protocol, seat: str) -> bool:
    return any(role.seats_of(seat) for role in protocol.roles)


def _models(plan: RoomPlan) -> list[str]:
    names = (*plan.players.values(), *plan.marks, *compared(plan))
    return [name for name in names if name.startswith(MODEL)]


def _turns(plan: RoomPlan, cases: tuple[KeptCase, ...]) -> Iterator[TryModel]:
    """One turn for each model in each kind of seat it takes."""
    asked = set()
    for case in cases:
        for seat, player in (*case.players.items(), *((TUTOR, name) for name in compared(plan))):
            name = player.partition("+")[0]
            role = protocol_named(case.protocol).role(seat).name
            if name.startswith(MODEL) and (case.protocol, role, name) not in asked:
                asked.add((case.protocol, role, name))
                yield TryModel(model=name, protocol=case.protocol, seat=role)
        for name in plan.marks:
            if name.startswith(MODEL) and (case.protocol, JUDGE, name) not in asked:
                asked.add((case.protocol, JUDGE, name))
                yield TryModel(model=name, protocol=case.protocol, seat=JUDGE)


def _check_marks(plan: RoomPlan, cases: tuple[KeptCase, ...]) -> None:
    for mark in plan.marks:
        if mark not in MARKS and not mark.startswith(MODEL):
            raise BadInput(f"{mark[:40]!r} cannot mark", where="marks", hint="rules, person or model:NAME")
        for case in cases:
            if mark.startswith(MODEL) and mark in (*case.players.values(), *compared(plan)):
                raise BadInput(
                    f"{mark} plays here, so it cannot mark",
                    where="marks",
                    hint="name another model, or rules",
                )
            if mark.startswith(MODEL) and protocol_named(case.protocol).model_judge is None:
                raise BadInput(
                    f"no model marks {protocol_named(case.protocol).many}", where="marks", hint="use rules"
                )


def check_money(plan: RoomPlan, endpoints: Endpoints) -> None:
    """Raise BadInput for a ceiling in money over models without prices."""
    for name in _models(plan) if plan.ceiling.money is not None else ():
        endpoint = endpoints.endpoint(name.partition("+")[0].removeprefix(MODEL))
        if endpoint.price_in is None or endpoint.price_out is None:
            raise BadInput(
                f"{name} has no prices, so money cannot be limited",
                where="ceiling",
                hint="set it in tokens, or ask whoever runs this server to give prices in osler.toml",
            )
