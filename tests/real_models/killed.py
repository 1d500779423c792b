"""A run in a process that is killed while the model answers: see `main`.

It prints the process of the model's server, and is killed a moment after the N-th request was sent.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Final

from osler.models.embedded.server import LocalServer
from osler.runs import run as runs
from osler.runs.seating import ModelOptions, open_cast
from osler.store.store import open_store
from tests.real_models.plays import ONE_TRY

MOMENT_S: Final = 0.15
"""Less than any answer takes, and enough for the server to have the request."""


def main(toml: str, store: str, last: int) -> None:
    """Play the run of `TOML STORE N` until the N-th request."""
    port, sent = LocalServer.port, 0

    async def counted(server: LocalServer) -> int:
        nonlocal sent
        found = await port(server)
        sent += 1
        if sent == last:
            print(server.pid, flush=True)
            asyncio.get_running_loop().call_later(MOMENT_S, os.kill, os.getpid(), signal.SIGKILL)
        return found

    LocalServer.port = counted  # type: ignore[method-assign,assignment]
    with open_store(Path(store)) as opened:
        seated = open_cast(ONE_TRY.config, ModelOptions(Path(toml)))
        run = runs.begin(seated.config, opened, seated.more, about=seated.about)
        runs.play(run, opened, concurrency=1, more=seated.more, around=seated.around)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
