"""Other players in the middle of an encounter, as its teacher chose: visibly, and in a run of its own.

The run that is left keeps who played in it. The new one keeps what was played so far, as a branch does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from osler.errors import BadInput
from osler.runs import branching
from osler.runs.run import config_of
from osler.store.practice import Taken
from osler.web.house import House
from osler.web.practise.sittings import Sittings
from osler.web.teach.disclosure import MODEL, hosts
from osler.web.teach.funds import EARLIER, runs_of
from osler.web.teach.room import SUBSTITUTES, Opened
from osler.web.teach.schemas import TryModel
from osler.web.teach.trials import tried


async def go_on_with(
    house: House, sittings: Sittings, room: Opened, taken: Taken, players: Mapping[str, str]
) -> Taken:
    """Let a sitting go on with other players from where it stands; its learner is told.

    Raises BadInput for a seat or a player that there is not, and for a model that fails its one real turn;
    NotPermitted for a model that would read words which were not permitted to it.
    """
    found = await asyncio.to_thread(_branch, house, taken, players)
    names = ", ".join(f"{seat.replace('_', ' ')}: {_words(name)}" for seat, name in players.items())
    changed = f"Your teacher has let somebody else play from here. {names[:1].upper()}{names[1:]}."
    now = [*config_of(house.store.info(taken.run)).players().values(), *players.values(), *room.plan.marks]
    told = hosts(now, house.models.endpoints())
    more = {"changed": changed, SUBSTITUTES: names, EARLIER: runs_of(taken), "hosts": told}
    about = {"substitutes": {"at": found.kept.at, "players": dict(players)}}
    consent = room.plan.consent or None
    return await sittings.go_on_as(taken, found.config, found.source, found.kept, about, more, consent)


def _branch(house: House, taken: Taken, players: Mapping[str, str]) -> branching.Branch:
    config = config_of(house.store.info(taken.run))
    for seat, name in players.items():
        if seat == taken.seat or seat not in config.players():
            raise BadInput(f"nobody else can sit as {seat[:40]!r}", where="players")
        if name != "baseline" and not name.startswith(MODEL):
            raise BadInput(f"{name[:40]!r} cannot sit there", where=seat, hint="baseline, or model:NAME")
        if name.startswith(MODEL):
            role = config.plays.role(seat).name
            trial = tried(TryModel(model=name, protocol=taken.protocol, seat=role), house.models)
            if not trial.ok:
                raise BadInput(f"{name} could not take one turn: {trial.what}", where=seat, hint=trial.mend)
    at = len(house.store.recorded(taken.run, taken.ordinal))
    return branching.branch(house.store, taken.run, taken.ordinal, at, seats=players, unfinished=True)


def _words(name: str) -> str:
    return f"the language model {name.removeprefix(MODEL)}" if name.startswith(MODEL) else "a built-in player"
