"""The house: what one server keeps open, shared by all its routes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from fastapi import Depends, Request

from osler.core.config import Config
from osler.core.source import Source
from osler.runs import run as runs
from osler.runs.seating import ModelOptions
from osler.store.store import Store
from osler.web.door import IN_PROCESS, Door
from osler.web.limits import LONG_WORK_EACH, LongWork
from osler.web.visitors import Visitors


@dataclass
class House:
    """An open store, the options for models, where the server is reached, the folders whose results it shows,
    and the sources of cases, each opened once. `ending` is set when the server stops; with `warm_up` the
    cases are read before anybody asks.

    A room that needs something running while the server runs gives its router a `lifespan`.
    """

    store: Store
    models: ModelOptions = ModelOptions()  # noqa: RUF009 - a tuple
    door: Door = IN_PROCESS
    results: tuple[Path, ...] = ()
    rooms: dict[str, Any] = field(default_factory=dict)
    warm_up: bool = False
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    _sources: dict[tuple[str, str], Source[Any]] = field(default_factory=dict)
    _opening: Lock = field(default_factory=Lock)

    @cached_property
    def visitors(self) -> Visitors:
        """The visitors of this server."""
        return Visitors(self.store, self.door)

    @cached_property
    def long_work(self) -> LongWork:
        """The threads for requests that take long. Whoever owns the machine may have any number under way."""
        return LongWork(LONG_WORK_EACH if self.door.shared else None)

    @cached_property
    def debriefs(self) -> LongWork:
        """The threads for debriefs: a class that asks for its own at once waits, and is not refused."""
        return LongWork(LONG_WORK_EACH if self.door.shared else None, 4, queues=True)

    def source(self, config: Config) -> Source[Any]:
        """The cases of a configuration, read once in the life of the server. Call in a thread: the first
        reading of the library takes seconds."""
        key = config.plays.name, config.cases
        with self._opening:
            if key not in self._sources:
                self._sources[key] = runs.opened(config)
            return self._sources[key]

    @property
    def known(self) -> Mapping[tuple[str, str], Source[Any]]:
        """The sources opened so far."""
        return self._sources


async def _house(request: Request) -> House:
    result: House = request.app.state.house
    return result


TheHouse = Annotated[House, Depends(_house)]
"""The parameter type of a route that needs the house."""
