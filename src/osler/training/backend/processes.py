"""Several processes of one training, as torchrun starts them: each knows its number, and the first writes."""

from __future__ import annotations

import os
from pathlib import Path
from time import sleep
from typing import Any, Final

RANK, PROCESSES = "RANK", "WORLD_SIZE"
"""The variables in which a launcher of several processes tells each its number, and how many there are."""
_WAITS_S: Final = 0.2


def number() -> int:
    """The number of this process, from 0."""
    return _told(RANK, 0)


def count() -> int:
    """The number of processes."""
    return max(1, _told(PROCESSES, 1))


def is_first() -> bool:
    """Whether this process is the one that writes and tells; a single process is."""
    return number() == 0


def wait_for(path: Path) -> None:
    """Wait, in any process but the first, until the first has written a file; a launcher ends all processes
    where the first fails."""
    while not is_first() and not path.is_file():
        sleep(_WAITS_S)


def of_all(value: Any) -> list[Any]:
    """The values of all processes, in the order of their numbers; each process is handed all of them."""
    if count() == 1:
        return [value]
    from accelerate.utils import gather_object

    return list(gather_object([value]))


def part() -> None:
    """Leave the group of processes together: one that ends while another is in it may be aborted."""
    if count() == 1:
        return
    from torch import distributed

    if distributed.is_initialized():
        distributed.barrier()
        distributed.destroy_process_group()


def _told(name: str, otherwise: int) -> int:
    try:
        return int(os.environ.get(name, otherwise))
    except ValueError:
        return otherwise
