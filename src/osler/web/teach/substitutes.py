"""Other players in the middle of an encounter, as its teacher chose: visibly, and in a run of its own.

The run that is left keeps who played in it. The new one keeps what was played so far, as a branch does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from osler.core.names import Kind, PlayerName, player_name
from osler.errors import BadInput
from osler.players.admission import OTHERS, check_name
from osler.runs import branching
from osler.runs.run import config_of
from osler.store.practice import PersonSitting
from osler.web.house import House
from osler.web.practise.encounter import EARLIER
from osler.web.practise.sittings import Sittings
from osler.web.teach.disclosure import MODEL, TUTOR, hosts, tutors_of
from osler.web.teach.funds import runs_of
from osler.web.teach.room import SUBSTITUTES, Opened
from osler.web.teach.schemas import TryModel
from osler.web.teach.trials import tried

BY_TEACHER: Final = "Your teacher has let somebody else play from here."


async def go_on_with(
    house: House,
    sittings: Sittings,
    room: Opened,
    sitting: PersonSitting,
    players: Mapping[str, str],
    why: str = BY_TEACHER,
) -> None:
    """Let a sitting go on with other players from where it stands; its learners are told, and `why`. A
    built-in player may take the seat of one of several people, who has left it.

    Raises BadInput for a seat or a player that there is not, and for a model that fails its one real turn;
    NotPermitted for a model that would read words which were not permitted to it.
    """
    result = await asyncio.to_thread(_branch, house, sitting, players)
    names = ", ".join(f"{seat.replace('_', ' ')}: {_words(result.config.names()[seat])}" for seat in players)
    changed = f"{why} {names[:1].upper()}{names[1:]}."
    before = config_of(house.store.info(sitting.run))
    tutors = (model for name in tutors_of(room.plan, [sitting.protocol]) for model in name.models)
    models = [*before.everyone(), *result.config.everyone(), *tutors, *room.plan.marks]
    told = hosts(models, house.models.endpoints())
    more: dict[str, Any] = {"changed": changed, SUBSTITUTES: names, EARLIER: runs_of(sitting), "hosts": told}
    if TUTOR in players and TUTOR in sitting.more:
        more[TUTOR] = f"{sitting.more[TUTOR]}, then {players[TUTOR]}"
    about = {"substitutes": {"at": result.kept.at, "players": dict(players)}}
    consent = room.plan.consent or None
    await sittings.go_on_as(sitting, result.config, result.source, result.kept, about, more, consent)


def _branch(house: House, sitting: PersonSitting, players: Mapping[str, str]) -> branching.Branch:
    config = config_of(house.store.info(sitting.run))
    people = {seat for seat, name in config.names().items() if name.kind is Kind.PERSON}
    for seat, full in players.items():
        if seat not in config.players():
            raise BadInput(f"nobody else can sit as {seat[:40]!r}", where="players")
        check_name(config.plays, seat, full, OTHERS)
        name = player_name(config.plays.role(seat), full)
        if seat in people and (name.models or people <= players.keys()):
            raise BadInput(f"nobody else can sit as {seat[:40]!r}", where="players")
        for model in name.models:
            house.models.endpoints().endpoint(model.removeprefix(MODEL))
            trial = tried(TryModel(model=model, protocol=sitting.protocol, seat=name.role.name), house.models)
            if not trial.ok:
                raise BadInput(f"{model} could not take one turn: {trial.what}", where=seat, hint=trial.mend)
    at = branching.unbroken(house.store.recorded(sitting.run, sitting.ordinal))
    return branching.branch(house.store, sitting.run, sitting.ordinal, at, seats=players)


def _words(name: PlayerName) -> str:
    models = ", ".join(model.removeprefix(MODEL) for model in name.models)
    return f"the language model {models}" if models else "a built-in player"
