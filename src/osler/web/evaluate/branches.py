"""Branches: keep the start of a stored episode and go on another way."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from osler.core.role import PERSON
from osler.errors import BadInput, NotAllowed
from osler.players.admission import OTHERS, check_config, check_name
from osler.runs import branching
from osler.runs.branching import Branch
from osler.runs.run import protocol_of
from osler.runs.seating import models_named, open_cast
from osler.store.permissions import refuse_unless
from osler.web.evaluate.playing import AT_ONCE, Playing
from osler.web.evaluate.run_words import example_title
from osler.web.evaluate.start_schemas import Branched, BranchWanted
from osler.web.house import House, TheHouse
from osler.web.lookups import Place
from osler.web.practise.beginning import Label
from osler.web.practise.encounter import Sitter
from osler.web.practise.reception import Reception
from osler.web.practise.routes import PRACTISE
from osler.web.rights import Asking, Visitor, needs
from osler.web.watch.log import ALL
from osler.web.watch.seats import seats_of
from osler.web.watch.seeing import Onlooker

router = APIRouter()


@router.post("/branches", dependencies=[needs("run")], status_code=201)
async def branch(house: TheHouse, asking: Asking, wanted: BranchWanted) -> Branched:
    """Keep the first `at` exchanges of a stored episode and go on: with another player, with other words, or
    with the visitor in the chair, who then finds the sitting under Practise."""
    if wanted.player == PERSON:
        return await _sit_down(house, asking, wanted)
    return await asyncio.to_thread(_play_on, house, asking, wanted)


def _prepared(house: House, asking: Visitor, wanted: BranchWanted) -> tuple[Place, Branch]:
    """The branch, once it is clear that this visitor may have it."""
    looking = Onlooker(house, asking)
    store, place = house.store, looking.episode(wanted.run, wanted.n)
    sight = looking.sight(place, seats_of(store, place, protocol_of(place.run)))
    if ALL not in sight.views:
        raise NotAllowed(sight.hidden, where=place.name)
    if bool(wanted.seat) != bool(wanted.player):
        raise BadInput("a seat and its player are named together", where="seat", hint="name both, or neither")
    if wanted.seat:
        check_name(protocol_of(place.run), wanted.seat, wanted.player, OTHERS.with_people)
    seats = {wanted.seat: wanted.player} if wanted.seat and wanted.player != PERSON else {}
    result = branching.branch(store, place.run.id, place.ordinal, wanted.at, seats=seats, say=wanted.say)
    return place, result


def _play_on(house: House, asking: Visitor, wanted: BranchWanted) -> Branched:
    place, result = _prepared(house, asking, wanted)
    check_config(result.config, OTHERS)
    if models_named(result.config):
        refuse_unless(house.store, place.run.id, "research", place.ordinal)
    options = house.models.under_test([result.config]).after(place.run)
    seated = open_cast(result.config, options).without_budget()
    run = branching.begin(result, house.store, seated.config, seated.more, seated.about)
    Playing.of(house).play(run, house.models, AT_ONCE)
    return Branched(run=run.name, ordinal=0, over=result.over)


async def _sit_down(house: House, asking: Visitor, wanted: BranchWanted) -> Branched:
    place, result = await asyncio.to_thread(_prepared, house, asking, wanted)
    called = example_title(place.run) or result.config.plays.one.capitalize()
    since = f"from exchange {wanted.at + 1} on" if wanted.at else "from the beginning"
    reception: Reception = house.rooms[PRACTISE]
    await asyncio.to_thread(reception.check_number, asking.id)
    (sitting,) = await reception.sittings.begin(
        result.config,
        [Sitter(wanted.seat, asking.id)],
        Label(f"{called}, {since}"),
        source=result.source,
        kept=result.kept,
    )
    run = await asyncio.to_thread(house.store.info, sitting.run)
    return Branched(run=run.name, ordinal=sitting.ordinal, sitting=sitting.id, over=result.over)
