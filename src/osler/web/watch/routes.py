"""The routes of this room, and the live feed that runs as long as the server does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI

from osler.web.house import House
from osler.web.watch import desks, episode, floors, stream
from osler.web.watch.hub import hub_of
from osler.web.watch.tail import Tail
from osler.web.watch.topics import EpisodeTopic, RunTopic


@asynccontextmanager
async def _following(app: FastAPI) -> AsyncIterator[None]:
    """Follow the store while the server runs."""
    house: House = app.state.house
    hub, episodes = hub_of(house), EpisodeTopic(house)
    hub.add("run", RunTopic(house))
    hub.add("episode", episodes)
    tail = Tail(house.store, hub, episodes)
    tail.start()
    try:
        yield
    finally:
        await asyncio.to_thread(tail.stop)
        hub.close()


router = APIRouter(prefix="/api", tags=["watch"], lifespan=_following)
router.include_router(episode.router)
router.include_router(desks.router)
router.include_router(floors.router)
router.include_router(stream.router)
