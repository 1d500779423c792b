"""A run in a process of its own, to be killed: `python killable.py STORE LOG`; it joins the last run."""

from __future__ import annotations

import sys
from pathlib import Path

from osler.store.store import open_store
from tests.runs.conftest import play_to_the_end

if __name__ == "__main__":
    with open_store(sys.argv[1]) as store:
        play_to_the_end(store, Path(sys.argv[2]))
