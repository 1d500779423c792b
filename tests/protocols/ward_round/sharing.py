"""One of several processes at a run of ward rounds: `python -m tests.protocols.ward_round.sharing STORE`
joins the last run.

It says "ready", waits for a line, plays, and says as JSON how that ended and how many rounds were its own.
"""

from __future__ import annotations

import json
import sys

from osler.runs import run as runs
from osler.runs.batch import Progress
from osler.store.store import open_store


def main(url: str) -> None:
    played = 0

    def count(progress: Progress) -> None:
        nonlocal played
        played = progress.played

    with open_store(url) as store:
        run = store.run("last")
        print("ready", flush=True)
        sys.stdin.readline()
        sitting = runs.play(run, store, concurrency=2, on_progress=count)
    print(json.dumps({"status": sitting.status, "why": sitting.why, "played": played}))


if __name__ == "__main__":
    main(sys.argv[1])
