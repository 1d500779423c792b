"""Two episodes side by side."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from osler.errors import NotAllowed
from osler.runs.run import protocol_of
from osler.web.evaluate.beside import beside
from osler.web.evaluate.playing import Playing
from osler.web.evaluate.trace_schemas import Compared
from osler.web.house import TheHouse
from osler.web.rights import needs
from osler.web.watch.log import ALL
from osler.web.watch.seats import seats_of
from osler.web.watch.seeing import Looking

router = APIRouter()
EpisodeName = Annotated[str, Query(max_length=120)]


@router.get("/compare", dependencies=[needs("watch")])
def compare(house: TheHouse, looking: Looking, a: EpisodeName, b: EpisodeName) -> Compared:
    """Two episodes, each RUN:N, aligned by exchange."""
    first, second = (looking.named(name) for name in (a, b))
    for place in (first, second):
        seen = looking.sight(place, seats_of(house.store, place, protocol_of(place.run)))
        if ALL not in seen.views:
            raise NotAllowed(seen.hidden, where=place.name)
    return beside(house.store, first, second, Playing.of(house).state)
