"""One of several processes at a run: `python sharing.py STORE LOG [HOLD]` joins the last run when told to.

It says "ready", waits for a line, plays, and says as JSON how that ended and how many episodes were its own.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from osler.runs import run as runs
from osler.runs.batch import Progress
from osler.store.store import open_store
from tests.runs.conftest import logged


def main(url: str, log: Path, hold: Path | None = None) -> None:
    played = 0

    def count(progress: Progress) -> None:
        nonlocal played
        played = progress.played

    with open_store(url) as store:
        run, more = store.run("last"), logged(log, hold)
        print("ready", flush=True)
        sys.stdin.readline()
        sitting = runs.play(run, store, concurrency=4, more=more, on_progress=count)
    end = {"status": sitting.status, "why": sitting.why, "played": played, "others": len(sitting.others)}
    print(json.dumps(end))


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
