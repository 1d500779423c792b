"""A synchronous environment, for loops of one's own: `reset`, `step`, `close`, without an event loop."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from osler.adapters.conversation import Conversation, OpenPrompt
from osler.errors import BadInput
from osler.players.external import Pending
from osler.runs.played import EndedEpisode
from osler.runs.sitting import Sitting
from osler.runs.world import World

T = TypeVar("T")
Now = Pending | OpenPrompt | EndedEpisode


class SyncEnv:
    """The rows of a world, one after another, in a private event loop; use it in `with`, or `close` it.

    A step takes a reply of the seat (its model or a dict of its fields); with `text`, the words that a
    language model would say there, which is shown the pictures with `images`. Raises BadInput inside a
    running event loop, as in a notebook: await the sittings of the world there.
    """

    def __init__(self, world: World, *, text: bool = False, images: bool = False) -> None:
        self.world, self._text, self._images = world, text, images
        self._played = _Loop(world)
        self._closing = weakref.finalize(self, self._played.close)

    def reset(self, row: int = 0) -> Now:
        """Leave the encounter under way, if any, and begin a row; returns its first question."""
        return self._played.run(lambda: self._played.begin(self._opened(row)))

    def step(self, reply: object, at: str | None = None) -> Now:
        """Reply to the question with the ticket `at` (`None`: the open one), and return what follows: the
        next question, the same with a reason if the reply was refused, or the ended encounter.

        Raises Stale if that question is not open, InfrastructureFault if something outside failed.
        """
        return self._played.run(lambda: self._played.step(reply, at))

    def close(self) -> None:
        """Leave the encounter under way, and close the connections of other seats' models and the event
        loop."""
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self, row: int) -> Sitting | Conversation:
        if self._text:
            return Conversation(self.world, row, images=self._images)
        return self.world.sit(row)


class _Loop:
    """An event loop with the encounter that is played in it; apart, so that it can be closed for an
    environment that is no longer there."""

    def __init__(self, world: World) -> None:
        self._world, self._loop = world, asyncio.new_event_loop()
        self._at: Sitting | Conversation | None = None

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        if self._loop.is_closed():
            raise BadInput("the environment is closed", hint="make another")
        if _inside_a_loop():
            hint = "await the sittings of the world: world.sit(row)"
            raise BadInput("SyncEnv cannot run inside an event loop", hint=hint)
        return self._loop.run_until_complete(work())

    async def begin(self, at: Sitting | Conversation) -> Now:
        await self.leave()
        self._at = at
        return await at.next()

    async def step(self, reply: object, at: str | None) -> Now:
        if self._at is None:
            raise BadInput("no encounter has begun", hint="call reset(row)")
        if isinstance(self._at, Conversation):
            return await self._at.step(str(reply), at)
        return await self._at.step(reply, at)

    async def leave(self) -> None:
        if self._at is not None:
            at, self._at = self._at, None
            await at.leave()

    def close(self) -> None:
        if not self._loop.is_closed():
            if not _inside_a_loop():
                self._loop.run_until_complete(self._over())
            self._loop.close()

    async def _over(self) -> None:
        await self.leave()
        await self._world.close()


def _inside_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
