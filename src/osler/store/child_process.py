"""A process that shares the work of another, of a pool: it ends when the other dies."""

from __future__ import annotations

import os
from multiprocessing import parent_process
from threading import Thread


def end_with_parent() -> None:
    """From here on, exit when the parent process dies; nothing else would end this one if it is killed."""
    Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
