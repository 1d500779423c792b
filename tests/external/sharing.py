"""A process that sits at the first episode of the last run: `python sharing.py STORE`.

It says "sat" when it has, waits for a line, and plays to the end.
"""

from __future__ import annotations

import asyncio
import sys

from osler.runs import run as runs
from osler.store.store import open_store
from tests.external.conftest import CONSULTATION, built_in, to_the_end


async def main(url: str) -> None:
    with open_store(url) as store:
        sitting = await runs.sit(store.run("last"), store, 0)
        print("sat", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await to_the_end(sitting, built_in(CONSULTATION))
        await sitting.leave()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
