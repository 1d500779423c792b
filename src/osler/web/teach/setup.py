"""Opening a room: its cases are found, its models take a real turn, and what was set up is checked."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Final

from osler.cases.personas import persona
from osler.core.names import PlayerName
from osler.core.permitted import permission
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.core.role import PERSON
from osler.errors import BadInput
from osler.judging.model.independence import check_independent
from osler.models.config import Config as Endpoints
from osler.players.admission import OTHERS, check_name, check_names
from osler.runs.real_turns import JUDGE
from osler.store.rooms import Rooms
from osler.text.hostile import safe
from osler.web.house import House
from osler.web.naming import PLAYED_HERE
from osler.web.practise.schemas import SitDown
from osler.web.practise.shelf import ShelfOf, configured, seats_of
from osler.web.rights import Visitor
from osler.web.teach.disclosure import MODEL, TUTOR, names_of, tutors_of
from osler.web.teach.group_schemas import GroupPlan
from osler.web.teach.room import HOUR_S, KeptCase, KeptRoom, Opened, opened
from osler.web.teach.schemas import NewRoom, RoomCase, RoomPlan, TryModel
from osler.web.teach.trials import tried

MOST_ROOMS: Final = 200
MARKS: Final = ("rules", "person")


def open_room(house: House, shelf: ShelfOf, visitor: Visitor, room: NewRoom) -> Opened:
    """Open a room. Call in a thread: the first time the library is read, and models take their turns.

    Raises BadInput for what cannot be played, and for a model that failed its turn, with what it said.
    """
    rooms = Rooms(house.store)
    if len(rooms.of(visitor.id)) >= MOST_ROOMS:
        raise BadInput("you have very many rooms", hint="this server keeps them all; use one again")
    plan = RoomPlan.model_validate(room.model_dump(exclude={"hours"}))
    plan = plan.model_copy(update={"name": _one_line(plan.name), "asks": _asked(plan)})
    persona(plan.persona)
    cases = tuple(_found(shelf, plan, case, number) for number, case in enumerate(plan.cases, start=1))
    _check_seats(plan, cases)
    models = _models(plan, cases)
    endpoints = house.models.endpoints() if models else Endpoints()
    for model in models:
        endpoints.endpoint(model.removeprefix(MODEL))
    _check_marks(plan, cases, endpoints)
    check_money(plan, cases, endpoints)
    trials = tuple(tried(one, house.models) for one in _turns(plan, cases))
    for trial in trials:
        if not trial.ok:
            text = f"; it said: {trial.said}" if trial.said else ""
            raise BadInput(
                f"{trial.model} could not take one turn as {trial.seat}: {trial.what}{text}",
                where=trial.host,
                hint=trial.mend or "choose a built-in player, or another model",
            )
    kept_room = KeptRoom(plan=plan, cases=cases, trials=trials)
    expires = time.time() + room.hours * HOUR_S
    return opened(rooms.open(visitor.id, kept_room.model_dump_json(), expires))


def _one_line(text: str) -> str:
    line = " ".join(safe(text).split())
    if not line:
        raise BadInput("the room has no name", where="name", hint="give it a name that learners recognize")
    return line


def _asked(plan: RoomPlan) -> list[str]:
    """The uses asked for. Raises BadInput for `share` without an end."""
    permission(plan.asks, now=time.time(), expires=plan.share_until, consent=plan.consent or None)
    return ["practice", *(use for use in dict.fromkeys(plan.asks) if use != "practice")]


def _found(shelf: ShelfOf, plan: RoomPlan, case: RoomCase, number: int) -> KeptCase:
    """A case as it is kept. Raises BadInput for a seat or a player that there is not."""
    result = shelf.find(case.protocol, case.case)
    protocol = result.protocol
    seat = case.seat or seats_of(protocol)[0]
    if seat not in seats_of(protocol):
        raise BadInput(f"no person sits as {seat!r}", where=result.title, hint=", ".join(seats_of(protocol)))
    group = plan.group
    if group is not None:
        check_group(plan, group, protocol, result.title)
        seat = group.seats[0]
    people = tuple(group.seats) if group else (seat,)
    players = {
        name: player for name, player in plan.players.items() if _has(protocol, name) and name not in people
    }
    check_names(protocol, players, OTHERS)
    wanted = SitDown(protocol=protocol.name, case=case.case, persona=plan.persona, players=players, seat=seat)
    config = configured(protocol, result, wanted, people, group.students if group else 0)
    label = result.label
    return KeptCase(
        id=f"c{number}",
        protocol=protocol.name,
        of=result.case.id,
        seat=seat,
        title=result.title,
        complaint=label.complaint if label else "",
        minutes=label.minutes if label else 15,
        distressing=result.distressing,
        real=str(getattr(result.case, "title", None) or result.case.id),
        players=config.players(),
    )


def _has(protocol: Protocol, seat: str) -> bool:
    return any(role.seats_of(seat) for role in protocol.roles)


def _check_seats(plan: RoomPlan, cases: tuple[KeptCase, ...]) -> None:
    """Raise BadInput for a player of a seat that no case of the room has."""
    protocols = [protocol_named(case.protocol) for case in cases]
    for seat in plan.players:
        if not any(_has(protocol, seat) for protocol in protocols):
            raise BadInput(f"no case of this room has a seat {seat[:40]!r}", where="players")


def _names(plan: RoomPlan, case: KeptCase) -> list[PlayerName]:
    """The players of a case of the room, and the tutors it is played with in turn."""
    return [*names_of(case.protocol, case.players).values(), *tutors_of(plan, [case.protocol])]


def _markers(plan: RoomPlan) -> list[str]:
    return [mark for mark in plan.marks if mark.startswith(MODEL)]


def _models(plan: RoomPlan, cases: Iterable[KeptCase]) -> list[str]:
    """The language models of a room as `model:NAME`, each once: those that play, and those that mark."""
    seated = (model for case in cases for name in _names(plan, case) for model in name.models)
    return list(dict.fromkeys((*seated, *_markers(plan))))


def _turns(plan: RoomPlan, cases: Iterable[KeptCase]) -> list[TryModel]:
    """One turn for each model in each kind of seat it takes."""
    turns = dict[tuple[str, str, str], TryModel]()
    for case in cases:
        seated = [(name.role.name, model) for name in _names(plan, case) for model in name.models]
        for seat, model in (*seated, *((JUDGE, mark) for mark in _markers(plan))):
            turn = TryModel(model=model, protocol=case.protocol, seat=seat)
            turns.setdefault((case.protocol, seat, model), turn)
    return list(turns.values())


def _check_marks(plan: RoomPlan, cases: tuple[KeptCase, ...], endpoints: Endpoints) -> None:
    for mark in plan.marks:
        if mark not in MARKS and not mark.startswith(MODEL):
            raise BadInput(f"{mark[:40]!r} cannot mark", where="marks", hint="rules, person or model:NAME")
        for case in cases if mark.startswith(MODEL) else ():
            _check_independent(
                mark, [model for name in _names(plan, case) for model in name.models], endpoints
            )
            if protocol_named(case.protocol).model_judge is None:
                raise BadInput(
                    f"no model marks {protocol_named(case.protocol).many}", where="marks", hint="use rules"
                )


def _check_independent(mark: str, playing: Sequence[str], endpoints: Endpoints) -> None:
    models = {name: one.model for name, one in endpoints.endpoints.items()}
    rewarded = {name: one.rewarded_by for name, one in endpoints.endpoints.items()}
    try:
        check_independent(mark.removeprefix(MODEL), playing, False, models, rewarded)
    except BadInput:
        what = f"{mark} plays here, so it cannot mark"
        raise BadInput(what, where="marks", hint="name another model, or rules") from None


def check_money(plan: RoomPlan, cases: Iterable[KeptCase], endpoints: Endpoints) -> None:
    """Raise BadInput for a ceiling in money over models without prices."""
    for name in _models(plan, cases) if plan.ceiling.money is not None else ():
        endpoint = endpoints.endpoint(name.removeprefix(MODEL))
        if endpoint.price_in is None or endpoint.price_out is None:
            raise BadInput(
                f"{name} has no prices, so money cannot be limited",
                where="ceiling",
                hint="set it in tokens, or ask whoever runs this server to give prices in osler.toml",
            )


_STUDENT: Final = "student"


def check_group(plan: RoomPlan, group: GroupPlan, protocol: Protocol, title: str) -> None:
    """Raise BadInput for a case, a seat or a tutor that a group cannot have."""
    if not {TUTOR, _STUDENT} <= {role.name for role in protocol.roles if role.person}:
        raise BadInput("a group shares ward rounds only", where=title, hint="choose a ward round")
    offered = [TUTOR, *(f"{_STUDENT}_{n}" for n in range(1, group.students + 1))]
    if strange := [seat for seat in group.seats if seat not in offered]:
        raise BadInput(
            f"people cannot choose {strange[0][:40]!r}",
            where="seats",
            hint=f"offer some of {', '.join(offered)}",
        )
    if len(set(group.seats)) < len(group.seats):
        raise BadInput("a seat is offered twice", where="seats", hint="name each seat once")
    if group.watch and "share" not in plan.asks:
        hint = "ask learners whether their words may be shared, and until when"
        raise BadInput("others follow a round only as those in it permit", where="watch", hint=hint)
    if plan.clock is not None:
        raise BadInput("a group's round has no station clock", where="clock", hint="leave the clock out")
    if not group.tutors:
        return
    for name in group.tutors:
        check_name(protocol, TUTOR, name, PLAYED_HERE)
    if len(set(group.tutors)) < max(len(group.tutors), 2):
        raise BadInput("name at least two tutors, each once", where="tutors")
    if (PERSON in group.tutors) != (TUTOR in group.seats):
        hint = "offer the tutor's seat exactly if a person is among those compared"
        raise BadInput("a person who is compared needs the tutor's seat", where="seats", hint=hint)
    if len(plan.cases) < len(group.tutors):
        hint = f"choose at least {len(group.tutors)} cases"
        raise BadInput("each tutor is met with another case", where="cases", hint=hint)
