"""Dies at every exchange: `python killable.py STORE LOG` plays the first episode of each run to its end.

Each reply is given by a process of its own, which is killed: once before the reply can be on record, and once
after it is. It writes down what was accepted, and says how often it was killed.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from osler.players.external import Pending
from osler.runs import run as runs
from osler.runs.played import EndedEpisode
from osler.runs.world import World
from osler.store.store import open_store
from tests.external.conftest import SEATS, built_in, said, to_the_end


async def one_reply(url: str, which: str, cast: Any, log: Path, *, before: bool) -> bool:
    """Give one reply and be killed; whether the encounter has ended."""
    with open_store(url) as store:
        sitting = await runs.sit(store.run(which), store, 0)
        now = await sitting.next()
        if isinstance(now, EndedEpisode):
            return True
        step = asyncio.create_task(sitting.step(await said(cast, now), now.ticket, now.seat))
        if before:
            await asyncio.sleep(0)  # given, and not on record
            os.kill(os.getpid(), signal.SIGKILL)
        after = await step
        with log.open("a") as file:
            file.write(json.dumps([which, now.seat, now.ticket]) + "\n")
        if isinstance(after, Pending):
            os.kill(os.getpid(), signal.SIGKILL)
        return True


def main(url: str, which: str, log: Path) -> int:
    """How often it was killed."""
    cast, kills, before = built_in(SEATS[which][0]), 0, True
    asyncio.run(to_the_end(World(*SEATS[which]).sit(0), cast))  # loads what each child then has
    while True:
        child = os.fork()
        if not child:
            os._exit(0 if asyncio.run(one_reply(url, which, cast, log, before=before)) else 1)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            kills += 1
        elif os.WEXITSTATUS(status) == 0:
            return kills
        else:
            raise SystemExit("a reply could not be given")
        before = not before


if __name__ == "__main__":
    print(json.dumps({which: main(sys.argv[1], which, Path(sys.argv[2])) for which in SEATS}))
