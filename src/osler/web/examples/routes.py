"""The route of the recorded examples, which are played into the store when the server starts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event
from typing import Final

from fastapi import APIRouter, FastAPI
from pydantic import Field

from osler.errors import OslerError
from osler.runs import run as runs
from osler.store.store import Store
from osler.web.examples.script import Script, scripts
from osler.web.house import House, TheHouse
from osler.web.rights import needs
from osler.web.schemas import ServerModel
from osler.web.watch.seeing import Looking, Onlooker


class Example(ServerModel):
    """One recorded example: its run and episode, for the addresses of the screens that show it."""

    run: str
    n: int
    protocol: str
    seat: str
    title: str
    note: str = Field(description="who played, in words")
    case: str = Field(description="its case, to take this chair oneself: `POST /api/sittings`")
    ready: bool


class Examples(ServerModel):
    """The recorded examples."""

    examples: list[Example]


LOG: Final = logging.getLogger("osler.web")


def play_examples(house: House, stopped: Event) -> None:
    """Play every example that the store does not hold yet. Call in a thread."""
    for script in scripts():
        if stopped.is_set():
            return
        try:
            play_example(house, script)
        except OslerError as error:
            LOG.warning("the example %s cannot be played: %s", script.name, error)


def play_example(house: House, script: Script) -> None:
    """Play one example, or what is left of it."""
    store, config = house.store, script.config()
    more, source = {"scripted": script.player}, house.source(config)
    run = next((one for one in store.runs() if one.name == script.run), None)
    if run is None:
        about = {"practice": {"example": script.title}}
        run = runs.begin(config, store, more, source, None, about, script.run)
    if run.status != "done":
        runs.play(run, store, concurrency=1, more=more, source=source)


@asynccontextmanager
async def _played(app: FastAPI) -> AsyncIterator[None]:
    house: House = app.state.house
    stopped = Event()
    playing = asyncio.create_task(asyncio.to_thread(play_examples, house, stopped)) if house.warm_up else None
    try:
        yield
    finally:
        stopped.set()
        if playing is not None:
            await playing


router = APIRouter(prefix="/api", tags=["examples"], lifespan=_played)


@router.get("/examples", dependencies=[needs("watch")])
def examples(house: TheHouse, looking: Looking) -> Examples:
    """The recorded examples; those that are not ready yet are being played."""
    done = _done(house.store, looking)
    return Examples(
        examples=[
            Example(
                run=one.run,
                n=done.get(one.run, 0),
                protocol=one.protocol,
                seat=one.seat,
                title=one.title,
                note=one.note,
                case=one.case,
                ready=one.run in done,
            )
            for one in scripts()
        ]
    )


def _done(store: Store, looking: Onlooker) -> dict[str, int]:
    """The number of the ended episode of every example, by the name of its run."""
    names = {one.run for one in scripts()}
    result = [run for run in store.runs() if run.name in names and run.status == "done"]
    return {one.run.name: next(iter(store.done(one.run.id))) for one in looking.among(result)}
