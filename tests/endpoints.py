"""The fake endpoint in a thread of this process: there at once, where a process takes a quarter second."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from osler.testing.endpoint import FakeEndpoint, PlanGiven, ScriptGiven


@contextmanager
def running(
    port: int = 0,
    *,
    latency_ms: float = 0.0,
    jitter_ms: float = 0.0,
    faults: PlanGiven = None,
    script: ScriptGiven = None,
) -> Iterator[str]:
    """As `osler.testing.endpoint.running`, whose process tests/testing starts; yields the base URL."""
    endpoint = FakeEndpoint(latency_ms / 1000, faults, script, jitter_s=jitter_ms / 1000, port=port)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="fake endpoint")
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(endpoint.__aenter__(), loop).result()
        try:
            yield endpoint.base_url
        finally:
            asyncio.run_coroutine_threadsafe(endpoint.__aexit__(None, None, None), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
