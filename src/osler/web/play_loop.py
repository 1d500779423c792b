"""An event loop in a thread of its own, in which encounters are played: nothing they do delays the server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

T = TypeVar("T")
PATIENCE_S: Final = 10.0
"""How long the thread is waited for when the server stops."""
_THREADS: Final = 24  # most of them wait for the database, or for each other: a commit must find one free


class PlayLoop:
    """The loop and its thread. `call` runs a coroutine in it and awaits it from any other loop."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(ThreadPoolExecutor(_THREADS, thread_name_prefix="play"))
        self._thread = threading.Thread(target=self._run, name="play", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` in the loop and return what it returns."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def close(self) -> None:
        """Stop the loop and wait for its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join, PATIENCE_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            if left:
                self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
